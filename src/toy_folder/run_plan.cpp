#include "toy_folder/run_plan.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "base/hash.h"
#include "base/try.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostBlocks = 10'000'000, kMostToysPerBlock = 1'000'000, kMostColumns = 100'000;
constexpr std::size_t kMostToys = std::size_t{1} << 40;
constexpr std::size_t kMostValues = std::size_t{1} << 27;  // of a block: 1 GB
constexpr std::size_t kMostShards = 1'000'000;

Error refusal(ErrorCode code, const std::string& where, const std::string& what, const std::string& hint) {
  return {code, where, what, hint};
}

bool read_number(std::string_view text, std::size_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

Errors faults_of(const RunIdentity& identity) {
  if (identity.columns.empty() || identity.columns.size() > kMostColumns) {
    return {refusal(ErrorCode::LimitExceeded, "/columns", "a toy's record has 1 to 100,000 columns",
                    "choose other columns")};
  }
  const std::size_t size = identity.toys_per_block;
  if (size == 0 || size > kMostToysPerBlock || size * identity.columns.size() > kMostValues) {
    return {refusal(ErrorCode::LimitExceeded, "/toys_per_block",
                    "a block has 1 to 1,000,000 toys and no more than 134,217,728 numbers",
                    "use fewer toys per block")};
  }
  return {};
}

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  Shard shard;
  if (slash == std::string_view::npos || !read_number(text.substr(0, slash), shard.index) ||
      !read_number(text.substr(slash + 1), shard.count)) {
    return Error{ErrorCode::BadUsage, Field::Shard, fmt::format("'{}' is not of the form i/N", shorten(text)),
                 "the third of 16 shards is 3/16"};
  }
  if (shard.count < 1 || shard.count > kMostShards || shard.index < 1 || shard.index > shard.count) {
    return Error{
        ErrorCode::BadUsage, Field::Shard,
        fmt::format("'{}': i goes from 1 to N, and N is at most 1,000,000", shorten(text)),
        shard.index == 0 ? "add 1 to a job number that is counted from 0" : "the last of 16 shards is 16/16"};
  }
  return shard;
}

std::size_t suggested_toys_per_block(std::size_t n_toys_of_all_ensembles) {
  constexpr std::size_t kBlocks = 100;
  constexpr std::array<std::size_t, 6> kSizes = {10, 20, 50, 100, 200, 500};
  for (const std::size_t size : kSizes) {
    if (size * kBlocks >= n_toys_of_all_ensembles) return size;
  }
  return 1000;
}

Result<RunPlan> RunPlan::make(RunIdentity identity) {
  const Errors faults = faults_of(identity);
  if (!faults.empty()) return faults;
  RunPlan plan;
  plan.first_block_ = {0};
  for (const Ensemble& ensemble : identity.ensembles) {
    const std::size_t size = identity.toys_per_block;
    const std::size_t blocks = ensemble.n_toys / size + (ensemble.n_toys % size != 0 ? 1 : 0);
    if (ensemble.n_toys > kMostToys || plan.blocks() + blocks > kMostBlocks) {
      return Error{ErrorCode::LimitExceeded, "/ensembles", "more than 10 million blocks of toys",
                   "run fewer toys, or more toys per block"};
    }
    plan.first_block_.push_back(plan.blocks() + blocks);
  }
  plan.text_ = identity_text(identity);
  TRY(std::string checksum, hash_bytes(identity_text(without_labels(identity))));
  plan.checksum_ = std::move(checksum);
  plan.identity_ = std::move(identity);
  return plan;
}

std::size_t RunPlan::toys() const {
  std::size_t sum = 0;
  for (const Ensemble& ensemble : identity_.ensembles) sum += ensemble.n_toys;
  return sum;
}

BlockRange RunPlan::block(std::size_t number) const {
  if (number >= blocks()) throw std::logic_error("RunPlan: there is no block " + std::to_string(number));
  const auto above = std::upper_bound(first_block_.begin(), first_block_.end(), number);
  const auto ensemble = static_cast<std::size_t>(above - first_block_.begin()) - 1;
  const std::size_t first = (number - first_block_[ensemble]) * identity_.toys_per_block;
  const std::size_t rest = identity_.ensembles[ensemble].n_toys - first;
  return {number, ensemble, first, std::min(rest, identity_.toys_per_block)};
}

std::vector<std::size_t> RunPlan::blocks_of(Shard shard) const {
  std::vector<std::size_t> numbers;
  for (std::size_t number = shard.index - 1; number < blocks(); number += shard.count)
    numbers.push_back(number);
  return numbers;
}

}  // namespace nextstat

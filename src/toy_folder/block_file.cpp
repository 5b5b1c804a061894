#include "toy_folder/block_file.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "base/files/kept_file.h"
#include "base/hash.h"
#include "base/try.h"

namespace nextstat {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are in memory");
static_assert(std::numeric_limits<double>::is_iec559);

constexpr std::string_view kMagic = "NEXTTOYS";
constexpr std::uint64_t kFormatVersion = 1;
constexpr std::size_t kHashBytes = 64;  // hexadecimal
using Numbers = std::array<std::uint64_t, 6>;
constexpr std::size_t kHeaderBytes = kMagic.size() + sizeof(Numbers) + kHashBytes;
constexpr std::size_t kLeastBytes = kHeaderBytes + kHashBytes;

// format version, block, ensemble, first toy, toys, columns
Numbers numbers_of(const RunPlan& plan, const BlockRange& range) {
  return {kFormatVersion, range.number, range.ensemble, range.first, range.count, plan.columns()};
}

std::size_t file_bytes(const RunPlan& plan, std::size_t number) {
  return kLeastBytes + plan.block(number).count * plan.columns() * sizeof(double);
}

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

DecodedBlock bad(BlockCondition condition, std::string what) { return {condition, std::move(what), {}}; }

// What is wrong with a file whose checksum is right; "" for nothing.
std::string foreign_because(const RunPlan& plan, const BlockRange& range, const Numbers& found,
                            std::string_view run_checksum) {
  if (found[0] != kFormatVersion) return fmt::format("has format version {}, this version reads 1", found[0]);
  if (run_checksum != plan.checksum()) {
    return fmt::format("belongs to another run: checksum {}, the run in this folder has {}", run_checksum,
                       plan.checksum());
  }
  if (found[1] != range.number) return fmt::format("contains block {}", found[1]);
  if (found != numbers_of(plan, range)) return "has different toys or columns than run.json says";
  return "";
}

}  // namespace

const char* to_string(BlockCondition condition) {
  switch (condition) {
    case BlockCondition::Sound:
      return "sound";
    case BlockCondition::Missing:
      return "missing";
    case BlockCondition::Damaged:
      return "damaged";
    case BlockCondition::Foreign:
      return "foreign";
  }
  throw std::logic_error("to_string: no such condition");
}

std::string block_file_name(std::size_t number) { return fmt::format("block-{:08}.toys", number); }

Result<std::string> encode_block(const RunPlan& plan, const ToyBlock& block) {
  const BlockRange range = plan.block(block.range.number);
  if (numbers_of(plan, range) != numbers_of(plan, block.range) ||
      block.values.size() != range.count * plan.columns()) {
    throw std::logic_error("encode_block: not a block of this run");
  }
  std::string bytes;
  bytes.reserve(file_bytes(plan, range.number));
  bytes += kMagic;
  append(bytes, numbers_of(plan, range));
  bytes += plan.checksum();
  for (const double value : block.values) {
    append(bytes, std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  }
  TRY(const std::string checksum, hash_bytes(bytes));
  return bytes + checksum;
}

Result<DecodedBlock> decode_block(const RunPlan& plan, std::size_t number, std::string_view bytes) {
  const BlockRange range = plan.block(number);
  if (bytes.empty()) return bad(BlockCondition::Damaged, "is empty");
  if (bytes.size() < kLeastBytes) return bad(BlockCondition::Damaged, "is truncated");
  if (!bytes.starts_with(kMagic)) return bad(BlockCondition::Damaged, "does not start like a block");
  const std::string_view hashed = bytes.substr(0, bytes.size() - kHashBytes);
  TRY(const std::string checksum, hash_bytes(hashed));
  if (bytes.substr(hashed.size()) != checksum) {
    return bad(BlockCondition::Damaged, "does not match its checksum: it was truncated or changed");
  }
  Numbers found;
  std::memcpy(found.data(), bytes.data() + kMagic.size(), sizeof found);
  const std::string_view run_checksum = bytes.substr(kMagic.size() + sizeof found, kHashBytes);
  const std::string reason = foreign_because(plan, range, found, run_checksum);
  if (!reason.empty()) return bad(BlockCondition::Foreign, reason);
  if (bytes.size() != file_bytes(plan, number)) return bad(BlockCondition::Damaged, "has the wrong length");
  DecodedBlock decoded{BlockCondition::Sound, "", {range, std::vector<double>(range.count * plan.columns())}};
  std::memcpy(decoded.block.values.data(), bytes.data() + kHeaderBytes,
              decoded.block.values.size() * sizeof(double));
  return decoded;
}

Result<StoredBlock> read_block_file(const RunPlan& plan, std::size_t number, const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / block_file_name(number)).string();
  // A block of another run may be longer than ours; to say so it has to be read, but not without limit.
  const std::size_t most = 4 * file_bytes(plan, number) + (std::size_t{1} << 24);
  Result<std::optional<std::string>> bytes = read_regular_file(path, most);
  if (!bytes) {
    if (bytes.errors().front().code != ErrorCode::LimitExceeded) return bytes.errors();
    return StoredBlock{bad(BlockCondition::Damaged, "is far too long"), ""};
  }
  if (!*bytes) return StoredBlock{};
  TRY(DecodedBlock decoded, decode_block(plan, number, **bytes));
  return StoredBlock{std::move(decoded), std::move(**bytes)};
}

}  // namespace nextstat

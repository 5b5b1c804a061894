#include "toys/run_status.h"

#include <algorithm>
#include <filesystem>

#include "toys/run_folder.h"

namespace nextstat {
namespace {

void count(BlockTally& tally, const BlockRange& range, BlockCondition condition) {
  ++tally.blocks;
  tally.toys += range.count;
  tally.done += condition == BlockCondition::Sound;
  tally.toys_done += condition == BlockCondition::Sound ? range.count : 0;
  tally.missing += condition == BlockCondition::Missing;
  tally.damaged += condition == BlockCondition::Damaged;
  tally.foreign += condition == BlockCondition::Foreign;
}

}  // namespace

double BlockTally::percent() const {
  if (complete()) return 100;
  return std::min(99.9, 100.0 * static_cast<double>(toys_done) / static_cast<double>(toys));
}

BlockTally RunStatus::tally(Shard shard) const {
  BlockTally tally;
  for (const std::size_t number : plan.blocks_of(shard)) count(tally, plan.block(number), blocks[number]);
  return tally;
}

BlockTally RunStatus::tally_of_ensemble(std::size_t ensemble) const {
  BlockTally tally;
  for (std::size_t number = 0; number < blocks.size(); ++number) {
    const BlockRange range = plan.block(number);
    if (range.ensemble == ensemble) count(tally, range, blocks[number]);
  }
  return tally;
}

std::vector<std::pair<std::size_t, std::size_t>> RunStatus::open_ranges() const {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t number = 0; number < blocks.size(); ++number) {
    if (blocks[number] == BlockCondition::Sound) continue;
    if (!ranges.empty() && ranges.back().second + 1 == number) {
      ranges.back().second = number;
    } else {
      ranges.emplace_back(number, number);
    }
  }
  return ranges;
}

Result<RunStatus> run_status(const std::string& folder) {
  Result<RunPlan> plan = read_run(folder);
  if (!plan) return plan.errors();
  RunStatus status{std::move(*plan), {}, {}};
  for (std::size_t number = 0; number < status.plan.blocks(); ++number) {
    const Result<StoredBlock> stored = read_block_file(status.plan, number, folder);
    if (!stored) return stored.errors();
    const DecodedBlock& decoded = stored->decoded;
    status.blocks.push_back(decoded.condition);
    if (decoded.condition == BlockCondition::Sound || decoded.condition == BlockCondition::Missing) continue;
    status.problems.push_back({number, decoded.condition,
                               (std::filesystem::path(folder) / block_file_name(number)).string(),
                               decoded.what});
  }
  return status;
}

}  // namespace nextstat

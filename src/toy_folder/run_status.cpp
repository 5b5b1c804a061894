#include <nextstat/toy_folder.h>

#include <algorithm>
#include <filesystem>

#include "base/try.h"
#include "toy_folder/block_file.h"
#include "toy_folder/run_folder.h"

namespace nextstat {
namespace {

void count(BlockTally& tally, const BlockState& block) {
  ++tally.blocks;
  tally.toys += block.toys;
  tally.done += block.condition == BlockCondition::Sound;
  tally.toys_done += block.condition == BlockCondition::Sound ? block.toys : 0;
  tally.missing += block.condition == BlockCondition::Missing;
  tally.damaged += block.condition == BlockCondition::Damaged;
  tally.foreign += block.condition == BlockCondition::Foreign;
}

}  // namespace

double BlockTally::percent() const {
  if (complete()) return 100;
  return std::min(99.9, 100.0 * static_cast<double>(toys_done) / static_cast<double>(toys));
}

BlockTally RunStatus::tally(Shard shard) const {
  BlockTally tally;
  for (std::size_t number = 0; number < blocks.size(); ++number) {
    if (shard.owns(number)) count(tally, blocks[number]);
  }
  return tally;
}

BlockTally RunStatus::tally_of_ensemble(std::size_t ensemble) const {
  BlockTally tally;
  for (const BlockState& block : blocks) {
    if (block.ensemble == ensemble) count(tally, block);
  }
  return tally;
}

std::vector<std::pair<std::size_t, std::size_t>> RunStatus::open_ranges() const {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t number = 0; number < blocks.size(); ++number) {
    if (blocks[number].condition == BlockCondition::Sound) continue;
    if (!ranges.empty() && ranges.back().second + 1 == number) {
      ranges.back().second = number;
    } else {
      ranges.emplace_back(number, number);
    }
  }
  return ranges;
}

Result<RunStatus> toys_status(const std::string& folder) {
  TRY(RunPlan plan, read_run(folder));
  RunStatus status{plan.identity(), plan.checksum(), {}, {}};
  for (std::size_t number = 0; number < plan.blocks(); ++number) {
    TRY(const StoredBlock stored, read_block_file(plan, number, folder));
    const DecodedBlock& decoded = stored.decoded;
    const BlockRange range = plan.block(number);
    status.blocks.push_back({decoded.condition, range.ensemble, range.count});
    if (decoded.condition == BlockCondition::Sound || decoded.condition == BlockCondition::Missing) continue;
    status.problems.push_back({number, decoded.condition,
                               (std::filesystem::path(folder) / block_file_name(number)).string(),
                               decoded.what});
  }
  return status;
}

}  // namespace nextstat

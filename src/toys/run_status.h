// How far a run is: the condition of every block, from the files alone.
//
//   Result<RunStatus> status = run_status("run");
//   status->tally({1, 16}).done;
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "toys/block_file.h"
#include "toys/run_plan.h"

namespace nextstat {

// A block that is there but not sound.
struct BlockProblem {
  std::size_t number = 0;
  BlockCondition condition = BlockCondition::Damaged;
  std::string file, what;
};

struct BlockTally {
  std::size_t blocks = 0, done = 0, missing = 0, damaged = 0, foreign = 0;
  std::size_t toys = 0, toys_done = 0;
  double percent() const;  // of toys; 100 only when all are done
  bool complete() const { return done == blocks; }
};

struct RunStatus {
  RunPlan plan;
  std::vector<BlockCondition> blocks;  // [block]
  std::vector<BlockProblem> problems;

  BlockTally tally(Shard shard = {}) const;  // of one shard; of the whole run
  BlockTally tally_of_ensemble(std::size_t ensemble) const;
  // First and last block of each stretch that is not done, ascending.
  std::vector<std::pair<std::size_t, std::size_t>> open_ranges() const;
};

// Reads and checks every block.
Result<RunStatus> run_status(const std::string& folder);

}  // namespace nextstat

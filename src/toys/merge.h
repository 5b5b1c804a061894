// Puts the shards of a run together. The folder that comes out has the bytes of a run in one piece.
//
//   Result<MergeReport> report = merge_runs({"shard-1", "shard-2"}, "merged");
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "toys/run_status.h"

namespace nextstat {

struct MergeReport {
  RunStatus status;        // of the folder that was merged into
  std::size_t copied = 0;  // blocks that were not there before
  Errors problems;         // damaged, foreign or contradictory blocks for which there is no sound copy
  std::vector<std::string> remarks;  // damaged blocks of which another folder has a sound copy
};

// Refuses folders of different runs before anything is written. Sound blocks are collected even when others
// are damaged or missing, so merging again after a repair completes the folder. `to` may exist with some
// blocks of the same run; folders in `from` are only read.
Result<MergeReport> merge_runs(std::span<const std::string> from, const std::string& to);

}  // namespace nextstat

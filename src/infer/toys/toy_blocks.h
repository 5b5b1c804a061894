// Runs the blocks of toys: chooses how many toys are fitted in one go, keeps blocks in a folder or passes
// them on, reports progress, stops when asked.
//
//   ToyRun run{toy_run_identity(...), options.toys, options.storage, options.run};
//   run_blocks(run, [&](std::size_t ensemble, std::uint64_t first, std::size_t count) { ... }, consumer);
#pragma once

#include <nextstat/toys.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "infer/setup/setup.h"
#include "toy_folder/block_sink.h"

namespace nextstat {

// The columns of a toy's record, by question.
struct FitColumn {
  enum : std::size_t { Nll, MuHat, Status, Iterations, FirstParameter };
};
struct TestColumn {
  enum : std::size_t { Q, MuHat, NllFree, NllMu, Status, Iterations, Count };
};
struct Chi2Column {
  enum : std::size_t { Chi2, Status, Count };
};

struct ToyRun {
  RunIdentity identity;
  const ToyOptions& toys;
  const ToyStorage& storage;
  const RunOptions& run;
  SessionTraits device;
  std::size_t threads;            // of this processor; 0 = all
  std::size_t bytes_per_toy = 0;  // of memory while it is fitted
  // Records of every call, in order, before their blocks are complete.
  std::function<void(std::size_t ensemble, std::span<const double> records)> on_records = {};
};

// Records of toys first to first + count - 1 of an ensemble, [toy][column]; none: the stop token fired. Calls come from
// several threads at once where the device takes several.
using ComputeToys = std::function<Result<std::optional<std::vector<double>>>(
    std::size_t ensemble, std::uint64_t first, std::size_t count)>;

struct BlocksDone {
  bool complete = false;    // the consumer has seen all toys of the run
  bool shard_done = false;  // all blocks of this shard are computed
  bool interrupted = false;
  std::vector<std::string> remarks;
};
Result<BlocksDone> run_blocks(const ToyRun& run, const ComputeToys& compute, const BlockConsumer& consumer);

// Memory that a toy takes while it is fitted.
std::size_t bytes_per_toy(const Setup& setup);

// The fits of this process's share of the toys.
WorkEstimate work_of_toys(const ToyOptions& toys, const ToyStorage& storage, double fits_per_toy);

}  // namespace nextstat

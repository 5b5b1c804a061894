// A run in a folder: which blocks are still to be computed, and their way to the disk and back.
//
//   Result<RunStore> store = RunStore::open("run", plan, {3, 16}, Begin::Resume);
//   for (std::size_t number : store->missing()) store->write(compute(plan.block(number)));
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "toy_folder/block_file.h"
#include "toy_folder/run_folder.h"

namespace nextstat {

using BlockConsumer = std::function<void(const ToyBlock&)>;

class RunStore {
 public:
  // Reads and checks every block of this shard that is there. Damaged ones count as missing, with a remark.
  // Blocks of another run are an error: nothing complete is ever overwritten by something else. A run of
  // schema 1 must be complete: it can be read, but not resumed.
  static Result<RunStore> open(const std::string& folder, const RunPlan& plan, Shard shard, Begin begin);

  const RunPlan& plan() const { return folder_.plan(); }
  Shard shard() const { return shard_; }
  const std::string& folder() const { return folder_.path(); }
  // Blocks of this shard that were not there, ascending, as found by open().
  const std::vector<std::size_t>& missing() const { return missing_; }
  // For the user: damaged blocks that have to be computed again, a file system without locks.
  const std::vector<std::string>& remarks() const { return remarks_; }

  // Once this returns the block survives any kill. Any order; several threads may write different blocks.
  Result<void> write(const ToyBlock& block) const;

  // A block of any shard; one that is not sound is an error.
  Result<ToyBlock> read(std::size_t number) const;

  // Passes the blocks of all shards that are there, ascending, one in memory at a time. Returns their number.
  Result<std::size_t> for_each(const BlockConsumer& consumer) const;

 private:
  RunStore(Shard shard, RunFolder folder);
  Result<void> look();
  Result<void> look_at_earlier();
  Error fault(std::size_t number, const DecodedBlock& decoded) const;

  Shard shard_;
  RunFolder folder_;
  std::vector<std::size_t> missing_;
  std::vector<std::string> remarks_;
};

}  // namespace nextstat

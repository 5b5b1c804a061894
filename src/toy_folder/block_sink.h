// Where the engine's blocks go: to a folder, or straight to whoever wants the numbers.
// The engine does not see the difference between the two.
//
//   std::unique_ptr<BlockSink> sink =
//       store ? store_blocks(*store, consumer) : stream_blocks(plan, {}, consumer);
//   for (std::size_t number : sink->missing()) sink->write(compute(plan.block(number)));
//   Result<bool> complete = sink->finish();
#pragma once

#include <memory>

#include "toy_folder/run_store.h"

namespace nextstat {

// The consumer gets each block once, ascending within its ensemble, never two at a time.
// It has all of them at the end of finish().
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  // Blocks to compute, ascending.
  virtual const std::vector<std::size_t>& missing() const = 0;
  // Each missing block at most once, in any order, from any thread.
  virtual Result<void> write(ToyBlock block) = 0;
  // After the last write, complete or interrupted. True: the consumer has seen every block of the run.
  virtual Result<bool> finish() = 0;
};

// The consumer reads back from the folder in finish(): blocks of earlier processes and of other shards too.
std::unique_ptr<BlockSink> store_blocks(const RunStore& store, BlockConsumer consumer);

// Nothing is kept but blocks that come before their turn, so memory is that of the blocks in work.
std::unique_ptr<BlockSink> stream_blocks(const RunPlan& plan, Shard shard, BlockConsumer consumer);

}  // namespace nextstat

#include "toy_folder/block_sink.h"

#include <map>
#include <mutex>

#include "base/try.h"

namespace nextstat {
namespace {

class StoreSink final : public BlockSink {
 public:
  StoreSink(const RunStore& store, BlockConsumer consumer) : store_(store), consumer_(std::move(consumer)) {}

  const std::vector<std::size_t>& missing() const override { return store_.missing(); }
  Result<void> write(ToyBlock block) override { return store_.write(block); }
  Result<bool> finish() override {
    TRY(const std::size_t passed, store_.for_each(consumer_));
    return passed == store_.plan().blocks();
  }

 private:
  const RunStore& store_;
  BlockConsumer consumer_;
};

class StreamSink final : public BlockSink {
 public:
  StreamSink(const RunPlan& plan, Shard shard, BlockConsumer consumer)
      : missing_(plan.blocks_of(shard)),
        blocks_(plan.blocks()),
        queues_(plan.identity().ensembles.size()),
        consumer_(std::move(consumer)) {
    for (const std::size_t number : missing_) queues_[plan.block(number).ensemble].order.push_back(number);
  }

  const std::vector<std::size_t>& missing() const override { return missing_; }

  Result<void> write(ToyBlock block) override {
    const std::lock_guard guard(mutex_);
    Queue& queue = queues_[block.range.ensemble];
    queue.early.emplace(block.range.number, std::move(block));
    while (!queue.early.empty() && queue.next < queue.order.size() &&
           queue.early.begin()->first == queue.order[queue.next]) {
      pass_first(queue);
      ++queue.next;
    }
    return {};
  }

  Result<bool> finish() override {
    const std::lock_guard guard(mutex_);
    for (Queue& queue : queues_) {
      while (!queue.early.empty()) pass_first(queue);
    }
    return passed_ == blocks_;
  }

 private:
  // The blocks of an ensemble.
  struct Queue {
    std::vector<std::size_t> order;  // in which the consumer gets them
    std::size_t next = 0;            // position of the next one
    std::map<std::size_t, ToyBlock> early;
  };

  void pass_first(Queue& queue) {
    consumer_(queue.early.begin()->second);
    queue.early.erase(queue.early.begin());
    ++passed_;
  }

  std::mutex mutex_;
  std::vector<std::size_t> missing_;
  std::size_t blocks_ = 0, passed_ = 0;
  std::vector<Queue> queues_;  // [ensemble]
  BlockConsumer consumer_;
};

}  // namespace

std::unique_ptr<BlockSink> store_blocks(const RunStore& store, BlockConsumer consumer) {
  return std::make_unique<StoreSink>(store, std::move(consumer));
}

std::unique_ptr<BlockSink> stream_blocks(const RunPlan& plan, Shard shard, BlockConsumer consumer) {
  return std::make_unique<StreamSink>(plan, shard, std::move(consumer));
}

}  // namespace nextstat

#include "toys/block_sink.h"

#include <map>
#include <mutex>

namespace nextstat {
namespace {

class StoreSink final : public BlockSink {
 public:
  StoreSink(const RunStore& store, BlockConsumer consumer) : store_(store), consumer_(std::move(consumer)) {}

  const std::vector<std::size_t>& missing() const override { return store_.missing(); }
  Result<std::monostate> write(ToyBlock block) override { return store_.write(block); }
  Result<bool> finish() override {
    const Result<std::size_t> passed = store_.for_each(consumer_);
    if (!passed) return passed.errors();
    return *passed == store_.plan().blocks();
  }

 private:
  const RunStore& store_;
  BlockConsumer consumer_;
};

class StreamSink final : public BlockSink {
 public:
  StreamSink(const RunPlan& plan, Shard shard, BlockConsumer consumer)
      : missing_(plan.blocks_of(shard)), blocks_(plan.blocks()), consumer_(std::move(consumer)) {}

  const std::vector<std::size_t>& missing() const override { return missing_; }

  Result<std::monostate> write(ToyBlock block) override {
    const std::lock_guard guard(mutex_);
    early_.emplace(block.range.number, std::move(block));
    while (!early_.empty() && next_ < missing_.size() && early_.begin()->first == missing_[next_]) {
      pass_first();
      ++next_;
    }
    return std::monostate{};
  }

  Result<bool> finish() override {
    const std::lock_guard guard(mutex_);
    while (!early_.empty()) pass_first();
    return passed_ == blocks_;
  }

 private:
  void pass_first() {
    consumer_(early_.begin()->second);
    early_.erase(early_.begin());
    ++passed_;
  }

  std::mutex mutex_;
  std::vector<std::size_t> missing_;
  std::size_t blocks_ = 0, next_ = 0,
              passed_ = 0;  // next_: position in missing_ of the consumer's next block
  std::map<std::size_t, ToyBlock> early_;
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

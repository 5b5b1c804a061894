// A queue that measures its launches: the time from a launch to the end of its work on the device.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "gpu/queue.h"

namespace nextstat::bench {

struct LaunchRecord {
  gpu::Kernel kernel;
  double seconds;
};

class TimedQueue final : public gpu::Queue {
 public:
  TimedQueue(std::unique_ptr<gpu::Queue> queue, std::shared_ptr<std::vector<LaunchRecord>> record)
      : queue_(std::move(queue)), record_(std::move(record)) {}

  const gpu::QueueTraits& traits() const override { return queue_->traits(); }
  Result<gpu::Buffer> allocate(std::size_t bytes) override { return queue_->allocate(bytes); }
  void release(std::uint64_t handle) override { queue_->release(handle); }
  Result<void> write(gpu::Buffer& to, std::size_t at, std::span<const std::byte> bytes) override {
    return queue_->write(to, at, bytes);
  }
  Result<void> read(const gpu::Buffer& from, std::size_t at, std::span<std::byte> bytes) override {
    return queue_->read(from, at, bytes);
  }
  Result<void> clear(gpu::Buffer& buffer) override { return queue_->clear(buffer); }
  gpu::Shape shape(gpu::Kernel kernel, const gpu::RowSizes& sizes, std::size_t rows) const override {
    return queue_->shape(kernel, sizes, rows);
  }
  Result<void> launch(gpu::Kernel kernel, const gpu::Shape& shape,
                      std::span<const gpu::Argument> arguments) override {
    if (auto ready = queue_->finish(); !ready) return ready;  // data are on the device
    const auto begin = std::chrono::steady_clock::now();
    if (auto launched = queue_->launch(kernel, shape, arguments); !launched) return launched;
    auto done = queue_->finish();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    record_->push_back({kernel, passed.count()});
    return done;
  }
  Result<void> finish() override { return queue_->finish(); }
  std::optional<std::size_t> free_memory() const override { return queue_->free_memory(); }

 private:
  std::unique_ptr<gpu::Queue> queue_;
  std::shared_ptr<std::vector<LaunchRecord>> record_;
};

}  // namespace nextstat::bench

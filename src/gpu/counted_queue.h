// A queue that counts what goes through it, for Session::traffic().
#pragma once

#include <nextstat/backends.h>

#include <memory>
#include <utility>

#include "gpu/queue.h"

namespace nextstat::gpu {

class CountedQueue final : public Queue {
 public:
  explicit CountedQueue(std::unique_ptr<Queue> queue) : queue_(std::move(queue)) {}

  const Traffic& traffic() const { return traffic_; }

  const QueueTraits& traits() const override { return queue_->traits(); }
  Result<Buffer> allocate(std::size_t bytes) override { return queue_->allocate(bytes); }
  void release(std::uint64_t handle) override { queue_->release(handle); }
  Result<void> write(Buffer& to, std::size_t at, std::span<const std::byte> bytes) override {
    traffic_.bytes_to_device += bytes.size();
    return queue_->write(to, at, bytes);
  }
  Result<void> read(const Buffer& from, std::size_t at, std::span<std::byte> bytes) override {
    traffic_.bytes_from_device += bytes.size();
    ++traffic_.synchronizations;
    return queue_->read(from, at, bytes);
  }
  Result<void> clear(Buffer& buffer) override { return queue_->clear(buffer); }
  Shape shape(Kernel kernel, const RowSizes& sizes, std::size_t rows) const override {
    return queue_->shape(kernel, sizes, rows);
  }
  Result<void> launch(Kernel kernel, const Shape& shape, std::span<const Argument> arguments) override {
    ++traffic_.launches;
    return queue_->launch(kernel, shape, arguments);
  }
  Result<void> finish() override {
    ++traffic_.synchronizations;
    return queue_->finish();
  }
  std::optional<std::size_t> free_memory() const override { return queue_->free_memory(); }

 private:
  std::unique_ptr<Queue> queue_;
  Traffic traffic_;
};

}  // namespace nextstat::gpu

// A queue that counts what goes through it, for Session::traffic().
#pragma once

#include <nextstat/backends.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "gpu/queue.h"

namespace nextstat::gpu {

class CountedQueue final : public Queue {
 public:
  explicit CountedQueue(std::unique_ptr<Queue> queue) : queue_(std::move(queue)) {}

  Traffic traffic() const {
    return {.bytes_to_device = to_device_,
            .bytes_from_device = from_device_,
            .launches = launches_,
            .synchronizations = waits_};
  }

  const QueueTraits& traits() const override { return queue_->traits(); }
  Result<std::unique_ptr<Queue>> another() override { return queue_->another(); }
  Result<Buffer> allocate(std::size_t bytes) override { return queue_->allocate(bytes); }
  void release(std::uint64_t handle) override { queue_->release(handle); }
  Result<void> write(Buffer& to, std::size_t at, std::span<const std::byte> bytes) override {
    to_device_ += bytes.size();
    return queue_->write(to, at, bytes);
  }
  Result<void> start_read(const Buffer& from, std::size_t at, std::span<std::byte> bytes) override {
    from_device_ += bytes.size();
    return queue_->start_read(from, at, bytes);
  }
  Result<void> read(const Buffer& from, std::size_t at, std::span<std::byte> bytes) override {
    from_device_ += bytes.size();
    ++waits_;
    return queue_->read(from, at, bytes);
  }
  Result<void> clear(Buffer& buffer) override { return queue_->clear(buffer); }
  Shape shape(Kernel kernel, const RowSizes& sizes, std::size_t rows) const override {
    return queue_->shape(kernel, sizes, rows);
  }
  Result<void> launch(Kernel kernel, const Shape& shape, std::span<const Argument> arguments) override {
    ++launches_;
    return queue_->launch(kernel, shape, arguments);
  }
  Result<void> finish() override {
    ++waits_;
    return queue_->finish();
  }
  std::optional<std::size_t> free_memory() const override { return queue_->free_memory(); }

 private:
  std::unique_ptr<Queue> queue_;
  // Read while another thread works.
  std::atomic<std::uint64_t> to_device_ = 0, from_device_ = 0, launches_ = 0, waits_ = 0;
};

}  // namespace nextstat::gpu

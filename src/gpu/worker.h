// One queue with what a session keeps on it: the model, buffers that calls share, toys that were drawn there.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "gpu/convert.h"
#include "gpu/memory_plan.h"
#include "gpu/queue.h"

namespace nextstat::gpu {

// Toys that stay on the device.
struct Resident {
  std::uint64_t number;
  Buffer values;
};

class Worker {
  std::unique_ptr<Queue> queue_;  // first: it outlives the buffers

 public:
  // limit: bytes that the session may take here; 0 = what is free, which it shares with the workers of other copies,
  // `sharing` in all.
  Worker(std::unique_ptr<Queue> queue, std::size_t limit, std::size_t sharing)
      : queue_(std::move(queue)), limit_(limit), sharing_(sharing) {}

  Queue& queue() { return *queue_; }
  const Queue& queue() const { return *queue_; }
  const Buffer& slot(Slot slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  Buffer& slot(Slot slot) { return slots_[static_cast<std::size_t>(slot)]; }

  // Makes every buffer at least this large. Buffers that are large enough stay as they are.
  Result<void> reserve(const SlotBytes& bytes);
  bool has(const SlotBytes& bytes) const;
  // What shared buffers may take in all, besides the model and resident toys.
  Budget budget() const { return budget(sharing_); }
  Budget whole_budget() const { return budget(1); }
  std::size_t resident_bytes() const;
  // Toys that were drawn here under this number.
  const Buffer& resident(std::uint64_t number) const;

  Buffer reals, indices, own_data;  // of the model
  HostBuffer data_staging, staging, more_staging;
  std::deque<Resident> residents;  // newest last
  // Time of a row when the device is full, by Kernel; 0 = not known yet.
  std::array<double, 4> seconds_per_row{};

 private:
  Budget budget(std::size_t sharing) const;
  std::size_t held_bytes() const;

  std::size_t limit_, sharing_;
  std::array<Buffer, kSlots> slots_;
};

}  // namespace nextstat::gpu

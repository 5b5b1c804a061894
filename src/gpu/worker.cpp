#include "gpu/worker.h"

#include <algorithm>
#include <stdexcept>

#include "gpu/steps.h"

namespace nextstat::gpu {
namespace {

// Of the free memory: what drivers, and others on the device, may want meanwhile.
constexpr double kUsable = 0.9;
constexpr double kUsableOfTotal = 0.8;  // where the free memory is not known

}  // namespace

std::size_t Worker::resident_bytes() const {
  std::size_t bytes = 0;
  for (const Resident& resident : residents) bytes += resident.values.bytes();
  return bytes;
}

const Buffer& Worker::resident(std::uint64_t number) const {
  for (const Resident& known : residents) {
    if (known.number == number) return known.values;
  }
  throw std::logic_error("toys that were drawn are not on the device");
}

std::size_t Worker::held_bytes() const {
  std::size_t bytes = 0;
  for (const Buffer& buffer : slots_) bytes += buffer.bytes();
  return bytes;
}

bool Worker::has(const SlotBytes& bytes) const {
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (slots_[i].bytes() < bytes[i]) return false;
  }
  return true;
}

Budget Worker::budget(std::size_t sharing) const {
  Budget budget;
  if (queue_->traits().largest_buffer > 0) budget.largest_buffer = queue_->traits().largest_buffer;
  const std::optional<std::size_t> free = queue_->free_memory();
  const auto total = static_cast<double>(queue_->traits().total_memory);
  const std::size_t limit = limit_ > 0 ? limit_ : free ? 0 : static_cast<std::size_t>(kUsableOfTotal * total);
  if (limit > 0) {
    const std::size_t taken = reals.bytes() + indices.bytes() + own_data.bytes() + resident_bytes();
    budget.bytes = limit > taken ? limit - taken : 0;
  }
  if (free) {
    const auto usable = static_cast<std::size_t>(kUsable * static_cast<double>(*free / sharing));
    budget.bytes = std::min(budget.bytes, usable + held_bytes());
  }
  return budget;
}

Result<void> Worker::reserve(const SlotBytes& bytes) {
  if (has(bytes)) return {};
  SlotBytes grown = bytes;
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (bytes[i] > slots_[i].bytes()) grown[i] = bytes[i] + bytes[i] / 4;
    grown[i] = std::max(grown[i], slots_[i].bytes());
  }
  // Room for calls that are a little larger; where memory is short, exactly what is needed.
  const bool roomy = fits(grown, budget());
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (!roomy || slots_[i].bytes() < bytes[i]) slots_[i] = Buffer();
  }
  Steps steps(*queue_);
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (slots_[i].bytes() >= std::max<std::size_t>(bytes[i], 1)) continue;
    slots_[i] = steps.allocate("allocating buffers", roomy ? grown[i] : bytes[i]);
  }
  if (!steps.ok()) return steps.errors();
  return {};
}

}  // namespace nextstat::gpu

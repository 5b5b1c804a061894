// Numbers of what one wave uses out of many: datasets, starts, bounds. In order of first use, from 0.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace nextstat::gpu {

class LocalNumbers {
 public:
  explicit LocalNumbers(std::size_t total) : local_(total, kUnused) {}

  std::uint32_t number_of(std::size_t global) {
    std::uint32_t& local = local_[global];
    if (local == kUnused) {
      local = static_cast<std::uint32_t>(used_.size());
      used_.push_back(global);
    }
    return local;
  }
  // [local number] its number in the request.
  const std::vector<std::size_t>& used() const { return used_; }

 private:
  static constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> local_;
  std::vector<std::size_t> used_;
};

}  // namespace nextstat::gpu

// Host memory that is kept between calls and comes uninitialized.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace nextstat::gpu {

class HostBuffer {
 public:
  template <class T>
  std::span<T> as(std::size_t count) {
    if (count * sizeof(T) > bytes_) {
      bytes_ = count * sizeof(T) + count * sizeof(T) / 4;
      memory_.reset();
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
    }
    return {reinterpret_cast<T*>(memory_.get()), count};
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace nextstat::gpu

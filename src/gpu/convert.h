// Numbers on their way to a device and back. f64 devices take them as they are.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/aligned.h"
#include "gpu/steps.h"

namespace nextstat::gpu {

template <class Scalar>
constexpr bool kIsDouble = std::is_same_v<Scalar, double>;

// Host memory that is kept between calls and comes uninitialized.
class HostBuffer {
 public:
  template <class T>
  std::span<T> as(std::size_t count) {
    if (count * sizeof(T) > bytes_) {
      bytes_ = count * sizeof(T) + count * sizeof(T) / 4;
      memory_.reset();
      memory_.reset(static_cast<std::byte*>(raw_memory(bytes_)));
    }
    return {reinterpret_cast<T*>(memory_.get()), count};
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::size_t bytes_ = 0;
};

// A parameter or a bound.
// What is not 0 does not become 0: its sign may say on which side of a kink it stands.
template <class Scalar>
Scalar narrowed(double x) {
  const auto y = static_cast<Scalar>(x);
  if (y == 0 && x != 0) return std::copysign(std::numeric_limits<Scalar>::min(), static_cast<Scalar>(x));
  return y;
}

// A datum: counts that are no normal number are 0, so that 1 / n is finite.
template <class Scalar>
Scalar narrowed_datum(double x) {
  const auto y = static_cast<Scalar>(x);
  if constexpr (std::is_same_v<Scalar, double>) return y;
  return std::abs(y) < std::numeric_limits<Scalar>::min() ? Scalar{0} : y;
}

template <class Scalar>
void write_reals(Steps& steps, std::string_view doing, Buffer& to, std::span<const double> values,
                 HostBuffer& staging) {
  if constexpr (std::is_same_v<Scalar, double>) {
    steps.write(doing, to, values);
  } else {
    const std::span<Scalar> converted = staging.as<Scalar>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) converted[i] = narrowed<Scalar>(values[i]);
    steps.write(doing, to, std::span<const Scalar>(converted));
  }
}

template <class Scalar>
void read_reals(Steps& steps, std::string_view doing, const Buffer& from, std::span<double> values,
                HostBuffer& staging) {
  if constexpr (std::is_same_v<Scalar, double>) {
    steps.read(doing, from, values);
  } else {
    const std::span<Scalar> read = staging.as<Scalar>(values.size());
    steps.read(doing, from, read);
    if (!steps.ok()) return;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(read[i]);
  }
}

}  // namespace nextstat::gpu

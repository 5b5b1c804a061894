// Numbers that are the same to the bit: 0 is not -0, and a NaN is itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace nextstat::test {

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) { return same_bits(x, y); });
}

}  // namespace nextstat::test

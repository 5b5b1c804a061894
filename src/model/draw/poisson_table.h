// The distribution function of a Poisson as integers: counts are drawn by comparing integers,
// so no rounding differs between devices.
//
//   PoissonTable table = make_poisson_table(3.5);
//   table.thresholds[i];  // 2^64 P(count <= table.lowest + i), rounded to the nearest integer
#pragma once

#include <cstdint>
#include <vector>

namespace nextstat {

struct PoissonTable {
  std::uint32_t lowest = 0;               // counts below have a probability under 2^-65
  std::vector<std::uint64_t> thresholds;  // ascending; ends where the rest is under 2^-65
  std::vector<std::uint32_t> guide;       // [j], 2^(64 - shift) + 1 of them: thresholds <= j 2^shift
  std::uint32_t shift = 63;
};

// Rates 0 <= rate <= 2^20; tables have about 18 sqrt(rate) + 10 thresholds.
PoissonTable make_poisson_table(double rate);

}  // namespace nextstat

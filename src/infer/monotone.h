// The rising values nearest to ones that errors have put out of order: neighbors in the wrong order become
// their weighted mean (pool adjacent violators).
//
//   std::vector<double> rising = rising_means({{sum, weight}, ...});
#pragma once

#include <span>
#include <vector>

namespace nextstat {

// A mean, as the sum that it is made of: mean = sum / weight.
struct WeightedSum {
  double sum, weight;
};

// One for each, never falling.
std::vector<double> rising_means(std::span<const WeightedSum> values);

}  // namespace nextstat

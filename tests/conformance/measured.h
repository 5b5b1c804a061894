// The largest error that a test saw, printed beside its verdict.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace nextstat::conformance {

class Measured {
 public:
  void add(double error) { errors_.push_back(error); }
  double largest() const { return errors_.empty() ? 0 : *std::max_element(errors_.begin(), errors_.end()); }
  double median() const {
    if (errors_.empty()) return 0;
    std::vector<double> sorted = errors_;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                     sorted.end());
    return sorted[sorted.size() / 2];
  }
  void print(const std::string& what) const {
    if (!errors_.empty())
      std::printf("[ measured ] %s: largest error %.2g, median %.2g of %zu\n", what.c_str(), largest(),
                  median(), errors_.size());
  }

 private:
  std::vector<double> errors_;
};

}  // namespace nextstat::conformance

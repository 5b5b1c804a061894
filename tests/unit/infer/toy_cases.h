// Exact answers for one bin with a known background: sums of Poisson probabilities.
#pragma once

#include <cmath>
#include <functional>

namespace nextstat::test {

inline double poisson(int n, double nu) { return std::exp(n * std::log(nu) - nu - std::lgamma(n + 1.0)); }

// The probability of the counts that `belongs` is true for.
inline double poisson_sum(double nu, const std::function<bool(int)>& belongs) {
  double sum = 0;
  for (int n = 0; n < 40 + 4 * nu; ++n) {
    if (belongs(n)) sum += poisson(n, nu);
  }
  return sum;
}

// The smallest n with P(count <= n) >= p.
inline int poisson_quantile(double nu, double p) {
  double sum = 0;
  for (int n = 0;; ++n) {
    sum += poisson(n, nu);
    if (sum >= p) return n;
  }
}

}  // namespace nextstat::test

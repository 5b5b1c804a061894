// The constant of a Poisson term, for the host: what its deviance leaves out.
//
//   -log Poisson(n | nu) = ns_poisson_deviance(n, 1 / n, nu) + log_factorial_excess(n)
#pragma once

namespace nextstat {

// log(n!) - n log(n) + n = lgamma(n + 1) - n log(n) + n for real n >= 0, 0 at n = 0; NaN for n < 0 or NaN.
// Absolute error below 1e-14 for n <= 1e50 (measured: 4e-15), never a difference of large numbers.
double log_factorial_excess(double n);

}  // namespace nextstat

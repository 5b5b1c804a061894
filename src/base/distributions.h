// Probabilities of the normal and chi-square distributions, good in the tails.
#pragma once

#include <cstddef>

namespace nextstat {

// P(X > x) of a standard normal: good to 1e-15 relative down to 1e-300.
double normal_tail(double x);
// Its logarithm, also beyond.
double log_normal_tail(double x);
// x with normal_tail(x) = p, 0 < p < 1.
double normal_quantile_of_tail(double p);
// P(X > x) of chi-square with ndof degrees of freedom; NaN for ndof < 1.
double chi_square_tail(double x, std::ptrdiff_t ndof);

}  // namespace nextstat

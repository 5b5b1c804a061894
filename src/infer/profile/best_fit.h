// The unconditional fit, with its covariance: what fits, scans, rankings and limits start from.
//
//   Result<BestFit> best = find_best_fit(setup, true);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "infer/profile/minima_log.h"
#include "infer/setup/setup.h"
#include "minimize/curvature/covariance.h"

namespace nextstat {

struct BestFit {
  Minimum minimum;                    // the deepest that was found
  std::vector<Minimum> others;        // ascending NLL
  Covariance covariance;              // .variances empty when not asked for, or too large to be made
  std::vector<std::size_t> at_bound;  // not fixed, ended at a bound
  double initial_nll = 0;
  std::vector<double> start;          // the setup's, moved aside when that leads to a saddle point
  std::vector<std::string> warnings;  // about the start
  SearchLog log;
};

// Free parameters that stand neither at a bound nor at a kink.
std::vector<char> moving_parameters(const Setup& setup, const Minimum& minimum);

// The covariance at another minimum, as if that were the best fit.
BestFit branch_at(const Setup& setup, const BestFit& best, const Minimum& other);

// With the covariance, a saddle point is recognized and left; one that cannot be left is not converged.
// Errors: the start is outside the bounds, or no point with a finite NLL was found (the bins are named).
Result<BestFit> find_best_fit(const Setup& setup, bool with_covariance);

// `other` lies lower by more than rounding.
bool is_better_nll(double known, double other);
bool is_better_minimum(const Minimum& known, const Minimum& other);

// A free parameter moved from one value towards another, at most half way to a bound, where a gamma is 0.
double moved_within_bounds(const Setup& setup, std::size_t parameter, double from, double to);

// Where a fit with `parameter` fixed at `value` is expected to end: the best fit moved along the profile
// direction, within the bounds. A good start for that fit.
std::vector<double> profile_start(const Setup& setup, const BestFit& best, std::size_t parameter,
                                  double value);

// Flat directions are known only with the covariance.
GoodnessOfFit goodness_of_fit(const Setup& setup, const BestFit& best);

}  // namespace nextstat

// Fits with some parameters held fixed, started from the best fit. Scans, intervals and rankings use them.
//
//   std::vector<ProfilePoint> points = {{.fixed = {{poi, 0.0}}}, {.fixed = {{poi, 1.0}}}};
//   fit_profile(setup, best, points, {}, [&](std::size_t point, Minimum&& minimum) { ... });
//
// A point's result depends on the best fit and that point only, not on the others.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "infer/profile/best_fit.h"

namespace nextstat {

struct ProfilePoint {
  std::vector<FixedParameter> fixed;
  std::vector<double> start = {};  // empty = along the profile direction from the best fit
};

// How many fits were done before, of how many in all.
struct ProfileProgress {
  std::function<void(std::size_t done, std::size_t total)> report = {};
  std::size_t before = 0, total = 0;
};

// All points as one batch (very large ones in parts, to bound the memory); use(point, minimum) is called for
// each in order. PointList that the stop token left undone end as Interrupted.
Result<void> fit_profile(const Setup& setup, const BestFit& best, std::span<const ProfilePoint> points,
                         const ProfileProgress& progress,
                         const std::function<void(std::size_t point, Minimum&& minimum)>& use);

// The deepest minima of many points. Every point has its own starts and begins also at the minima of the
// best fit, moved along the profile direction, and at the minima of its neighbors.
// line: points in a row of the plane, or all. With one start, a point begins at the suggested start only,
// and near the best fit if that does not converge.
Result<void> search_profile(const Setup& setup, const BestFit& best, std::span<const ProfilePoint> points,
                            std::size_t line, const ProfileProgress& progress,
                            const std::function<void(std::size_t point, Basins&& basins)>& use);

// Where a fit with one or two parameters fixed is expected to end (see profile_start in best_fit.h):
//   x = x_hat + C_xs C_ss^-1 (v - v_hat),  C the covariance, s the fixed parameters
// With more than two, only the fixed parameters are moved.
std::vector<double> profile_start(const Setup& setup, const BestFit& best,
                                  std::span<const FixedParameter> fixed);

// The same, seen from another minimum.
std::vector<double> profile_start_near(const Setup& setup, const BestFit& best, const Minimum& other,
                                       std::span<const FixedParameter> fixed);

// Post-fit sigma from the exact Hessian; NaN for parameters that are fixed, at a bound, at a kink or flat.
double postfit_sigma(const BestFit& best, std::size_t parameter);

// For a conditional fit that is a better minimum: the best fit is a local one.
std::string better_minimum_warning(const BestFit& best, const std::string& parameter, double value,
                                   double nll);

}  // namespace nextstat

// Where the profile likelihood of a parameter rises to a level: MINOS errors and profile intervals.
//
//   std::vector<Crossing> wanted = {{poi, Side::Lower, 1.0}, {poi, Side::Upper, 1.0}};
//   Result<std::vector<CrossingResult>> found = find_crossings(setup, best, wanted);
//
// With q(v) = 2 (NLL(v) - NLL_hat), NLL(v) minimized over the other parameters, each round fits one point of
// every crossing that is not found yet, all as one batch. The slope of NLL(v) is its gradient component at
// the conditional minimum (envelope theorem), so f(v) = sqrt(q) - sqrt(level), which is close to a straight
// line, comes with its slope: an inverse cubic through two points meets the root in two or three fits, a
// bracket keeps it safe. A crossing depends on the best fit and itself only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "infer/profile/profile.h"

namespace nextstat {

enum class Side { Lower, Upper };

struct Crossing {
  std::size_t parameter;
  Side side;
  double level;  // of q
};

enum class CrossingStatus {
  Found,
  Bound,         // q stays below the level up to the bound
  NotConverged,  // a fit on the way did not converge, or the budget was spent
  Interrupted,   // the stop token fired
};

struct CrossingResult {
  CrossingStatus status = CrossingStatus::Interrupted;
  double value = 0;                      // of the parameter; NaN unless Found
  std::size_t fits = 0, iterations = 0;  // over all fits
  double lowest_at = 0, lowest_nll = 0;  // the lowest conditional fit
  bool better_minimum = false;           // it went below the best fit by more than rounding
};

// Progress counts crossings.
Result<std::vector<CrossingResult>> find_crossings(const Setup& setup, const BestFit& best,
                                                   std::span<const Crossing> wanted);

// All of a parameter's values where q <= level. Other minima below the level have ranges of their own.
struct ProfileRange {
  std::size_t parameter = 0;
  CrossingResult lower, upper;  // around the deepest minimum
  std::vector<IntervalPart>
      parts;  // of all minima, those that meet joined; empty unless both sides were found
};
Result<std::vector<ProfileRange>> find_ranges(const Setup& setup, const BestFit& best,
                                              std::span<const std::size_t> parameters, double level);

// What a user should know about a crossing; nothing when all is well.
void warn_about_crossing(const Setup& setup, const BestFit& best, const Crossing& wanted,
                         const CrossingResult& found, std::vector<std::string>& warnings);

}  // namespace nextstat

// Where a CLs curve from toys crosses alpha.
//
//   std::vector<CurveSample> samples = ...;                  // tested values with their counts, ascending
//   LimitBracket bracket = find_bracket(samples);            // never lost by what is counted elsewhere
//   std::optional<LimitEstimate> limit = estimate_limit(samples, asymptotic);
//
// CLs falls with mu, so counts that rise are pooled with their neighbors (isotonic regression); the neighbors
// on either side of alpha are the bracket. Close to it, the counted CLs is taken as a straight line in
// u(mu) = log(CLs / alpha) of the asymptotic formula:
//
//   log(CLs / alpha) = r + (1 + s) u,   s = 0 within a spread unless the toys know better
//
// Toys beyond q_obs are Poisson counts around it, so values where none was counted mislead nobody. Toys of
// different values are independent; those of the background are the same at every value, so their errors add
// up as if they were one.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace nextstat {

inline double squared(double x) { return x * x; }

struct AsymptoticSample {
  double mu = 0, u = 0;
};

struct CurveSample {
  double mu = 0, u = 0;         // u: NaN where the asymptotic formula gives none
  double beyond = 0, toys = 0;  // toys of the tested value with q >= q_obs, of how many
  double share = 0;             // CLb alpha: the part of the toys that is beyond where CLs = alpha
  double background_error = 0;  // relative, of CLs
  double background = 0;        // toys of the background

  double exposure() const { return toys * share; }  // toys beyond where CLs = alpha
};

// CLs / alpha of the samples, falling: pooled where the counts rise.
std::vector<double> falling_heights(std::span<const CurveSample> samples);

struct LimitBracket {
  enum class Where { Found, Above, Below } where = Where::Above;  // or the crossing is above or below all
  std::size_t low = 0;                     // the samples low and low + 1 are on its sides
  double height_low = 0, height_high = 0;  // CLs / alpha there
  bool found() const { return where == Where::Found; }
};
LimitBracket find_bracket(std::span<const CurveSample> samples);

struct LimitEstimate {
  double mu = 0, error = 0;
  double per_log = 0;  // by how much mu changes when log CLs changes by 1
  // Parts of the variance of log CLs there; infinite shape: nothing but the bracket is known.
  double tested = 0, background = 0, shape = 0;
  double exposure = 0;  // of the samples at the crossing
};

// `asymptotic`: ascending in mu, at least the values of the samples with a u.
// Empty where there is no bracket.
std::optional<LimitEstimate> estimate_limit(std::span<const CurveSample> samples,
                                            std::span<const AsymptoticSample> asymptotic);

// By a straight line through the ends of the bracket, in log CLs, or in CLs where one is 0.
std::optional<LimitEstimate> interpolated_limit(std::span<const CurveSample> samples);

// The rising values nearest to ones that errors have put out of order: neighbors in the wrong order become
// their weighted mean (pool adjacent violators).
//
//   std::vector<double> rising = rising_means({{sum, weight}, ...});

// A mean, as the sum that it is made of: mean = sum / weight.
struct WeightedSum {
  double sum, weight;
};

// One for each, never falling.
std::vector<double> rising_means(std::span<const WeightedSum> values);

}  // namespace nextstat

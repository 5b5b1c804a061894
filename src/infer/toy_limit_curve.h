// Where a CLs curve that was counted in toys crosses alpha.
//
//   std::vector<CurveSample> samples = ...;                  // tested values with their counts
//   std::optional<LimitEstimate> limit = estimate_limit(samples, asymptotic);
//
// With u(mu) = log(CLs / alpha) of the asymptotic formula, the counted one is taken as a straight line,
// log(CLs / alpha) = r + (1 + s) u, s = 0 +- 0.3 unless the toys know better. Toys beyond q_obs are Poisson
// counts around it, so values where none was counted mislead nobody. Toys of different values are
// independent; those of the background are the same at every value, so their errors add up as if they were
// one.
#pragma once

#include <optional>
#include <span>

namespace nextstat {

struct AsymptoticSample {
  double mu = 0, u = 0;
};

struct CurveSample {
  double mu = 0, u = 0;
  double beyond = 0, toys = 0;  // toys of the tested value with q >= q_obs, of how many
  double share = 0;             // CLb alpha: the part of the toys that is beyond where CLs = alpha
  double background_error = 0;  // relative, of CLs
};

struct LimitEstimate {
  double mu = 0, error = 0;
  double u = 0;  // at the crossing: how far it is from the asymptotic one
  // Parts of the variance of log CLs there.
  double tested = 0, background = 0, shape = 0;
};

// `asymptotic`: ascending in mu, at least the values of the samples. Nothing where the samples lie on one
// side of the crossing, or none of their toys is beyond q_obs.
std::optional<LimitEstimate> estimate_limit(std::span<const CurveSample> samples,
                                            std::span<const AsymptoticSample> asymptotic);

}  // namespace nextstat

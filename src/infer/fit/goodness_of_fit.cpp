#include <nextstat/goodness_of_fit.h>

#include <fmt/format.h>

#include <cmath>

#include "base/try.h"
#include "infer/profile/best_fit.h"

namespace nextstat {

bool GoodnessOfFitResult::complete() const {
  return std::isfinite(goodness.chi2) && std::isfinite(goodness.p_value);
}

Result<GoodnessOfFitResult> goodness_of_fit(const Model& model, const GoodnessOfFitOptions& options) {
  TRY(const FitResult best, fit(model, {.run = options.run}));
  GoodnessOfFitResult result;
  result.goodness = best.goodness_of_fit;
  result.converged = best.converged;
  result.interrupted = best.interrupted;
  result.iterations = best.iterations;
  result.warnings = best.warnings;
  result.search = best.search;
  if (result.goodness.ndof < 1) {
    result.warnings.push_back(fmt::format(
        "no p-value: {} bins and at least as many unconstrained free parameters leave no degrees of freedom",
        model.n_bins()));
  }
  result.device = best.device;
  result.instruction_set = best.instruction_set;
  return result;
}

}  // namespace nextstat

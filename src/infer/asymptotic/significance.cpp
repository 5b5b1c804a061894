#include <nextstat/significance.h>

#include <fmt/format.h>
#include <nextstat/hypotest.h>

#include <cmath>

#include "base/try.h"

namespace nextstat {
namespace {

void warn_about_expected(const Model& model, SignificanceResult& result) {
  if (std::isfinite(result.z_exp)) return;
  const std::string reason =
      std::isinf(result.z_exp)
          ? fmt::format("the background alone cannot produce the data expected at {} = 1", model.poi_name())
      : result.converged ? "there are no data expected at " + model.poi_name() + " = 1"
                         : "it would depend on a fit that did not converge";
  result.warnings.push_back("no expected significance: " + reason);
}

}  // namespace

bool SignificanceResult::complete() const { return std::isfinite(z_obs) && std::isfinite(z_exp); }

Result<SignificanceResult> significance(const Model& model, const SignificanceOptions& options) {
  TRY(const HypotestResult test, hypotest(model, {.run = options.run, .statistic = TestStatistic::Q0}));
  SignificanceResult result;
  result.q0 = test.q_mu;
  result.q0_asimov = test.q_mu_a;
  result.p0 = test.observed.clsb;
  result.p0_exp = test.expected[2].clsb;
  result.z_obs = std::sqrt(test.q_mu);
  result.z_exp = std::sqrt(test.q_mu_a);
  result.mu_hat = test.mu_hat;
  result.converged = test.converged;
  result.interrupted = test.interrupted;
  result.fits = test.fits;
  result.iterations = test.iterations;
  result.warnings = test.warnings;
  result.search = test.search;
  if (!result.interrupted) warn_about_expected(model, result);
  result.device = test.device;
  result.instruction_set = test.instruction_set;
  return result;
}

}  // namespace nextstat

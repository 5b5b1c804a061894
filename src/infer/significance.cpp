#include <nextstat/significance.h>

#include <nextstat/hypotest.h>

#include <cmath>

namespace nextstat {

Result<SignificanceResult> significance(const Model& model, const SignificanceOptions& options) {
  const Result<HypotestResult> test = hypotest(model, {.run = options.run, .statistic = TestStatistic::Q0});
  if (!test) return test.errors();
  SignificanceResult result;
  result.q0 = test->q_mu;
  result.q0_asimov = test->q_mu_a;
  result.p0 = test->observed.clsb;
  result.p0_exp = test->expected[2].clsb;
  result.z_obs = std::sqrt(test->q_mu);
  result.z_exp = std::sqrt(test->q_mu_a);
  result.mu_hat = test->mu_hat;
  result.converged = test->converged;
  result.interrupted = test->interrupted;
  result.fits = test->fits;
  result.iterations = test->iterations;
  result.warnings = test->warnings;
  result.device = test->device;
  result.instruction_set = test->instruction_set;
  return result;
}

}  // namespace nextstat

#include <nextstat/significance_toys.h>

#include <fmt/format.h>

#include <cmath>

#include "base/distributions.h"
#include "base/no_value.h"
#include "base/try.h"

namespace nextstat {
namespace {

constexpr double kBoundLevel = 0.95;

struct Significance {
  double z = kNoValue, error = kNoValue, bound = kNoValue;
};

// Z with p = Phi(-Z): dZ = dp / phi(Z). Of none in n toys: (1 - p)^n = 0.05 at the bound.
Significance significance_of(double p, double error, std::size_t usable) {
  Significance result;
  if (std::isnan(p)) return result;
  if (p >= 0.5) {
    result.z = 0;
  } else if (p > 0) {
    result.z = normal_quantile_of_tail(p);
    result.error = error * std::sqrt(2 * 3.14159265358979323846) * std::exp(result.z * result.z / 2);
  } else {
    const double most = -std::expm1(std::log1p(-kBoundLevel) / static_cast<double>(usable));
    result.bound = normal_quantile_of_tail(std::min(most, 0.5));
  }
  return result;
}

void warn_about_bound(const std::string& which, double q0, double bound, std::size_t usable,
                      std::vector<std::string>& warnings) {
  if (std::isnan(bound)) return;
  std::string needed;
  // Ten toys beyond, if the asymptotic formula holds.
  if (const double p = normal_tail(std::sqrt(q0)); std::isfinite(q0) && p > 0)
    needed = fmt::format(
        "; if q0 = {:.4g} is as far out as the asymptotic formula says, about {:.1g} toys would be needed",
        q0, 10 / p);
  warnings.push_back(
      fmt::format("none of {} toys of the background reaches {}: its Z is larger than {:.3g} at 95% CL{}",
                  usable, which, bound, needed));
}

}  // namespace

Result<SignificanceToysResult> significance_toys(const Model& model, const SignificanceToysOptions& options) {
  RunOptions quiet = options.run;
  quiet.on_progress = {};
  TRY(SignificanceResult asymptotic, significance(model, {.run = quiet}));
  TRY(const HypotestToysResult test,
      hypotest_toys(
          model,
          {.run = options.run, .toys = options.toys, .statistic = TestStatistic::Q0, .expected_set = true}));
  const std::size_t usable = test.n_toys.tested - test.n_error.tested - test.n_nonconverged.tested;
  SignificanceToysResult result;
  result.asymptotic = std::move(asymptotic);
  result.p0 = test.observed.clsb;
  result.p0_error = test.observed.clsb_error;
  const Significance observed = significance_of(result.p0, result.p0_error, usable);
  result.z_obs = observed.z;
  result.z_obs_error = observed.error;
  result.z_obs_bound = observed.bound;
  result.p0_exp = test.expected[2].clsb;
  result.p0_exp_error = test.expected_errors[2].clsb;
  const Significance expected = significance_of(result.p0_exp, result.p0_exp_error, usable);
  result.z_exp = expected.z;
  result.z_exp_error = expected.error;
  result.z_exp_bound = expected.bound;
  result.n_toys = test.n_toys;
  result.n_error = test.n_error;
  result.n_nonconverged = test.n_nonconverged;
  result.seed = test.seed;
  result.interrupted = test.interrupted;
  result.converged = test.converged;
  result.warnings = test.warnings;
  result.search = test.search;
  result.toy_minima = test.toy_minima;
  warn_about_bound("the q0 of the data", result.asymptotic.q0, observed.bound, usable, result.warnings);
  warn_about_bound("the median q0 of toys with signal", result.asymptotic.q0_asimov, expected.bound, usable,
                   result.warnings);
  result.device = test.device;
  result.instruction_set = test.instruction_set;
  return result;
}

}  // namespace nextstat

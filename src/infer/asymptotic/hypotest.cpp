#include <nextstat/hypotest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/asymptotic/asymptotic_test.h"
#include "infer/asymptotic/test_statistic.h"
#include "infer/profile/warnings.h"

namespace nextstat {
namespace {

void warn_about_numbers(const AsymptoticTest& test, HypotestResult& result) {
  const auto& poi = test.poi_name();
  if (std::isinf(result.q_mu)) {
    result.warnings.push_back(fmt::format(
        "with {} = {:.6g} the likelihood is zero where its fit starts: the test statistic is infinite", poi,
        result.mu_test));
  }
  const bool has_cls = result.statistic != TestStatistic::Q0;
  if (has_cls && std::isnan(result.observed.cls) && !std::isnan(result.q_mu) && !std::isnan(result.q_mu_a))
    result.warnings.push_back("CLs is undefined: CLsb and CLb are both zero");
  if (!test.converged() && (std::isnan(result.q_mu) || std::isnan(result.q_mu_a)))
    result.warnings.push_back(fmt::format("{} is not given: it would depend on a fit that did not converge",
                                          has_cls ? "CLs" : "a p-value"));
  if (has_cls) warn_about_bounds(test.setup(), test.poi(), result.mu_test, result.warnings);
}

}  // namespace

HypotestResult hypotest_result(const AsymptoticTest& test, double mu) {
  const TestPoint point = test.at(mu);
  HypotestResult result;
  result.mu_test = mu;
  result.statistic = test.statistic();
  result.q_mu = point.q;
  result.q_mu_a = point.q_asimov;
  result.mu_hat = test.mu_hat();
  result.observed = observed_tails(test.statistic(), point.q, point.q_asimov).probabilities;
  for (std::size_t i = 0; i < kBandSigmas.size(); ++i)
    result.expected[i] = expected_tails(test.statistic(), point.q_asimov, kBandSigmas[i]).probabilities;
  if (test.statistic() == TestStatistic::Q0) {
    result.observed.cls = kNoValue;
    for (TailProbabilities& tails : result.expected) tails.cls = kNoValue;
  }
  result.converged = test.converged();
  result.interrupted = test.interrupted();
  result.fits = test.fits();
  result.iterations = test.iterations();
  result.warnings = test.warnings();
  result.search = test.search();
  if (!result.interrupted) warn_about_numbers(test, result);
  result.device = test.device();
  result.instruction_set = test.instruction_set();
  return result;
}

bool HypotestResult::complete() const {
  const auto exists = [&](const TailProbabilities& tails) {
    return std::isfinite(tails.clsb) && (statistic == TestStatistic::Q0 || std::isfinite(tails.cls));
  };
  return exists(observed) && std::all_of(expected.begin(), expected.end(), exists);
}

Result<HypotestResult> hypotest(const Model& model, const HypotestOptions& options) {
  const double mu = options.statistic == TestStatistic::Q0 ? 0.0 : options.mu;
  if (!std::isfinite(mu))
    return Error{ErrorCode::BadUsage, Field::Mu, "the tested value is not finite", "give a number"};
  TRY(AsymptoticTest test,
      AsymptoticTest::prepare(model, options.run, {options.statistic, options.qtilde_as_pyhf}, kFitsOfATest));
  TRY_DO(test.visit({&mu, 1}));
  return hypotest_result(test, mu);
}

}  // namespace nextstat

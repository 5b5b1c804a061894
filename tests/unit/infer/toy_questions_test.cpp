// Significance, goodness of fit and limits with toys against sums of Poisson probabilities.
#include <gtest/gtest.h>
#include <nextstat/goodness_of_fit_toys.h>
#include <nextstat/significance_toys.h>
#include <nextstat/upper_limit_toys.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "base/distributions.h"
#include "unit/infer/profile_cases.h"
#include "unit/infer/toy_cases.h"

namespace nextstat {
namespace {

using test::poisson_quantile;
using test::poisson_sum;

TEST(SignificanceToys, CountsP0OfACountingExperiment) {
  const SignificanceToysResult result =
      significance_toys(test::counting(10, 50, 62), {.toys = {.n_toys = 20000}}).value();
  const double p0 = poisson_sum(50, [](int n) { return n >= 62; });
  EXPECT_NEAR(result.p0, p0, 3 * result.p0_error);
  EXPECT_NEAR(result.p0_error, std::sqrt(p0 * (1 - p0) / 20000), 2e-4);
  EXPECT_NEAR(result.z_obs, normal_quantile_of_tail(p0), 3 * result.z_obs_error);
  EXPECT_TRUE(std::isnan(result.z_obs_bound));
  EXPECT_EQ(result.n_toys.tested, 20000u);
  EXPECT_EQ(result.n_error.tested + result.n_nonconverged.tested, 0u);
}

TEST(SignificanceToys, ExpectsTheMedianOfToysWithSignal) {
  const SignificanceToysResult result =
      significance_toys(test::counting(10, 50, 50), {.toys = {.n_toys = 20000}}).value();
  const int median = poisson_quantile(60, 0.5);
  const double p0 = poisson_sum(50, [&](int n) { return n >= median; });
  EXPECT_NEAR(result.p0_exp, p0, 3 * result.p0_exp_error);
  EXPECT_NEAR(result.z_exp, normal_quantile_of_tail(p0), 3 * result.z_exp_error);
}

TEST(SignificanceToys, GivesABoundWhereNoToyIsBeyond) {
  const SignificanceToysResult result =
      significance_toys(test::counting(10, 50, 120), {.toys = {.n_toys = 1000}}).value();
  EXPECT_EQ(result.p0, 0);
  EXPECT_TRUE(std::isnan(result.z_obs));
  EXPECT_NEAR(normal_tail(result.z_obs_bound), 1 - std::pow(0.05, 1 / 1000.), 1e-9);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_NE(result.warnings.back().find("none of 1000 toys"), std::string::npos);
}

TEST(SignificanceToys, OfADeficitIsNone) {
  const SignificanceToysResult result =
      significance_toys(test::counting(10, 50, 40), {.toys = {.n_toys = 500}}).value();
  EXPECT_LT(result.asymptotic.mu_hat, 0);
  EXPECT_EQ(result.p0, 1);
  EXPECT_EQ(result.z_obs, 0);
}

// Without background a count cannot come from mu = 0: such toys are beyond any statistic, and not lost.
TEST(SignificanceToys, KeepsToysThatTheBackgroundCannotGive) {
  const SignificanceToysResult result =
      significance_toys(test::counting(3, 0, 0), {.toys = {.n_toys = 1000}}).value();
  EXPECT_EQ(result.n_error.tested + result.n_error.alternative, 0u);
  EXPECT_EQ(result.n_toys.alternative, 1000u);
  EXPECT_EQ(result.p0_exp, 0);  // the median toy with signal has a count, no toy of the background has
}

TEST(GoodnessOfFitToys, CountsTheDeviancesOfABin) {
  const Model model = test::counting(10, 50, 62);
  const auto result =
      goodness_of_fit_toys(model, {.run = {.fixed = {{"mu", 0}}}, .toys = {.n_toys = 20000}}).value();
  const auto chi2 = [](int n) { return 2 * (50 - n + (n > 0 ? n * std::log(n / 50.) : 0)); };
  const double p = poisson_sum(50, [&](int n) { return chi2(n) >= chi2(62) - 1e-9; });
  EXPECT_NEAR(result.data.goodness.chi2, chi2(62), 1e-9);
  EXPECT_NEAR(result.p_value, p, 3 * result.p_value_error);
  EXPECT_EQ(result.n_toys, 20000u);
}

TEST(GoodnessOfFitToys, NeedsNoParameterOfInterest) {
  nlohmann::json document = reference::two_bins_workspace({60, 60});
  document["measurements"][0]["config"]["poi"] = "";
  const auto result = goodness_of_fit_toys(test::model_of(document), {.toys = {.n_toys = 200}}).value();
  EXPECT_GT(result.p_value, 0);
  EXPECT_EQ(result.n_toys, 200u);
}

double exact_limit(double observed, double alpha, double signal = 10, double background = 50) {
  double low = 0, high = 20;
  for (int i = 0; i < 100; ++i) {
    const double mu = (low + high) / 2;
    const auto below = [&](int n) { return n <= observed; };
    const double cls = poisson_sum(background + signal * mu, below) / poisson_sum(background, below);
    (cls > alpha ? low : high) = mu;
  }
  return low;
}

// q falls with the count, so CLs = P(n <= n_obs | s + b) / P(n <= n_obs | b).
TEST(UpperLimitToys, AreTheExactOnesOfACountingExperimentWithinTheirErrors) {
  for (const double observed : {40., 55., 70.}) {
    const UpperLimitToysResult result =
        upper_limit_toys(test::counting(10, 50, observed, 0), {.error = 0.02}).value();
    EXPECT_TRUE(result.converged);
    EXPECT_TRUE(result.error_reached);
    EXPECT_LE(result.observed_error, 0.02 * result.observed);
    EXPECT_NEAR(result.observed, exact_limit(observed, 0.05), 3 * result.observed_error) << observed;
    for (std::size_t i = 0; i < 5; ++i) {
      const int n = poisson_quantile(50, normal_tail(-kBandSigmas[i]));
      EXPECT_NEAR(result.expected[i], exact_limit(n, 0.05), 3.5 * result.expected_errors[i]) << i;
    }
    EXPECT_LE(result.n_toys, 200000u);
  }
}

// A strong signal, next to no background, few counts: CLs between 1 and 0 within one step of the formula,
// and bands that coincide.
TEST(UpperLimitToys, AreFoundAndHaveHonestErrorsWhereTheFormulaIsNoGuide) {
  struct Case {
    double signal, background, observed;
  };
  for (const Case& at : {Case{100, 100, 200}, Case{3, 0.5, 5}, Case{1, 3, 4}}) {
    double sum = 0, squares = 0;
    constexpr int kSeeds = 10, kPulls = 6 * kSeeds;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      UpperLimitToysOptions options;
      options.toys.seed = static_cast<std::uint64_t>(seed);
      const UpperLimitToysResult result =
          upper_limit_toys(test::counting(at.signal, at.background, at.observed, 0), options).value();
      EXPECT_TRUE(result.converged);
      EXPECT_TRUE(std::is_sorted(result.expected.begin(), result.expected.end()));
      const auto add = [&](double limit, double error, double observed) {
        const double pull = (limit - exact_limit(observed, 0.05, at.signal, at.background)) / error;
        ASSERT_TRUE(std::isfinite(pull)) << at.signal << " " << seed;
        sum += pull;
        squares += pull * pull;
      };
      add(result.observed, result.observed_error, at.observed);
      for (std::size_t i = 0; i < 5; ++i)
        add(result.expected[i], result.expected_errors[i],
            poisson_quantile(at.background, normal_tail(-kBandSigmas[i])));
    }
    EXPECT_LT(std::abs(sum / kPulls), 0.4) << at.signal;
    EXPECT_GT(std::sqrt(squares / kPulls), 0.7) << at.signal;
    EXPECT_LT(std::sqrt(squares / kPulls), 1.4) << at.signal;
  }
}

TEST(UpperLimitToys, ScanFindsEveryCrossingBetweenItsValues) {
  const UpperLimitToysResult result =
      upper_limit_toys(test::counting(100, 100, 200, 0), {.toys = {.n_toys = 200}, .scan = {0, 1, 2}})
          .value();
  EXPECT_TRUE(result.converged);
  EXPECT_GT(result.observed, 1);
  EXPECT_LT(result.observed, 2);
  for (const double limit : result.expected) {
    EXPECT_GT(limit, 0);
    EXPECT_LT(limit, 1);
  }
}

TEST(UpperLimitToys, SayThatTheErrorWasNotReached) {
  const UpperLimitToysResult result =
      upper_limit_toys(test::counting(10, 50, 55, 0), {.error = 0.001, .max_toys = 5000}).value();
  EXPECT_FALSE(result.error_reached);
  EXPECT_FALSE(result.converged);
  EXPECT_LE(result.n_toys, 5000u);
  EXPECT_GT(result.observed_error, 0.001 * result.observed);
  EXPECT_NEAR(result.observed, exact_limit(55, 0.05), 3 * result.observed_error);
}

TEST(UpperLimitToys, ScanTestsExactlyTheValuesAskedFor) {
  const UpperLimitToysResult result =
      upper_limit_toys(test::counting(10, 50, 55, 0), {.toys = {.n_toys = 2000}, .scan = {1, 2, 3}}).value();
  ASSERT_EQ(result.points.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const CLsToysPoint& point = result.points[i];
    EXPECT_EQ(point.mu, 1.0 + static_cast<double>(i));
    EXPECT_EQ(point.n_toys.tested, 2000u);
    EXPECT_EQ(point.n_toys.alternative, 2000u);
    const auto below = [](int n) { return n <= 55; };
    const double exact = poisson_sum(50 + 10 * point.mu, below) / poisson_sum(50, below);
    EXPECT_NEAR(point.observed, exact, 3 * point.observed_error);
  }
  EXPECT_NEAR(result.observed, exact_limit(55, 0.05), 3 * result.observed_error);
}

TEST(UpperLimitToys, KeepWhatIsFinishedWhenInterrupted) {
  std::stop_source stop;
  UpperLimitToysOptions options{.toys = {.n_toys = 300, .batch = 100}, .error = 0.001};
  options.run.stop = stop.get_token();
  std::size_t calls = 0, done_then = 0;
  options.run.on_progress = [&](std::size_t done, std::size_t) {
    done_then = done;
    if (++calls == 60) stop.request_stop();
  };
  const UpperLimitToysResult result = upper_limit_toys(test::counting(10, 50, 55, 0), options).value();
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(calls, 60u);
  EXPECT_EQ(result.n_toys, done_then);
  EXPECT_TRUE(std::isfinite(result.observed));
}

TEST(UpperLimitToys, SpendTheSameToysForAnyThreadsAndBatch) {
  const Model model = test::two_bins({55, 60});
  UpperLimitToysOptions options{.toys = {.n_toys = 300, .batch = 1000}, .error = 0.05};
  options.run.threads = 1;
  const UpperLimitToysResult one = upper_limit_toys(model, options).value();
  options.run.threads = 2;
  options.toys.batch = 37;
  const UpperLimitToysResult other = upper_limit_toys(model, options).value();
  EXPECT_EQ(one.observed, other.observed);
  EXPECT_EQ(one.expected, other.expected);
  EXPECT_EQ(one.n_toys, other.n_toys);
  ASSERT_EQ(one.points.size(), other.points.size());
  for (std::size_t i = 0; i < one.points.size(); ++i)
    EXPECT_EQ(one.points[i].observed, other.points[i].observed);
}

TEST(UpperLimitToys, RefuseWhatMakesNoSense) {
  const Model model = test::counting(10, 50, 55, 0);
  EXPECT_FALSE(upper_limit_toys(model, {.error = 0}));
  EXPECT_FALSE(upper_limit_toys(model, {.confidence_level = 1}));
  EXPECT_FALSE(upper_limit_toys(model, {.toys = {.n_toys = 0}}));
  EXPECT_FALSE(upper_limit_toys(model, {.max_toys = 100}));
  EXPECT_FALSE(upper_limit_toys(model, {.run = {.fixed = {{"mu", 1}}}}));
}

}  // namespace
}  // namespace nextstat

// Tests, limits and significances of small models, and the hard cases.
#include <gtest/gtest.h>
#include <nextstat/goodness_of_fit.h>
#include <nextstat/hypotest.h>
#include <nextstat/scan.h>
#include <nextstat/significance.h>
#include <nextstat/upper_limit.h>

#include <cmath>
#include <stop_token>

#include "base/distributions.h"
#include "infer/asymptotic/test_statistic.h"
#include "mentions.h"
#include "unit/infer/profile_cases.h"

namespace nextstat {
namespace {

using test::counting;
using test::direct_fit;
using test::json;
using test::mentions;
using test::two_bins;

// 2 NLL of one bin up to constants.
double twice_nll(double nu, double n) { return 2 * (nu - (n > 0 ? n * std::log(nu) : 0.0)); }

TEST(Hypotest, IsTheAnalyticOneOfACountingExperiment) {
  const Model model = counting(10, 50, 57);  // mu_hat = 0.7; Asimov data 50
  const HypotestResult result = hypotest(model, {.mu = 2}).value();
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.mu_hat, 0.7, 1e-8);
  EXPECT_NEAR(result.q_mu, twice_nll(70, 57) - twice_nll(57, 57), 1e-11);
  EXPECT_NEAR(result.q_mu_a, twice_nll(70, 50) - twice_nll(50, 50), 1e-11);
  const double s = std::sqrt(result.q_mu), a = std::sqrt(result.q_mu_a);
  EXPECT_NEAR(result.observed.clsb, normal_tail(s), 1e-14);
  EXPECT_NEAR(result.observed.cls, normal_tail(s) / normal_tail(s - a), 1e-14);
}

// likelihood of the known two-bin model, mu bounded at 0 and not.
TEST(Hypotest, QtildeComparesWithZeroWhereTheBestFitIsNegative) {
  const Model bounded = two_bins({51, 48}, 0, 10), open = two_bins({51, 48}, -10, 10);
  const double qtilde = hypotest(bounded, {.mu = 1}).value().q_mu;
  EXPECT_NEAR(qtilde, 3.9382449334, 1e-9);
  const HypotestResult own = hypotest(open, {.mu = 1}).value();
  EXPECT_NEAR(own.mu_hat, -0.06687000, 1e-7);
  EXPECT_NEAR(own.q_mu, qtilde, 1e-9);
  const HypotestResult as_pyhf = hypotest(open, {.mu = 1, .qtilde_as_pyhf = true}).value();
  EXPECT_NEAR(as_pyhf.q_mu, 3.9549892296, 1e-9);
  EXPECT_TRUE(mentions(as_pyhf.warnings, "as in pyhf"));
  EXPECT_NEAR(hypotest(open, {.mu = 1, .statistic = TestStatistic::Q}).value().q_mu, 3.9549892296, 1e-9);
  EXPECT_NEAR(hypotest(open, {.mu = 1, .statistic = TestStatistic::T}).value().q_mu, 3.9549892296, 1e-9);
  EXPECT_NEAR(hypotest(open, {.mu = 1, .statistic = TestStatistic::Ttilde}).value().q_mu, qtilde, 1e-9);
}

TEST(Hypotest, TestsValuesOutsideTheBoundsAndSaysSo) {
  const HypotestResult result = hypotest(two_bins({51, 48}, 0, 3), {.mu = 5}).value();
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.q_mu, hypotest(two_bins({51, 48}, 0, 10), {.mu = 5}).value().q_mu, 1e-9);
  EXPECT_TRUE(mentions(result.warnings, "outside its bounds"));
}

TEST(Hypotest, AllObservationsZero) {
  const HypotestResult result = hypotest(two_bins({0, 0}), {.mu = 1}).value();
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.mu_hat, 0);
  EXPECT_NEAR(result.q_mu, 46.0, 1e-6);  // 2 (12 + 11): the background's part cancels
  // The Asimov data are what the fit at 0 expects: gammas below 1, so rates between 0 and the background's.
  EXPECT_GT(result.q_mu_a, 1);
  EXPECT_LT(result.q_mu_a, result.q_mu);
  const double a = std::sqrt(result.q_mu_a);  // q > q_asimov: the second formula of qtilde
  const double x_sb = (result.q_mu + a * a) / (2 * a), x_b = (result.q_mu - a * a) / (2 * a);
  EXPECT_NEAR(result.observed.cls / (normal_tail(x_sb) / normal_tail(x_b)), 1, 1e-9);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(result.expected[i].cls, normal_tail(a - kBandSigmas[i]) / normal_tail(-kBandSigmas[i]),
                1e-12);
}

// Without background, mu = 0 cannot give the data: the statistic of discovery is infinite.
TEST(Hypotest, AnInfiniteStatisticIsNoNumberAndAWarning) {
  const Model model = counting(10, 0, 7, 0);
  const HypotestResult result = hypotest(model, {.statistic = TestStatistic::Q0}).value();
  EXPECT_TRUE(std::isinf(result.q_mu));
  EXPECT_EQ(result.observed.clsb, 0);
  EXPECT_TRUE(std::isnan(result.observed.cls));
  EXPECT_TRUE(mentions(result.warnings, "the test statistic is infinite"));
  // Limits need the fit at mu = 0 for their Asimov data.
  const HypotestResult limit = hypotest(model, {.mu = 2}).value();
  EXPECT_TRUE(std::isnan(limit.observed.cls));
  EXPECT_TRUE(mentions(limit.warnings, "no Asimov data"));
  EXPECT_TRUE(mentions(limit.warnings, "channel[0] (observed 7, expected 0)"));
  EXPECT_TRUE(std::isnan(upper_limit(model).value().observed));
}

TEST(Hypotest, APoiThatIsMissingOrFixedIsAnErrorThatSaysSo) {
  json document = reference::two_bins_workspace({51, 48});
  document["measurements"][0]["config"]["poi"] = "";
  const auto none = hypotest(test::model_of(document));
  ASSERT_FALSE(none);
  EXPECT_NE(none.errors()[0].what.find("no parameter of interest"), std::string::npos);
  document["measurements"][0]["config"]["poi"] = "absent";
  const auto absent = upper_limit(test::model_of(document));
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.errors()[0].what.find("\"absent\" is not in the model"), std::string::npos);
  document["measurements"][0]["config"] = {{"poi", "mu"},
                                           {"parameters", {{{"name", "mu"}, {"fixed", true}}}}};
  const auto fixed = significance(test::model_of(document));
  ASSERT_FALSE(fixed);
  EXPECT_NE(fixed.errors()[0].what.find("\"mu\" is fixed"), std::string::npos);
  const auto by_option = hypotest(two_bins({51, 48}), {.run = {.fixed = {{"mu", 1.0}}}});
  ASSERT_FALSE(by_option);
  EXPECT_NE(by_option.errors()[0].what.find("\"mu\" is fixed"), std::string::npos);
}

TEST(Hypotest, StopsWhenAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  const HypotestResult result = hypotest(two_bins({51, 48}), {.run = {.stop = stop.get_token()}}).value();
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.converged);
  const UpperLimitResult limit = upper_limit(two_bins({51, 48}), {.run = {.stop = stop.get_token()}}).value();
  EXPECT_TRUE(limit.interrupted);
  EXPECT_TRUE(std::isnan(limit.observed));
}

TEST(Hypotest, SameBitsForAnyNumberOfThreads) {
  const Model model = test::all_modifiers();
  const HypotestResult one = hypotest(model, {.run = {.threads = 1}}).value();
  const HypotestResult two = hypotest(model, {.run = {.threads = 2}}).value();
  EXPECT_EQ(one.q_mu, two.q_mu);
  EXPECT_EQ(one.q_mu_a, two.q_mu_a);
  EXPECT_EQ(upper_limit(model, {.run = {.threads = 1}}).value().expected,
            upper_limit(model, {.run = {.threads = 2}}).value().expected);
}

TEST(Significance, OfACountingExperiment) {
  const SignificanceResult result = significance(counting(10, 50, 75)).value();
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.q0, twice_nll(50, 75) - twice_nll(75, 75), 1e-11);
  EXPECT_NEAR(result.q0_asimov, twice_nll(50, 60) - twice_nll(60, 60), 1e-11);
  EXPECT_NEAR(result.z_obs, std::sqrt(result.q0), 1e-15);
  EXPECT_NEAR(result.p0, normal_tail(result.z_obs), 1e-16);
  EXPECT_NEAR(result.mu_hat, 2.5, 1e-8);
}

TEST(Significance, ADeficitHasNone) {
  for (const double low : {0.0, -4.0}) {
    const SignificanceResult result = significance(counting(10, 50, 35, low)).value();
    EXPECT_EQ(result.q0, 0);
    EXPECT_EQ(result.z_obs, 0);
    EXPECT_EQ(result.p0, 0.5);
    EXPECT_GT(result.z_exp, 1);
  }
}

// The fit that gives the Asimov data, mu = 1, lies outside the bounds: the free fit is then a fit of its own.
TEST(Significance, AsimovDataOutsideTheBoundsAreFitted) {
  const Model model = two_bins({60, 65}, 0, 0.5), wide = two_bins({60, 65}, 0, 10);
  const SignificanceResult narrow = significance(model, {.run = {.init = {{"mu", 0.3}}}}).value();
  EXPECT_TRUE(narrow.converged);
  EXPECT_LT(narrow.q0_asimov, significance(wide).value().q0_asimov);
  EXPECT_GT(narrow.q0_asimov, 0);
}

TEST(UpperLimit, CLsAtTheLimitIsAlpha) {
  const Model model = two_bins({51, 48});
  for (const double level : {0.9, 0.95, 0.99}) {
    const UpperLimitResult result = upper_limit(model, {.confidence_level = level, .rtol = 1e-8}).value();
    EXPECT_TRUE(result.converged);
    EXPECT_NEAR(hypotest(model, {.mu = result.observed}).value().observed.cls, 1 - level, 1e-8);
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(hypotest(model, {.mu = result.expected[i]}).value().expected[i].cls, 1 - level, 1e-8);
    EXPECT_LT(result.bracket[0], result.observed);
    EXPECT_GE(result.bracket[1], result.observed);
  }
}

TEST(UpperLimit, FindsWhatTheGridFinds) {
  const Model model = two_bins({51, 48});
  const UpperLimitResult grid = upper_limit(model, {.scan = even_spacing(0, 5, 1001)}).value();
  const UpperLimitResult search = upper_limit(model).value();
  EXPECT_EQ(grid.points.size(), 1001u);
  EXPECT_NEAR(grid.observed, search.observed, 2e-5);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(grid.expected[i], search.expected[i], 2e-5);
}

TEST(UpperLimit, GoesBeyondTheBoundAndSaysSo) {
  const UpperLimitResult wide = upper_limit(two_bins({51, 48}, 0, 10)).value();
  const UpperLimitResult narrow = upper_limit(two_bins({51, 48}, 0, 1)).value();
  EXPECT_TRUE(narrow.converged);
  EXPECT_NEAR(narrow.observed, wide.observed, 1e-7);
  EXPECT_TRUE(mentions(narrow.warnings, "beyond the upper bound 1 of mu: observed limit"));
  // A weak signal: the limit lies far beyond.
  const UpperLimitResult weak = upper_limit(counting(0.01, 50, 50, 0)).value();
  EXPECT_TRUE(weak.converged);
  EXPECT_GT(weak.observed, 1000);
  EXPECT_NEAR(weak.observed / (upper_limit(counting(10, 50, 50, 0)).value().observed * 1000), 1, 1e-7);
}

TEST(UpperLimit, OfAStrongSignalIsSmall) {
  const UpperLimitResult strong = upper_limit(counting(1e7, 50, 50, 0)).value();
  EXPECT_TRUE(strong.converged);
  EXPECT_NEAR(strong.observed / (upper_limit(counting(10, 50, 50, 0)).value().observed * 1e-6), 1, 1e-7);
}

TEST(UpperLimit, WithoutSensitivityThereIsNone) {
  const UpperLimitResult result = upper_limit(counting(0, 50, 50, 0)).value();
  EXPECT_TRUE(std::isnan(result.observed));
  for (const double limit : result.expected) EXPECT_TRUE(std::isnan(limit));
  EXPECT_TRUE(
      mentions(result.warnings, "no observed limit and no expected limits: CLs does not fall to 0.05"));
}

TEST(UpperLimit, OfAnExcessLiesAboveTheBestFit) {
  const UpperLimitResult result = upper_limit(counting(10, 50, 110, 0)).value();  // 6 signals seen
  EXPECT_NEAR(result.mu_hat, 6, 1e-7);
  EXPECT_GT(result.observed, 6);
  EXPECT_LT(result.expected[4], 6);
  // The known likelihood: CLs at the limit, and no other value below the best fit is one.
  const double mu = result.observed, nu = 50 + 10 * mu;
  const double s = std::sqrt(twice_nll(nu, 110) - twice_nll(110, 110));
  const double a = std::sqrt(twice_nll(nu, 50) - twice_nll(50, 50));
  EXPECT_NEAR(normal_tail(s) / normal_tail(s - a), 0.05, 1e-5);
  for (const CLsPoint& point : result.points) {
    if (point.mu < result.mu_hat) {
      EXPECT_GE(point.observed, 0.5) << point.mu;
    }
  }
}

TEST(UpperLimit, AllObservationsZero) {
  const UpperLimitResult result = upper_limit(two_bins({0, 0})).value();
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(hypotest(two_bins({0, 0}), {.mu = result.observed}).value().observed.cls, 0.05, 1e-7);
}

TEST(UpperLimit, AGridThatDoesNotReachItHasNone) {
  const UpperLimitResult result = upper_limit(two_bins({51, 48}), {.scan = even_spacing(0, 0.7, 8)}).value();
  EXPECT_TRUE(std::isnan(result.observed));
  EXPECT_FALSE(std::isnan(result.expected[0]));
  EXPECT_TRUE(mentions(result.warnings, "does not cross 0.05 between mu = 0 and 0.7"));
}

TEST(UpperLimit, RefusesSenselessOptions) {
  const Model model = two_bins({51, 48});
  EXPECT_FALSE(upper_limit(model, {.confidence_level = 95}));
  EXPECT_FALSE(upper_limit(model, {.statistic = TestStatistic::Q0}));
  EXPECT_FALSE(upper_limit(model, {.rtol = 0}));
  EXPECT_FALSE(upper_limit(model, {.scan = {1, 0}}));
}

TEST(GoodnessOfFit, IsChiSquareOfTheSaturatedModel) {
  const GoodnessOfFitResult result = goodness_of_fit(counting(10, 50, 80)).value();
  EXPECT_NEAR(result.goodness.chi2, 0, 1e-10);
  EXPECT_EQ(result.goodness.ndof, 0);
  EXPECT_TRUE(mentions(result.warnings, "no p-value"));
  const Model model = two_bins({51, 48});
  const GoodnessOfFitResult two = goodness_of_fit(model).value();
  EXPECT_EQ(two.goodness.ndof, 1);
  EXPECT_NEAR(two.goodness.nll_fit, direct_fit(model).nll, 1e-11);
  EXPECT_NEAR(two.goodness.chi2, 2 * (two.goodness.nll_fit - two.goodness.nll_saturated), 1e-12);
  EXPECT_NEAR(two.goodness.p_value, 2 * normal_tail(std::sqrt(two.goodness.chi2)), 1e-12);
}

}  // namespace
}  // namespace nextstat

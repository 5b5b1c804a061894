// Tail probabilities against the formulae, and the behavior where numbers end.
#include "infer/asymptotic/test_statistic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/distributions.h"
#include "infer/asymptotic/root_search.h"

namespace nextstat {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Phi(-5), Phi(-9) as published in pyhf's tests; log Phi(-40) from a 50-digit computation.
TEST(Distributions, NormalTailIsGoodFarOut) {
  EXPECT_NEAR(normal_tail(5) / 2.866515718791945e-7, 1, 1e-13);
  EXPECT_NEAR(normal_tail(9) / 1.1285884059538408e-19, 1, 1e-13);
  EXPECT_NEAR(log_normal_tail(40), -804.60844201375379, 1e-11);
  EXPECT_NEAR(log_normal_tail(30 - 1e-9), log_normal_tail(30 + 1e-9), 1e-7);
  EXPECT_EQ(log_normal_tail(-kInfinity), 0);
  EXPECT_EQ(log_normal_tail(kInfinity), -kInfinity);
}

TEST(TestStatistic, FollowsItsDefinition) {
  const TestNlls above{.mu = 1, .mu_hat = 2, .at_mu = 11, .free = 10, .at_zero = 13};
  EXPECT_EQ(test_statistic(TestStatistic::Q, above), 0);
  EXPECT_EQ(test_statistic(TestStatistic::Qtilde, above), 0);
  EXPECT_EQ(test_statistic(TestStatistic::T, above), 2);
  EXPECT_EQ(test_statistic(TestStatistic::Ttilde, above), 2);
  const TestNlls negative{.mu = 1, .mu_hat = -1, .at_mu = 14, .free = 10, .at_zero = 11};
  EXPECT_EQ(test_statistic(TestStatistic::Q, negative), 8);
  EXPECT_EQ(test_statistic(TestStatistic::Qtilde, negative), 6);
  EXPECT_EQ(test_statistic(TestStatistic::T, negative), 8);
  EXPECT_EQ(test_statistic(TestStatistic::Ttilde, negative), 6);
  EXPECT_EQ(test_statistic(TestStatistic::Q0, {.mu = 0, .mu_hat = -1, .at_mu = 11, .free = 10}), 0);
  EXPECT_EQ(test_statistic(TestStatistic::Q0, {.mu = 0, .mu_hat = 1, .at_mu = 11, .free = 10}), 2);
}

// Rounding of two NLLs that agree must not give a negative q.
TEST(TestStatistic, IsNeverNegative) {
  EXPECT_EQ(test_statistic(TestStatistic::Q, {.mu = 1, .mu_hat = 1, .at_mu = 10 - 1e-14, .free = 10}), 0);
}

TEST(Asymptotics, TheMedianOfTheAsimovDataIsItself) {
  for (const TestStatistic statistic : {TestStatistic::Q, TestStatistic::Qtilde}) {
    const TailProbabilities observed = observed_tails(statistic, 4.0, 4.0).probabilities;
    const TailProbabilities median = expected_tails(statistic, 4.0, 0).probabilities;
    EXPECT_NEAR(observed.cls, median.cls, 1e-16);
    EXPECT_NEAR(observed.cls, normal_tail(2) / 0.5, 1e-16);
  }
}

TEST(Asymptotics, QtildeIsContinuousWhereItsFormulaChanges) {
  for (const TestStatistic statistic : {TestStatistic::Qtilde, TestStatistic::Ttilde}) {
    const TailProbabilities below = observed_tails(statistic, 4.0, 4.0).probabilities;
    const TailProbabilities above = observed_tails(statistic, 4.0 + 1e-12, 4.0).probabilities;
    EXPECT_NEAR(below.clsb, above.clsb, 1e-12);
    EXPECT_NEAR(below.clb, above.clb, 1e-12);
  }
}

// Draws mu_hat from its normal distribution on a grid, computes t, and counts how much lies above.
TEST(Asymptotics, TwoSidedTailsAreThoseOfANormalEstimate) {
  const double mu = 1.7;  // in units of sigma, so q_asimov = mu^2
  for (const TestStatistic statistic : {TestStatistic::T, TestStatistic::Ttilde}) {
    for (const double t_observed : {0.3, 2.0, 4.5}) {
      double clsb = 0, clb = 0;
      const double step = 1e-4;
      for (double mu_hat = -12; mu_hat < 14; mu_hat += step) {
        const bool tilde = statistic == TestStatistic::Ttilde && mu_hat < 0;
        const double t = tilde ? mu * mu - 2 * mu * mu_hat : (mu - mu_hat) * (mu - mu_hat);
        if (t < t_observed) continue;
        const auto density = [&](double z) { return std::exp(-z * z / 2) / std::sqrt(2 * M_PI); };
        clsb += density(mu_hat - mu) * step;
        clb += density(mu_hat) * step;
      }
      const TailProbabilities tails = observed_tails(statistic, t_observed, mu * mu).probabilities;
      EXPECT_NEAR(tails.clsb, clsb, 1e-4);
      EXPECT_NEAR(tails.clb, clb, 1e-4);
    }
    for (const double n : kBandSigmas)
      EXPECT_NEAR(expected_tails(statistic, mu * mu, n).probabilities.clb, normal_tail(-n), 1e-12);
  }
}

TEST(Asymptotics, BandsAscend) {
  for (const TestStatistic statistic :
       {TestStatistic::Q, TestStatistic::Qtilde, TestStatistic::T, TestStatistic::Ttilde}) {
    for (std::size_t i = 1; i < kBandSigmas.size(); ++i) {
      EXPECT_LT(expected_tails(statistic, 3.0, kBandSigmas[i - 1]).probabilities.cls,
                expected_tails(statistic, 3.0, kBandSigmas[i]).probabilities.cls);
    }
  }
}

TEST(Asymptotics, WithoutSensitivityNothingIsExcluded) {
  for (const TestStatistic statistic :
       {TestStatistic::Q, TestStatistic::Qtilde, TestStatistic::T, TestStatistic::Ttilde}) {
    EXPECT_DOUBLE_EQ(observed_tails(statistic, 0, 0).probabilities.cls, 1);
    EXPECT_DOUBLE_EQ(observed_tails(statistic, 2.0, 0).probabilities.cls, 1);
  }
}

// Both tails are zero in doubles, their ratio is not.
TEST(Asymptotics, CLsExistsWhereBothTailsUnderflow) {
  const Tails tails = observed_tails(TestStatistic::Q, 1600, 1);
  EXPECT_EQ(tails.probabilities.clsb, 0);
  EXPECT_GT(tails.probabilities.cls, 0);
  EXPECT_NEAR(tails.log_cls, log_normal_tail(40) - log_normal_tail(39), 1e-12);
}

TEST(Asymptotics, AnInfiniteTestStatisticHasNoCLs) {
  const TailProbabilities tails = observed_tails(TestStatistic::Qtilde, kInfinity, 4.0).probabilities;
  EXPECT_EQ(tails.clsb, 0);
  EXPECT_EQ(tails.clb, 0);
  EXPECT_TRUE(std::isnan(tails.cls));
  EXPECT_EQ(expected_tails(TestStatistic::Qtilde, kInfinity, 0).probabilities.cls, 0);
}

TEST(Asymptotics, SensitivityAtTheLimitGivesAlpha) {
  for (const double alpha : {0.05, 0.32, 0.9}) {
    for (const double n : kBandSigmas) {
      const double a = sensitivity_at_limit(alpha, n);
      EXPECT_GT(a, 0);
      EXPECT_NEAR(expected_tails(TestStatistic::Q, a * a, n).probabilities.cls, alpha, 1e-13);
    }
  }
}

// --- root search

struct Sought {
  double root;
  int calls;
};

template <class F, class D>
Sought find(const F& f, const D& slope, double rtol, double first = 1, double highest = 1e12) {
  RootSearch search(rtol, first, highest);
  search.add({0, f(0.0), std::numeric_limits<double>::quiet_NaN()});
  int calls = 0;
  while (const std::optional<double> mu = search.next()) {
    search.add({*mu, f(*mu), slope(*mu)});
    if (++calls > 200) break;
  }
  return {search.root(), calls};
}

TEST(RootSearch, FindsRootsOfAnySizeToTheAskedPrecision) {
  for (const double root : {1e-6, 0.3, 2.0, 7e5}) {
    const auto f = [&](double mu) { return std::log(20.0) * (1 - mu * mu / (root * root)); };
    const auto slope = [&](double mu) { return -2 * std::log(20.0) * mu / (root * root); };
    for (const double rtol : {1e-4, 1e-10}) {
      const Sought found = find(f, slope, rtol);
      EXPECT_NEAR(found.root / root, 1, rtol) << root;
      EXPECT_LT(found.calls, 25) << root;
    }
  }
}

TEST(RootSearch, DoesNotNeedSlopes) {
  const auto f = [](double mu) { return 3 - std::sqrt(mu); };
  const auto none = [](double) { return std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_NEAR(find(f, none, 1e-8).root, 9, 1e-6);
}

TEST(RootSearch, EndsAtAJump) {
  const auto f = [](double mu) { return mu < 2.5 ? 1 - 0.1 * mu : -kInfinity; };
  const auto slope = [](double mu) { return mu < 2.5 ? -0.1 : std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_NEAR(find(f, slope, 1e-6).root, 2.5, 1e-5);
}

TEST(RootSearch, GivesUpWhereThereIsNone) {
  const Sought found = find([](double) { return 1.0; }, [](double) { return 0.0; }, 1e-4);
  EXPECT_TRUE(std::isnan(found.root));
  EXPECT_LT(found.calls, 20);
}

}  // namespace
}  // namespace nextstat

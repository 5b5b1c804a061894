// The crossing of a CLs curve from toys.
#include "infer/toys/toy_limit_curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace nextstat {
namespace {

constexpr double kAlpha = 0.05;

// log(2 Phi(-mu) / alpha): the median expected CLs for a signal of one sigma.
double median_u(double mu) { return std::log(std::erfc(mu / std::sqrt(2.0)) / kAlpha); }

std::vector<AsymptoticSample> curve() {
  std::vector<AsymptoticSample> all;
  for (double mu = 0.5; mu < 4; mu += 0.02) all.push_back({mu, median_u(mu)});
  return all;
}

// CLs is `ratio` times the asymptotic one.
std::vector<CurveSample> samples(double ratio, double toys, const std::vector<double>& mus) {
  std::vector<CurveSample> all;
  for (const double mu : mus) {
    const double cls = ratio * kAlpha * std::exp(median_u(mu));
    all.push_back({mu, median_u(mu), 0.5 * cls * toys, toys, 0.5 * kAlpha, 0});
  }
  return all;
}

TEST(ToyLimitCurve, OfTheAsymptoticDistributionIsTheAsymptoticLimit) {
  const LimitEstimate limit = estimate_limit(samples(1, 10000, {1.6, 1.9, 2.4, 3}), curve()).value();
  EXPECT_NEAR(limit.mu, 1.959964, 1e-4);
}

TEST(ToyLimitCurve, OfAnotherDistributionIsWhereItsCLsIsAlpha) {
  for (const double ratio : {0.7, 1.5}) {
    const LimitEstimate limit = estimate_limit(samples(ratio, 1e6, {1.4, 1.7, 2, 2.3, 2.6}), curve()).value();
    EXPECT_NEAR(ratio * std::erfc(limit.mu / std::sqrt(2.0)), kAlpha, 2e-4) << ratio;
  }
}

TEST(ToyLimitCurve, ErrorIsTheSpreadOfRepeatedMeasurements) {
  std::mt19937 random(1);
  double sum = 0, squares = 0, error = 0;
  constexpr int kRepeats = 2000;
  for (int i = 0; i < kRepeats; ++i) {
    std::vector<CurveSample> counted = samples(1, 2000, {1.5, 1.96, 2.1, 3});
    for (CurveSample& sample : counted) {
      std::binomial_distribution<int> count(2000, sample.beyond / sample.toys);
      sample.beyond = count(random);
    }
    const LimitEstimate limit = estimate_limit(counted, curve()).value();
    sum += limit.mu;
    squares += limit.mu * limit.mu;
    error += limit.error / kRepeats;
  }
  const double mean = sum / kRepeats, spread = std::sqrt(squares / kRepeats - mean * mean);
  EXPECT_NEAR(mean, 1.959964, 0.1 * spread);
  // What the curve may be off a straight line is in the error and not in the spread.
  EXPECT_GT(error / spread, 0.98);
  EXPECT_LT(error / spread, 1.15);
}

TEST(ToyLimitCurve, ValuesWithoutAToyBeyondDoNotDrawTheLimit) {
  std::vector<CurveSample> counted = samples(1, 1000, {1.5, 1.9, 2.1});
  const LimitEstimate before = estimate_limit(counted, curve()).value();
  for (const double mu : {3.4, 3.6, 3.8}) {
    CurveSample far = samples(1, 1000, {mu}).front();
    far.beyond = 0;
    counted.push_back(far);
  }
  EXPECT_NEAR(estimate_limit(counted, curve())->mu, before.mu, 0.3 * before.error);
}

TEST(ToyLimitCurve, ErrorsOfTheBackgroundDoNotAverageOut) {
  std::vector<CurveSample> counted = samples(1, 1e8, {1.92, 1.94, 1.96, 1.98, 2});
  for (CurveSample& sample : counted) sample.background_error = 0.1;
  EXPECT_NEAR(std::sqrt(estimate_limit(counted, curve())->background), 0.1, 2e-3);
}

TEST(ToyLimitCurve, PoolsCountsThatRise) {
  std::vector<CurveSample> counted = samples(1, 1000, {1, 2, 3});
  counted[0].beyond = 10;
  counted[1].beyond = 50;
  counted[2].beyond = 0;
  const std::vector<double> heights = falling_heights(counted);
  EXPECT_EQ(heights[0], heights[1]);
  EXPECT_NEAR(heights[0], 30 / 25., 1e-12);
  EXPECT_EQ(heights[2], 0);
  EXPECT_EQ(find_bracket(counted).low, 1u);
}

// A signal far above zero: CLs falls from 1 to 0 between neighbors.
TEST(ToyLimitCurve, IsNotLostBetweenValuesThatSayNothing) {
  std::vector<CurveSample> counted = samples(1, 1000, {0.6, 3.9});
  counted[0].beyond = 500;
  counted[1].beyond = 0;
  const LimitEstimate limit = estimate_limit(counted, curve()).value();
  EXPECT_GT(limit.mu, 0.6);
  EXPECT_LT(limit.mu, 3.9);
  EXPECT_GT(limit.error, 1.6);
}

TEST(ToyLimitCurve, NeedsNoFormula) {
  std::vector<CurveSample> counted = samples(1, 1e6, {1.85, 1.95, 2.05});
  for (CurveSample& sample : counted) sample.u = std::nan("");
  EXPECT_NEAR(estimate_limit(counted, {})->mu, 1.959964, 2e-3);
}

TEST(ToyLimitCurve, InterpolatesInLogCLsOrInCLsWhereNoneIsCounted) {
  std::vector<CurveSample> counted = samples(1, 1000, {1, 2});  // 25 beyond where CLs = alpha
  counted[0].beyond = 250;
  counted[1].beyond = 2.5;
  EXPECT_NEAR(interpolated_limit(counted)->mu, 1.5, 1e-9);
  counted[1].beyond = 0;
  EXPECT_NEAR(interpolated_limit(counted)->mu, 1.9, 1e-9);
}

TEST(ToyLimitCurve, NeedsValuesOnBothSides) {
  EXPECT_FALSE(estimate_limit(samples(1, 1000, {1.9}), curve()));
  EXPECT_FALSE(estimate_limit(samples(1, 1000, {1.5, 1.7, 1.9}), curve()));
  EXPECT_FALSE(estimate_limit(samples(1, 1000, {2.1, 2.3}), curve()));
  EXPECT_FALSE(estimate_limit(samples(0, 1000, {1.5, 2.5}), curve()));
  EXPECT_TRUE(estimate_limit(samples(1, 1000, {1.5, 2.5}), curve()));
}

}  // namespace
}  // namespace nextstat

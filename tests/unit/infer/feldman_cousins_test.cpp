// Intervals after Feldman and Cousins against the exact construction for a counting experiment.
#include <gtest/gtest.h>
#include <nextstat/feldman_cousins.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "unit/infer/profile_cases.h"
#include "unit/infer/toy_cases.h"

namespace nextstat {
namespace {

constexpr double kBackground = 3;

// t = 2 (NLL(mu) - NLL(best mu >= 0)) of n counts, background 3.
double t_of(int n, double mu) {
  const double nu = mu + kBackground, best = std::max(kBackground, static_cast<double>(n));
  return 2 * (nu - best + (n > 0 ? n * std::log(best / nu) : 0));
}

// Whether n lies in the acceptance region of mu: counts by ascending t until they have the level.
bool accepted(int n, double mu, double level) {
  const double mine = t_of(n, mu);
  return test::poisson_sum(mu + kBackground, [&](int k) { return t_of(k, mu) < mine - 1e-12; }) < level;
}

// The outermost accepted value.
double exact_upper(int n, double level) {
  for (double mu = 25; mu > 0; mu -= 0.005) {
    if (accepted(n, mu, level)) return mu;
  }
  return 0;
}

double exact_lower(int n, double level) {
  for (double mu = 0; mu < 25; mu += 0.005) {
    if (accepted(n, mu, level)) return mu;
  }
  return 25;
}

TEST(FeldmanCousins, IsThePublishedIntervalOfAPoissonSignal) {
  // Table IV of the paper, 90% CL, background 3:
  //   n = 0: [0, 1.08],   n = 6: [0.15, 8.47],   n = 10: [2.63, 13.50]
  // Acceptance by the letter differs from the table, where upper ends are made to fall with the background.
  EXPECT_NEAR(exact_upper(6, 0.9), 8.47, 0.01);
  EXPECT_NEAR(exact_lower(10, 0.9), 2.63, 0.01);
  for (const int n : {0, 6, 10}) {
    const FeldmanCousinsResult result = feldman_cousins(test::counting(1, kBackground, n, 0),
                                                        {.toys = {.n_toys = 4000}, .confidence_level = 0.9})
                                            .value();
    EXPECT_TRUE(result.converged);
    EXPECT_NEAR(result.upper, exact_upper(n, 0.9), 3 * result.upper_error + 0.01) << n;
    EXPECT_LT(result.upper_error, 0.35) << n;
    if (n == 10) {
      EXPECT_NEAR(result.lower, exact_lower(n, 0.9), 3 * result.lower_error + 0.01);
    }
    if (n == 0) {
      EXPECT_EQ(result.lower, 0);
      EXPECT_EQ(result.lower_end, IntervalEnd::Bound);
    }
  }
}

TEST(FeldmanCousins, CriticalValuesAreThoseOfTheAcceptanceRegions) {
  const FeldmanCousinsResult result =
      feldman_cousins(
          test::counting(1, kBackground, 4, 0),
          {.toys = {.n_toys = 8000}, .confidence_level = 0.9, .values = {0.5, 2, 4}, .refinements = 0})
          .value();
  ASSERT_EQ(result.points.size(), 3u);
  for (const FeldmanCousinsPoint& point : result.points) {
    double critical = 0;
    for (int n = 0; n < 60; ++n) {
      if (accepted(n, point.value, 0.9)) critical = std::max(critical, t_of(n, point.value));
    }
    EXPECT_NEAR(point.q, t_of(4, point.value), 1e-9);
    EXPECT_NEAR(point.q_critical, critical, 1e-8) << point.value;
    const double p = test::poisson_sum(point.value + kBackground,
                                       [&](int n) { return t_of(n, point.value) >= point.q - 1e-9; });
    EXPECT_NEAR(point.p_value, p, 3.5 * point.p_value_error);
  }
}

TEST(FeldmanCousins, IsTheProfileIntervalFarFromBoundsWithManyCounts) {
  const FeldmanCousinsResult result =
      feldman_cousins(test::counting(100, 10000, 10300), {.toys = {.n_toys = 3000}}).value();
  EXPECT_NEAR(result.upper - result.bestfit, 1.015, 3 * result.upper_error);
  EXPECT_NEAR(result.bestfit - result.lower, 1.015, 3 * result.lower_error);
  EXPECT_LT(result.upper_error, 0.1);
}

TEST(FeldmanCousins, OpenEndsAreNoNumbersAndSaidSo) {
  const FeldmanCousinsResult result =
      feldman_cousins(test::counting(10, 50, 60), {.toys = {.n_toys = 300}, .values = {0.9, 1.0, 1.1}})
          .value();
  EXPECT_TRUE(std::isnan(result.lower));
  EXPECT_TRUE(std::isnan(result.upper));
  EXPECT_EQ(result.lower_end, IntervalEnd::Open);
  EXPECT_EQ(result.upper_end, IntervalEnd::Open);
  EXPECT_EQ(result.warnings.size(), 2u);
}

TEST(FeldmanCousins, WorksForAnyFreeParameter) {
  const Model model = test::two_bins({55, 60});
  const FeldmanCousinsResult result =
      feldman_cousins(model, {.toys = {.n_toys = 200}, .parameter = "uncertainty[1]"}).value();
  EXPECT_EQ(result.parameter, test::index_of(model, "uncertainty[1]"));
  EXPECT_LT(result.lower, result.bestfit);
  EXPECT_GT(result.upper, result.bestfit);
}

TEST(FeldmanCousins, KeepsFinishedPointsWhenInterrupted) {
  std::stop_source stop;
  FeldmanCousinsOptions options{.toys = {.n_toys = 100, .batch = 50}};
  options.run.stop = stop.get_token();
  options.run.on_progress = [&](std::size_t done, std::size_t) {
    if (done >= 250) stop.request_stop();
  };
  const FeldmanCousinsResult result = feldman_cousins(test::two_bins({55, 60}), options).value();
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.points.size(), 2u);
}

TEST(FeldmanCousins, RefusesWhatMakesNoSense) {
  const Model model = test::counting(1, 3, 4, 0);
  EXPECT_FALSE(feldman_cousins(model, {.confidence_level = 1}));
  EXPECT_FALSE(feldman_cousins(model, {.toys = {.n_toys = 0}}));
  EXPECT_FALSE(feldman_cousins(model, {.values = {-1, 1}}));
  EXPECT_FALSE(feldman_cousins(model, {.values = {2, 1}}));
  EXPECT_FALSE(feldman_cousins(model, {.run = {.fixed = {{"mu", 1}}}}));
  EXPECT_FALSE(feldman_cousins(model, {.parameter = "nothing"}));
}

}  // namespace
}  // namespace nextstat

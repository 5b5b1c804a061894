// Crossings of the profile likelihood, MINOS errors and intervals stand where direct fits say.
#include <gtest/gtest.h>
#include <nextstat/fit.h>
#include <nextstat/interval.h>

#include <cmath>
#include <stop_token>

#include "infer/profile/crossing.h"
#include "mentions.h"
#include "unit/infer/profile_cases.h"

namespace nextstat {
namespace {

using nlohmann::json;
using test::direct_fit;

// |q - level| at a crossing: 1e-9 sigma in the parameter is 2e-9 in q.
constexpr double kCrossing = 2e-9;

// 2 (NLL - NLL_hat) of one bin where the rate is nu and n is observed.
double counting_q(double nu, double n) { return 2 * (nu - n - n * std::log(nu / n)); }

double solve_counting(double n, double level, double inside, double outside) {
  for (int i = 0; i < 200; ++i) {
    const double middle = (inside + outside) / 2;
    (counting_q(middle, n) < level ? inside : outside) = middle;
  }
  return inside;
}

TEST(Interval, IsTheAnalyticOneOfACountingExperiment) {
  const Model model = test::counting(10, 50, 80);
  const IntervalResult result = interval(model, {.confidence_level = 0.95}).value();
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.level, 3.841458820694124, 1e-12);  // chi-square quantile, one degree of freedom
  EXPECT_NEAR(result.bestfit, 3.0, 2e-7);               // the stop rule: 1e-7 of sigma
  EXPECT_NEAR(result.lower, (solve_counting(80, result.level, 80, 40) - 50) / 10, 1e-9);
  EXPECT_NEAR(result.upper, (solve_counting(80, result.level, 80, 140) - 50) / 10, 1e-9);
}

// On/off measurement: 2 (NLL(mu = 0) - NLL_hat) is the formula of Li and Ma.
// So the crossing of that level is mu = 0 itself.
TEST(Crossing, OfTheLiMaLevelIsZeroSignal) {
  const double n = 80, background = 50, uncertainty = 7;
  const json document =
      reference::signal_and_background({10}, {background}, reference::shapesys({uncertainty}), {n});
  const Model model = test::model_of(reference::with_bounds(document, "mu", -10, 10));
  const double off = std::pow(background / uncertainty, 2), alpha = background / off;
  const double q =
      2 * (n * std::log((1 + alpha) / alpha * n / (n + off)) + off * std::log((1 + alpha) * off / (n + off)));
  const nextstat::Setup setup = make_setup(model, {}).value();
  const BestFit best = find_best_fit(setup, true).value();
  const Crossing wanted[] = {{*model.poi_index(), Side::Lower, q}};
  const CrossingResult found = find_crossings(setup, best, wanted).value().front();
  EXPECT_EQ(found.status, CrossingStatus::Found);
  EXPECT_NEAR(found.value, 0.0, 1e-9);
  EXPECT_LE(found.fits, 4u);
}

// Every side of MINOS: a direct fit there has q = 1, none before it has.
void expect_crossings(const Model& model, double tolerance) {
  const FitResult result = fit(model, {.minos_of_all = true}).value();
  for (const MinosErrors& errors : result.minos) {
    SCOPED_TRACE(model.parameters()[errors.parameter].name);
    const double at = result.bestfit[errors.parameter];
    EXPECT_FALSE(errors.down > 0 || errors.up < 0);
    for (double distance : {errors.down, errors.up}) {
      if (std::isnan(distance)) continue;
      const Minimum there = direct_fit(model, {{errors.parameter, at + distance}});
      EXPECT_NEAR(2 * (there.nll - result.nll), 1.0, tolerance) << distance;
      const Minimum before = direct_fit(model, {{errors.parameter, at + distance / 2}});
      EXPECT_LT(2 * (before.nll - result.nll), 1.0);
    }
  }
}

TEST(Minos, StandsWhereADirectFitRisesByOneHalf) {
  expect_crossings(test::all_modifiers(), kCrossing);
  expect_crossings(test::two_bins({60, 62}, -5), kCrossing);
}

TEST(Minos, StandsWhereADirectFitRisesByOneHalfOnRealWorkspaces) {
  NEXTSTAT_NEEDS_DATA();
  expect_crossings(test::model_of(reference::read_data("thu.json")), kCrossing);
  expect_crossings(test::model_of(reference::read_data("tttt.json")), kCrossing);
}

TEST(Minos, AgreesWithAFineScan) {
  const Model model = test::two_bins({60, 62}, -5);
  const FitResult result = fit(model, {.minos = {"mu"}}).value();
  ASSERT_EQ(result.minos.size(), 1u);
  const auto q_at = [&](double distance) {
    return 2 * (direct_fit(model, {{0, result.bestfit[0] + distance}}).nll - result.nll);
  };
  double step = 0;
  while (q_at(step) < 1) step += 0.01;
  double low = step - 0.01, high = step;
  for (double d = low; d <= high; d += 1e-5) {
    if (q_at(d) < 1) low = d;
  }
  EXPECT_NEAR(result.minos[0].up, low, 1e-5);
  EXPECT_NEAR(result.minos[0].up, result.uncertainties[0], 0.05 * result.uncertainties[0]);
}

TEST(Minos, OfASetMeansAllItsParametersAndDoesNotDependOnTheOthers) {
  const Model model = test::all_modifiers();
  const FitResult all = fit(model, {.minos_of_all = true}).value();
  const FitResult set = fit(model, {.run = {.threads = 1}, .minos = {"stat_control", "mu"}}).value();
  EXPECT_GE(set.minos.size(), 3u);
  std::size_t compared = 0;
  for (const MinosErrors& one : set.minos) {
    for (const MinosErrors& other : all.minos) {
      if (one.parameter != other.parameter) continue;
      EXPECT_EQ(one.down, other.down);
      EXPECT_EQ(one.up, other.up);
      ++compared;
    }
  }
  EXPECT_GE(compared, 3u);
}

TEST(Minos, AnUnknownNameIsAnError) {
  const auto refused = fit(test::two_bins({60, 62}), {.minos = {"nu"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().front().code, ErrorCode::NotFound);
}

TEST(Minos, ASideBeyondTheBoundDoesNotExistAndIsSaid) {
  const FitResult result = fit(test::two_bins({51, 48}), {.minos = {"mu"}}).value();
  ASSERT_EQ(result.bestfit[0], 0.0);
  EXPECT_TRUE(std::isnan(result.minos[0].down));
  EXPECT_GT(result.minos[0].up, 0.0);
  EXPECT_TRUE(test::mentions(result.warnings, "lower bound 0"));
}

TEST(Interval, EndsAtTheBoundWhenTheLevelIsNotReachedAndSaysSo) {
  const Model model = test::two_bins({51, 48});
  const IntervalResult result = interval(model).value();
  EXPECT_EQ(result.lower, 0.0);
  EXPECT_TRUE(result.lower_at_bound);
  EXPECT_FALSE(result.upper_at_bound);
  EXPECT_TRUE(result.converged);
  ASSERT_EQ(result.warnings.size(), 1u);
  const double q = 2 * (direct_fit(model, {{0, result.upper}}).nll - result.nll);
  EXPECT_NEAR(q, result.level, kCrossing);
}

// A wall: below mu = -1 the rate of the bin with only signal is negative and the NLL infinite.
TEST(Interval, StopsShortOfAnInfiniteNll) {
  const Model model = test::counting(10, 0, 1, -50);
  const IntervalResult result = interval(model, {.confidence_level = 0.999999}).value();
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.lower, solve_counting(1, result.level, 1, 0) / 10, 1e-9);
  EXPECT_NEAR(result.upper, solve_counting(1, result.level, 1, 100) / 10, 1e-9);
}

// Two factors on one sample: the data know their product only.
TEST(Interval, OfAFlatParameterIsItsBounds) {
  json document = reference::with_bounds(reference::two_bins_workspace({60, 62}), "mu", 0.5, 2);
  document["channels"][0]["samples"][0]["modifiers"].push_back(reference::modifier("other", "normfactor"));
  document = reference::with_bounds(document, "other", 0.001, 100);
  const IntervalResult result = interval(test::model_of(document)).value();
  EXPECT_EQ(result.lower, 0.5);
  EXPECT_EQ(result.upper, 2.0);
  EXPECT_TRUE(result.lower_at_bound && result.upper_at_bound);
}

// q(v) falls below 0 when the best fit is a local minimum:
// the crossing is that of the given best fit, and both NLLs are reported.
TEST(Crossing, ReportsALowerMinimum) {
  const Model model = test::two_bins({60, 62}, -5);
  const nextstat::Setup setup = make_setup(model, {}).value();
  BestFit best = find_best_fit(setup, true).value();
  best.minimum = direct_fit(model, {{0, best.minimum.parameters[0] - 0.5}});
  const Crossing wanted[] = {{0, Side::Upper, 1.0}};
  const CrossingResult found = find_crossings(setup, best, wanted).value().front();
  EXPECT_EQ(found.status, CrossingStatus::Found);
  EXPECT_TRUE(found.better_minimum);
  EXPECT_LT(found.lowest_nll, best.minimum.nll);
  EXPECT_NEAR(2 * (direct_fit(model, {{0, found.value}}).nll - best.minimum.nll), 1.0, 1e-7);
  std::vector<std::string> warnings;
  warn_about_crossing(setup, best, wanted[0], found, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("lower NLL"), std::string::npos);
}

TEST(Interval, RefusesAFixedParameterAndABadLevel) {
  const Model model = test::two_bins({60, 62});
  EXPECT_FALSE(interval(model, {.run = {.fixed = {{"mu", 1.0}}}}));
  EXPECT_FALSE(interval(model, {.confidence_level = 1.0}));
  EXPECT_FALSE(interval(model, {.confidence_level = 95}));
}

TEST(Interval, AStopTokenInterruptsIt) {
  std::stop_source source;
  source.request_stop();
  const IntervalResult result =
      interval(test::all_modifiers(), {.run = {.stop = source.get_token()}}).value();
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(std::isnan(result.lower) && std::isnan(result.upper));
}

}  // namespace
}  // namespace nextstat

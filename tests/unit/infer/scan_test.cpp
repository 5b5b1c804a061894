// A scan gives the NLL of direct fits at every value, in one or two parameters, whatever its neighbors.
#include <gtest/gtest.h>
#include <nextstat/fit.h>
#include <nextstat/scan.h>

#include <cmath>
#include <stop_token>

#include "unit/infer/profile_cases.h"

namespace nextstat {
namespace {

using nlohmann::json;
using test::direct_fit;

constexpr double kNll = 1e-10;  // of 2 NLL, between two fits that converged

TEST(Scan, GivesTheNllOfDirectFits) {
  const Model model = test::all_modifiers();
  for (const char* name : {"", "modeling", "stat_control[0]"}) {
    SCOPED_TRACE(name);
    const ScanResult result = scan(model, {.parameter = name, .values = even_spacing(0.6, 1.8, 7)}).value();
    EXPECT_TRUE(result.converged);
    const Minimum best = direct_fit(model);
    EXPECT_NEAR(result.nll_hat, best.nll, kNll);
    ASSERT_EQ(result.points.size(), 7u);
    for (const ScanPoint& point : result.points) {
      const Minimum there = direct_fit(model, {{result.parameter, point.mu}});
      EXPECT_NEAR(point.nll_mu, there.nll, kNll);
      EXPECT_NEAR(point.twice_delta_nll, 2 * (there.nll - best.nll), 2 * kNll);
    }
  }
}

// Equal bins, uncertainties of the same size: the data and the model stay the same when both signs change.
TEST(Scan, OfASymmetricModelIsSymmetric) {
  const json document = reference::signal_and_background(
      {10, -10}, {100, 100}, reference::normsys("alpha", 1 / 1.1, 1.1), {100, 100});
  const Model model = test::model_of(reference::with_bounds(document, "mu", -9, 9));
  const ScanResult result = scan(model, {.values = {-2.0, -0.5, 0.0, 0.5, 2.0}}).value();
  EXPECT_NEAR(result.mu_hat, 0.0, 1e-7);
  EXPECT_NEAR(result.points[0].nll_mu, result.points[4].nll_mu, kNll);
  EXPECT_NEAR(result.points[1].nll_mu, result.points[3].nll_mu, kNll);
  EXPECT_GT(result.points[0].twice_delta_nll, result.points[1].twice_delta_nll);
}

TEST(Scan, OneSidedStatisticIsZeroBelowTheBestFit) {
  const Model model = test::two_bins({60, 62}, -5);
  const ScanResult result = scan(model, {.values = even_spacing(-2, 4, 13)}).value();
  for (const ScanPoint& point : result.points) {
    EXPECT_EQ(point.q_mu, point.mu < result.mu_hat ? 0.0 : std::max(0.0, point.twice_delta_nll));
  }
  EXPECT_GT(result.points.back().q_mu, 1.0);
}

TEST(Scan, GoesBeyondTheBounds) {
  const Model model = test::two_bins({51, 48});  // best fit below 0: at its bound
  const ScanResult result = scan(model, {.values = {-0.05, 0.0, 12.0}}).value();
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.mu_hat, 0.0);
  EXPECT_LT(result.points[0].twice_delta_nll, 0.0);
  EXPECT_NEAR(result.points[1].twice_delta_nll, 0.0, kNll);
  EXPECT_GT(result.points[2].twice_delta_nll, 100.0);
  ASSERT_EQ(result.warnings.size(), 1u);  // below the best fit, but outside its bounds
  EXPECT_NE(result.warnings[0].find("keeps to the bounds"), std::string::npos);
}

TEST(Scan, OfAPlaneGivesTheNllOfDirectFits) {
  const Model model = test::all_modifiers();
  const std::vector<double> mu = {0.5, 1.5}, lumi = {0.98, 1.0, 1.02};
  const ScanResult result = scan(model, {.values = mu, .parameter2 = "lumi", .values2 = lumi}).value();
  ASSERT_EQ(result.points.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const ScanPoint& point = result.points[i];
    EXPECT_EQ(point.mu, mu[i / 3]);
    EXPECT_EQ(point.mu2, lumi[i % 3]);
    const Minimum there = direct_fit(model, {{result.parameter, point.mu}, {*result.parameter2, point.mu2}});
    EXPECT_NEAR(point.nll_mu, there.nll, kNll);
    EXPECT_TRUE(std::isnan(point.q_mu));
  }
}

TEST(Scan, APointDoesNotDependOnTheOthersOrOnThreads) {
  const Model model = test::all_modifiers();
  const std::vector<double> values = even_spacing(-1, 5, 31);
  const ScanResult all = scan(model, {.run = {.threads = 2}, .values = values}).value();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ScanResult one = scan(model, {.run = {.threads = 1}, .values = {values[i]}}).value();
    EXPECT_EQ(one.points[0].nll_mu, all.points[i].nll_mu);
    EXPECT_EQ(one.points[0].iterations, all.points[i].iterations);
  }
}

TEST(Scan, SaysWhereTheLikelihoodIsZero) {
  const Model model = test::counting(10, 0, 5, 0);
  const ScanResult result = scan(model, {.values = {0.0, 0.5}}).value();
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(std::isinf(result.points[0].nll_mu));
  EXPECT_NEAR(result.points[1].twice_delta_nll, 0.0, kNll);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NE(result.warnings[0].find("likelihood is zero"), std::string::npos);
}

TEST(Scan, RefusesAPlaneOfOneParameterAndNoValues) {
  const Model model = test::two_bins({60, 62});
  EXPECT_FALSE(scan(model, {}));
  EXPECT_FALSE(scan(model, {.values = {std::nan("")}}));
  EXPECT_FALSE(scan(model, {.values = {1.0}, .parameter2 = "mu", .values2 = {1.0}}));
}

TEST(Scan, AStopTokenKeepsWhatIsFinishedAndProgressCountsFits) {
  const Model model = test::all_modifiers();
  std::size_t last = 0, total = 0;
  ScanOptions options{.values = even_spacing(0, 2, 5)};
  options.run.on_progress = [&](std::size_t done, std::size_t all) {
    EXPECT_GT(done, last);
    last = done;
    total = all;
  };
  EXPECT_EQ(scan(model, options)->points.size(), 5u);
  EXPECT_EQ(last, 6u);  // the best fit and five points
  EXPECT_EQ(total, 6u);
  std::stop_source source;
  source.request_stop();
  options.run.stop = source.get_token();
  const ScanResult stopped = scan(model, options).value();
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_TRUE(stopped.points.empty());
  EXPECT_FALSE(stopped.converged);
}

}  // namespace
}  // namespace nextstat

// Fits at the edge of what a model can say end in the right status, with a sentence and no NaN in the result.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nextstat/evaluate.h>
#include <nextstat/fit.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mentions.h"
#include "reference/test_workspaces.h"
#include "test_models.h"

namespace nextstat {
namespace {

using nlohmann::json;
using reference::modifier;
using reference::one_channel;
using reference::sample;
using reference::signal_over;
using test::model_of;
const json kFreeNorm = modifier("mu", "normfactor");

FitResult fitted(const Model& model, const FitOptions& options = {}) {
  const Result<FitResult> result = fit(model, options);
  EXPECT_TRUE(result) << (result ? "" : result.errors().front().what);
  EXPECT_TRUE(std::isfinite(result->nll));
  for (double value : result->bestfit) EXPECT_TRUE(std::isfinite(value));
  return *result;
}

bool warns(const FitResult& result, const std::string& words) {
  return test::mentions(result.warnings, words);
}

TEST(HardCases, PoiAtZero) {
  const FitResult result = fitted(model_of(reference::two_bins_workspace({51, 48})));
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.bestfit[0], 0.0);
  EXPECT_TRUE(std::isnan(result.uncertainties[0]));
  EXPECT_TRUE(std::isfinite(result.uncertainties[1]));
  EXPECT_EQ(result.at_bound, std::vector<std::size_t>{0});
  EXPECT_TRUE(warns(result, "mu is at its lower bound 0"));
}

TEST(HardCases, FlatDirectionNamesItsParameters) {
  json document = reference::two_bins_workspace({60, 65});
  document["channels"][0]["samples"][0]["modifiers"].push_back(modifier("k", "normfactor"));
  const Model model = model_of(document);
  const FitResult result = fitted(model);
  EXPECT_TRUE(result.converged);
  EXPECT_TRUE(warns(result, "flat direction: the data do not constrain a combination of"));
  EXPECT_TRUE(warns(result, "mu") && warns(result, "k"));
  for (std::size_t i = 0; i < model.n_parameters(); ++i) {
    const std::string& set = model.parameters()[i].set;
    EXPECT_EQ(std::isnan(result.uncertainties[i]), set == "mu" || set == "k") << model.parameters()[i].name;
  }
}

TEST(HardCases, AParameterWithoutEffectIsFlat) {
  json document = reference::two_bins_workspace({60, 65});
  document["channels"][0]["samples"].push_back(sample("empty", {0, 0}, {modifier("k", "normfactor")}));
  const FitResult result = fitted(model_of(document));
  EXPECT_TRUE(result.converged);
  EXPECT_TRUE(warns(result, "flat direction: the data do not constrain k"));
}

TEST(HardCases, AllObservationsZero) {
  const FitResult result = fitted(model_of(reference::two_bins_workspace({0, 0})));
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.bestfit[0], 0.0);
  EXPECT_GT(result.bestfit[1], 0.0);
}

TEST(HardCases, NegativeRateInAnEmptyBin) {
  const FitResult result = fitted(model_of(signal_over({5, 5}, {20, -6}, json::array(), {25, 0})));
  EXPECT_TRUE(result.converged);
  EXPECT_TRUE(warns(result, "is negative in 1 bins"));
}

// Below the saturated model there is no chi-square.
TEST(HardCases, NoGoodnessOfFitWithNegativeRates) {
  const FitResult result = fitted(model_of(signal_over({5, 5}, {20, -30}, json::array(), {25, 0})));
  EXPECT_LT(result.goodness_of_fit.nll_fit, result.goodness_of_fit.nll_saturated);
  EXPECT_TRUE(std::isnan(result.goodness_of_fit.chi2));
  EXPECT_TRUE(std::isnan(result.goodness_of_fit.p_value));
}

TEST(HardCases, CountsThatTheModelCannotReachAreAnError) {
  const Result<FitResult> result = fit(model_of(signal_over({5, 0}, {9, 0}, json::array(), {10, 3})));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.errors().front().code, ErrorCode::BadInput);
  EXPECT_NE(result.errors().front().what.find("channel[1] (observed 3, expected 0)"), std::string::npos);
  EXPECT_FALSE(result.errors().front().hint.empty());
}

TEST(HardCases, BoundsThatExcludeTheBestFit) {
  FitOptions options;
  options.run.bounds = {{"mu", 2, 4}};
  options.run.init = {{"mu", 3}};
  const FitResult result = fitted(model_of(reference::two_bins_workspace({60, 65})), options);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.bestfit[0], 2.0);
  EXPECT_TRUE(warns(result, "mu is at its lower bound 2"));
}

TEST(HardCases, StartOutsideTheBoundsIsAnError) {
  FitOptions options;
  options.run.init = {{"mu", 20}};
  const Result<FitResult> result = fit(model_of(reference::two_bins_workspace({60, 65})), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.errors().front().where.inside, "mu");
  EXPECT_EQ(result.errors().front().what, "the start 20 is outside the bounds [0, 10]");
}

TEST(HardCases, StartWithInfiniteNllIsReplacedWithAWarning) {
  FitOptions options;
  options.run.init = {{"mu", 0}};
  const json only_signal = one_channel({sample("signal", {5, 5}, {kFreeNorm})}, {4, 6});
  const FitResult moved = fitted(model_of(only_signal), options), usual = fitted(model_of(only_signal));
  EXPECT_TRUE(moved.converged);
  EXPECT_NEAR(moved.nll, usual.nll, 1e-10);
  EXPECT_TRUE(warns(
      moved, "the likelihood is zero at the suggested start (bins channel[0] (observed 4, expected 0)"));
  EXPECT_TRUE(warns(moved, "the fit started at mu = "));
}

TEST(HardCases, NoPointWithAFiniteNllIsAnError) {
  FitOptions options;
  options.run.fixed = {{"mu", 0}};
  const json only_signal = one_channel({sample("signal", {5, 5}, {kFreeNorm})}, {4, 6});
  const Result<FitResult> result = fit(model_of(only_signal), options);
  ASSERT_FALSE(result);
  EXPECT_NE(result.errors().front().what.find("no point within the bounds was found"), std::string::npos);
}

// mu times a shapefactor, nothing else: any split of the factor fits, and the start is kept where it can be.
TEST(HardCases, AFlatDirectionConverges) {
  const json shapefactor = modifier("sf", "shapefactor");
  for (const std::vector<double>& observed : {std::vector<double>{40, 70}, {0, 3}, {400, 10}}) {
    const json document = one_channel(
        {sample("signal", {10, 10}, {kFreeNorm, shapefactor}), sample("fixed", {1, 2}, json::array())},
        observed);
    const FitResult result = fitted(model_of(document));
    EXPECT_TRUE(result.converged) << observed[0];
    EXPECT_GE(result.goodness_of_fit.ndof, 0);
    EXPECT_LE(result.edm, 1e-12);
  }
}

// At mu = 0 its shapefactors have no effect; with some of them at 0 the signal is wanted.
TEST(HardCases, AFactorAtZeroIsLeftWhereItsPartnersAllowIt) {
  const json shapefactor = modifier("sf", "shapefactor");
  const json document = one_channel(
      {sample("signal", {10, 50}, {kFreeNorm, shapefactor}), sample("fixed", {50, 50}, json::array())},
      {60, 20});
  const FitResult result = fitted(model_of(document));
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.bestfit[0] * result.bestfit[1], 1.0, 1e-6);
  EXPECT_NEAR(result.bestfit[2], 0.0, 1e-6);
}

TEST(HardCases, NormsysWithEqualSides) {
  json document = reference::two_bins_workspace({60, 65});
  document["channels"][0]["samples"][1]["modifiers"].push_back(reference::normsys("same", 1.1, 1.1));
  const FitResult result = fitted(model_of(document));
  EXPECT_TRUE(result.converged);
  for (double sigma : result.uncertainties) EXPECT_TRUE(std::isfinite(sigma));
}

TEST(HardCases, NormsysDownToZeroFallsBackAndSaysSo) {
  json document = reference::two_bins_workspace({60, 65});
  document["channels"][0]["samples"][1]["modifiers"].push_back(reference::normsys("gone", 0.0, 1.2));
  const FitResult result = fitted(model_of(document));
  EXPECT_TRUE(result.converged);
  EXPECT_TRUE(warns(result, "gone"));
}

TEST(HardCases, ShapesysWithHugeAuxiliaryCounts) {
  const json document =
      signal_over({12, 11}, {5e5, 52}, {modifier("g", "shapesys", {1.5811388, 7})}, {5e5, 70});
  const Model model = model_of(document);
  EXPECT_GT(model.parameters()[1].width, 0.9e11);
  const FitResult result = fitted(model);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.uncertainties[1], 1 / std::sqrt(1e11 + 5e5), 1e-8);
}

TEST(HardCases, ThirtyParametersAtTheirBounds) {
  json samples = {sample("background", std::vector<double>(30, 100.0), json::array())};
  for (int i = 0; i < 30; ++i) {
    std::vector<double> data(30, 0.0);
    data[static_cast<std::size_t>(i)] = 10;
    samples.push_back(sample(fmt::format("s{}", i), data, {modifier(fmt::format("mu{}", i), "normfactor")}));
  }
  json document = one_channel(samples, std::vector<double>(30, 90.0));
  document["measurements"][0]["config"]["poi"] = "mu0";
  const FitResult result = fitted(model_of(document));
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.at_bound.size(), 30u);
}

// Equal variations up and down: at 0 there is no slope, and the NLL falls to both sides.
TEST(HardCases, ASaddlePointIsLeft) {
  const Model model =
      model_of(signal_over({10, 5}, {50, 100}, {reference::histosys("k", {50, 80}, {50, 80})}, {55, 80}));
  const FitResult result = fitted(model);
  EXPECT_TRUE(result.converged);
  EXPECT_GT(std::abs(result.bestfit[0]), 0.5);
  for (double sigma : result.uncertainties) EXPECT_TRUE(std::isfinite(sigma));
  FitOptions aside;
  aside.run.init = {{"k", result.bestfit[0] > 0 ? 0.1 : -0.1}};
  EXPECT_NEAR(fitted(model, aside).nll, result.nll, 1e-9);
}

TEST(HardCases, FixedParametersHaveNoUncertainty) {
  FitOptions options;
  options.run.fixed = {{"uncertainty", 1.0}};
  const FitResult result = fitted(model_of(reference::two_bins_workspace({60, 65})), options);
  EXPECT_EQ(result.bestfit[1], 1.0);
  EXPECT_EQ(result.uncertainties[1], 0.0);
  EXPECT_EQ(result.uncertainties[2], 0.0);
  EXPECT_GT(result.uncertainties[0], 0.0);
}

TEST(HardCases, EverythingFixedIsAFitToo) {
  FitOptions options;
  options.run.fixed = {{"uncertainty", 1.0}, {"mu", 1.0}};
  const FitResult result = fitted(model_of(reference::two_bins_workspace({60, 65})), options);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations, 0u);
  EXPECT_EQ(result.nll, result.initial_nll);
}

// One histosys that lowers both bins either way: with code0 its slope jumps at 0.
json kinked(const std::vector<double>& observed) {
  return signal_over({10, 12}, {50, 60}, {reference::histosys("a", {44, 54}, {45, 55})}, observed);
}

TEST(HardCases, AKinkThatPinsSaysSo) {
  const Model model = model_of(kinked({80, 94}), {.histosys_code = HistosysCode::Code0});
  FitOptions options;
  options.run.bounds = {{"mu", 0, 2}};
  const FitResult result = fitted(model, options);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.bestfit[0], 0.0);  // a: either way there would be fewer events still
  EXPECT_TRUE(warns(result, "held at 0 by the kink of the interpolation: a"));
  EXPECT_TRUE(std::isnan(result.uncertainties[0]));
}

TEST(HardCases, AsimovDataAtAKinkIsFittedBack) {
  const Model model = model_of(kinked({80, 94}), {.histosys_code = HistosysCode::Code0});
  FitOptions options;
  options.run.data = asimov_data(model, model.initial()).value();
  const FitResult result = fitted(model, options);
  EXPECT_TRUE(result.converged);
  for (std::size_t i = 0; i < model.n_parameters(); ++i)
    EXPECT_NEAR(result.bestfit[i], model.initial()[i], 1e-6);
}

TEST(HardCases, KinksOfARealWorkspace) {
  NEXTSTAT_NEEDS_DATA();
  const Model model = model_of(reference::read_data("tttt.json"),
                               {.normsys_code = NormsysCode::Code1, .histosys_code = HistosysCode::Code0});
  const FitResult result = fitted(model);
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.nll, 287.5167109898);
}

}  // namespace
}  // namespace nextstat

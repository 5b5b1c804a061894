// Holds the reference evaluator to the published check values and to pyhf's numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/all_modifiers.h"
#include "reference/reference_model.h"
#include "reference/test_workspaces.h"

namespace nextstat::reference {
namespace {

// Tolerances, with reasons.
constexpr double kRounding = 1e-14;       // a handful of double operations
constexpr double kPrinted = 1e-10;        // numbers printed with 10 to 12 digits
constexpr double kLogLikelihood = 1e-12;  // relative: pyhf sums a few hundred terms
constexpr double kLargeAuxiliary = 1e-3;  // absolute: 3lrj-500-0 has auxiliary data 1.9e11, where the
                                          // references themselves canceled 5e12 in double

double nll_in_quad(const ReferenceModel& model, const std::vector<double>& point) {
  return static_cast<double>(nll<Quad>(model, to_quad(point), model.data));
}

TEST(ReferenceScalar, LogGammaAgreesWithQuadmath) {
  for (const double x : {1e-8, 0.5, 1.0, 1.5, 2.0, 3.7, 21.0, 39.9, 40.0, 171.0, 52345.25, 1.9e11}) {
    const Quad expected = lgammaq(Quad(x));
    const Quad scale = absolute(expected) + Quad(1);
    EXPECT_LT(static_cast<double>(absolute(log_gamma(Quad(x)) - expected) / scale), 1e-31) << x;
    EXPECT_NEAR(log_factorial<double>(x), std::lgamma(x + 1), kRounding * (1 + std::abs(std::lgamma(x + 1))));
  }
}

TEST(ReferenceInterpolation, CheckValues) {
  EXPECT_NEAR(normsys_factor(NormsysCode::kCode4, 0.3, 0.9, 1.1), 1.0296931157825733, kRounding);
  EXPECT_NEAR(normsys_factor(NormsysCode::kCode4, -0.7, 0.9, 1.1), 0.9290931648430459, kRounding);
  EXPECT_NEAR(normsys_factor(NormsysCode::kCode4, 2.5, 0.9, 1.1), 1.2690587062858836, kRounding);
  EXPECT_NEAR(histosys_delta(HistosysCode::kCode4p, 0.3, 98, 100, 110), 2.4355935, kRounding);
  EXPECT_NEAR(histosys_delta(HistosysCode::kCode4p, -0.7, 98, 100, 110), -1.5490265, kRounding);
  EXPECT_NEAR(normsys_factor(NormsysCode::kCode1, 2.0, 0.9, 1.1), 1.21, kRounding);
  EXPECT_NEAR(normsys_factor(NormsysCode::kCode1, -2.0, 0.9, 1.1), 0.81, kRounding);
  EXPECT_EQ(normsys_factor(NormsysCode::kCode1, 0.0, 0.9, 1.1), 1.0);
}

TEST(ReferenceInterpolation, HistosysCodesAtWholeSigmas) {  // row 40: lo 0.5, nominal 1, hi 2
  const double alpha[] = {-2, -1, 0, 1, 2};
  const double code0_yield[] = {0, 0.5, 1, 2, 3};
  const double code2_yield[] = {0.25, 0.5, 1, 2, 3.25};  // the continuous form
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(1 + histosys_delta(HistosysCode::kCode0, alpha[k], 0.5, 1, 2), code0_yield[k], kRounding);
    EXPECT_NEAR(1 + histosys_delta(HistosysCode::kCode2, alpha[k], 0.5, 1, 2), code2_yield[k], kRounding);
    EXPECT_NEAR(1 + histosys_delta(HistosysCode::kCode4p, alpha[k], 0.5, 1, 2), code0_yield[k], kRounding);
  }
}

// Value and slope (code2), and curvature too (code4, code4p), go on unbroken at +-1.
TEST(ReferenceInterpolation, SmoothAtOneSigma) {
  const auto jump = [](auto f, double at, auto component) {
    const Quad step = Quad(1e-25);
    const auto below = f(HyperDual<Quad>(Quad(at) - step, Quad(1), Quad(1)));
    const auto above = f(HyperDual<Quad>(Quad(at) + step, Quad(1), Quad(1)));
    return std::abs(static_cast<double>(component(above) - component(below)));
  };
  const auto value = [](const auto& x) { return x.value; };
  const auto slope = [](const auto& x) { return x.u; };
  const auto curvature = [](const auto& x) { return x.uv; };
  const auto code4_of = [](const auto& a) { return normsys_factor(NormsysCode::kCode4, a, 0.7, 1.4); };
  const auto code4p_of = [](const auto& a) { return histosys_delta(HistosysCode::kCode4p, a, 8, 10, 15); };
  const auto code2_of = [](const auto& a) { return histosys_delta(HistosysCode::kCode2, a, 8, 10, 15); };
  for (const double at : {-1.0, 1.0}) {
    EXPECT_LT(jump(code4_of, at, value), 1e-23);
    EXPECT_LT(jump(code4_of, at, slope), 1e-23);
    EXPECT_LT(jump(code4_of, at, curvature), 1e-22);
    EXPECT_LT(jump(code4p_of, at, value), 1e-23);
    EXPECT_LT(jump(code4p_of, at, slope), 1e-23);
    EXPECT_LT(jump(code4p_of, at, curvature), 1e-22);
    EXPECT_LT(jump(code2_of, at, value), 1e-23);
    EXPECT_LT(jump(code2_of, at, slope), 1e-23);
  }
}

TEST(ReferenceInterpolation, FactorsWithoutLogarithmAreStraightLines) {
  for (const NormsysCode code : {NormsysCode::kCode1, NormsysCode::kCode4}) {
    EXPECT_NEAR(normsys_factor(code, -0.5, 0.0, 1.2), 0.5, kRounding);
    EXPECT_NEAR(normsys_factor(code, -2.0, 0.0, 1.2), -1.0, kRounding);
    EXPECT_NEAR(normsys_factor(code, 0.5, 0.0, 1.2), 1.1, kRounding);
    EXPECT_NEAR(normsys_factor(code, 3.0, 0.9, -0.1), -2.3, kRounding);
    EXPECT_NEAR(normsys_factor(code, 0.0, -0.4, -0.1), 1.0, kRounding);
  }
}

TEST(ReferencePoisson, TermsAtTheEdge) {
  EXPECT_EQ(poisson_nll(0, -0.25), -0.25);
  EXPECT_EQ(poisson_nll(0, 0.0), 0.0);
  EXPECT_EQ(poisson_nll(1, 0.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(poisson_nll(1, -1.0), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(poisson_nll(3, 2.0) + log_factorial<double>(3), -std::log(8 * std::exp(-2.0) / 6), kRounding);
}

// -log Pois(n|n) = log(2 pi n)/2 + 1/(12 n) - ...: no cancellation, so it shows what the direct form loses.
TEST(ReferencePoisson, QuadKeepsTheDigitsOfLargeCounts) {
  const double n = 1.9e11;
  const Quad expected = log(Quad(2) * pi() * Quad(n)) / Quad(2) + Quad(1) / (Quad(12) * Quad(n));
  const Quad value = poisson_nll(n, Quad(n)) + log_factorial<Quad>(n);
  EXPECT_LT(static_cast<double>(absolute(value - expected)), 1e-20);
}

TEST(ReferenceModel, Row1HelloWorld) {
  const auto model = ReferenceModel::from_workspace(two_bins_workspace({51, 48}));
  EXPECT_NEAR(2 * nll<double>(model, model.inits(), model.data), 30.7752543463, kPrinted);
  EXPECT_NEAR(2 * nll_in_quad(model, model.inits()), 30.7752543463, kPrinted);
  const std::vector<long double> inits(model.parameters.size(), 1);
  EXPECT_NEAR(static_cast<double>(2 * nll<long double>(model, inits, model.data)), 30.7752543463, kPrinted);
  EXPECT_EQ(model.poi_index, 0u);
}

TEST(ReferenceModel, Row32OneBinShapesys) {
  const auto model = ReferenceModel::from_workspace(signal_and_background({10}, {50}, shapesys({7}), {55}));
  EXPECT_NEAR(nll<double>(model, model.inits(), model.data), 6.02517922820991, 1e-13);
  const auto expected = expected_data<double>(model, model.inits());
  ASSERT_EQ(expected.size(), 2u);
  EXPECT_EQ(expected[0], 60.0);
  EXPECT_NEAR(expected[1], 51.02040816326531, kRounding * 51);
}

TEST(ReferenceModel, Row33And34LogLikelihoodAtInit) {
  const auto additive = ReferenceModel::from_workspace(histosys_workspace());
  EXPECT_NEAR(nll_in_quad(additive, additive.inits()), 17.648827643136, 1e-12);
  const auto poisson = ReferenceModel::from_workspace(
      signal_and_background({30, 95}, {100, 150}, shapesys({10, 10}), {120, 180}));
  EXPECT_NEAR(nll_in_quad(poisson, poisson.inits()), 23.579605171119, 1e-12);
}

TEST(ReferenceModel, Row38HistosysYields) {
  struct Row {
    double mu, alpha, first, second;
  };
  for (const HistosysCode code : {HistosysCode::kCode0, HistosysCode::kCode4p}) {
    const auto model = ReferenceModel::from_workspace(histosys_workspace(), {.histosys_code = code});
    ASSERT_EQ(model.parameters[0].name, "shape");
    ASSERT_EQ(model.parameters[1].name, "mu");
    for (const Row& row : {Row{0, 1, 102, 190}, Row{0, 2, 104, 230}, Row{0, -1, 98, 100}, Row{0, -2, 96, 50},
                           Row{1, 1, 132, 285}}) {
      const auto expected = expected_data<double>(model, std::vector<double>{row.alpha, row.mu});
      EXPECT_EQ(expected[0], row.first);
      EXPECT_EQ(expected[1], row.second);
    }
  }
}

TEST(ReferenceModel, Row39NegativeRatesPassThrough) {
  const auto channel = [&](const char* name, const std::vector<double>& nominal,
                           const std::vector<double>& lo, const std::vector<double>& hi) -> json {
    const json modifiers = {modifier("mu", "normfactor"), histosys("np_1", lo, hi), histosys("np_2", lo, hi)};
    return {{"name", name}, {"samples", json::array({sample("signal", nominal, modifiers)})}};
  };
  const json channels = {channel("ch1", {100, 100}, {175, 10}, {125, 75}),
                         channel("ch2", {15000}, {1200}, {15500})};
  const json observations = {{{"name", "ch1"}, {"data", {100, 100}}}, {{"name", "ch2"}, {"data", {10}}}};
  const auto model = ReferenceModel::from_workspace(workspace(channels, observations));
  const std::vector<double> point = {-0.6, -0.6, 1.0};  // np_1, np_2, mu
  const auto expected = expected_data<double>(model, point);
  EXPECT_NEAR(expected[0], 183.0496, 1e-10);
  EXPECT_NEAR(expected[1], -0.00704, 1e-10);
  EXPECT_NEAR(expected[2], -635.5968, 1e-8);
  EXPECT_EQ(nll<double>(model, point, model.data), std::numeric_limits<double>::infinity());
  const auto scale = sum_of_absolute_terms<double>(model, point);
  EXPECT_NEAR(scale[1], 200.00704, 1e-10);  // 100 nominal, two deltas of -50.00352
}

TEST(ReferenceModel, ParametersInPyhfOrder) {
  const auto model = ReferenceModel::from_workspace(json::parse(kAllModifiers));
  const std::vector<std::string> names = {"modeling",
                                          "tilt",
                                          "lumi",
                                          "background_norm",
                                          "mu",
                                          "acceptance",
                                          "shape[0]",
                                          "shape[1]",
                                          "shape[2]",
                                          "background_shape[0]",
                                          "background_shape[1]",
                                          "stat_control[0]",
                                          "stat_control[1]",
                                          "stat_control[2]",
                                          "stat_validation[0]"};
  ASSERT_EQ(model.parameters.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(model.parameters[i].name, names[i]);
  const std::vector<double> data = {127, 60.5, 0, 81, 29, 36, 0, 0, 1, 0, 100, 1, 1, 1, 1, 1};
  EXPECT_EQ(model.data, data);
  EXPECT_EQ(model.poi_index, 4u);
  EXPECT_TRUE(model.parameters[10].fixed);  // shapesys bin without content
  EXPECT_TRUE(model.parameters[12].fixed);  // staterror bin without content
  EXPECT_EQ(model.parameters[12].sigma, 1);
  EXPECT_NEAR(model.parameters[11].sigma, std::sqrt(17.0) / 90, kRounding);
  EXPECT_EQ(model.parameters[4].lower, -5);
}

TEST(ReferenceModel, MeasurementOverrides) {
  const auto model = ReferenceModel::from_workspace(json::parse(kAllModifiers), {.measurement = 1});
  EXPECT_FALSE(model.poi_index.has_value());
  EXPECT_EQ(model.parameters[1].init, 0.3);
  EXPECT_EQ(model.parameters[1].auxiliary, 0.1);
  EXPECT_TRUE(model.parameters[2].fixed);
  EXPECT_EQ(model.parameters[2].sigma, 0.03);
  EXPECT_EQ(model.parameters[9].tau, 95);
  EXPECT_EQ(model.data[model.parameters[9].data_index], 90);
  EXPECT_FALSE(model.parameters[10].fixed);
  EXPECT_EQ(model.parameters[12].sigma, 0.2);
  EXPECT_TRUE(model.parameters[12].fixed);
}

// Every modifier at once, against pyhf 0.7.6 at (0.4, -1.6, 1.03, 0.9, 1.7, -0.3, 1.1, 1.17, 1.24, ...).
struct PyhfRow {
  std::size_t measurement;
  std::vector<double> rates;
  double nll;
};

void expect_pyhf(const json& workspace, const PyhfRow& row) {
  const auto model = ReferenceModel::from_workspace(workspace, {.measurement = row.measurement});
  std::vector<double> point = {0.4, -1.6, 1.03, 0.9, 1.7, -0.3};
  for (int k = 0; point.size() < model.parameters.size(); ++k) point.push_back(1.1 + 0.07 * k);
  const auto expected = expected_data<double>(model, point);
  const auto scale = sum_of_absolute_terms<double>(model, point);
  for (std::size_t bin = 0; bin < row.rates.size(); ++bin) {
    EXPECT_NEAR(expected[bin], row.rates[bin], kRounding * scale[bin]);
  }
  EXPECT_NEAR(nll<double>(model, point, model.data), row.nll, kRounding * 10 * row.nll);
}

TEST(ReferenceModel, AllModifiersAgreeWithPyhf) {
  const std::vector<double> rates = {197.37583334886853, 64.87426811673458, 151.66621251830904,
                                     84.7745845384701,   38.5442028923282,  56.228581733079515};
  expect_pyhf(json::parse(kAllModifiers), {0, rates, 424.8017322547089});
  expect_pyhf(json::parse(kAllModifiers), {1, rates, 315.5680132601187});
}

// The shapefactor's first channel is now the smaller one: parameter 0 of the model moves the bin beyond.
TEST(ReferenceModel, ShapefactorBeyondItsFirstChannelAgreesWithPyhf) {
  json workspace = json::parse(kAllModifiers);
  for (json* list : {&workspace["channels"], &workspace["observations"]}) {
    for (json& item : *list) {
      if (item["name"] == "control_region") item["name"] = "z_control";
    }
  }
  const std::vector<double> rates = {88.0169861704701,   38.2255214963282,  67.8272489795,
                                     128.07901036525254, 65.18606336380637, 95.9906593878447};
  expect_pyhf(workspace, {0, rates, 305.42350687524095});
  expect_pyhf(workspace, {1, rates, 223.17269058821432});
}

TEST(ReferenceModel, StaterrorOfSeveralChannelsIsAppended) {
  const auto channel = [](const char* name, const std::vector<double>& nominal) -> json {
    const json modifier = {{"name", "stat"}, {"type", "staterror"}, {"data", nominal}};
    return {{"name", name},
            {"samples", {{{"name", "s"}, {"data", nominal}, {"modifiers", json::array({modifier})}}}}};
  };
  const json observations = {{{"name", "a"}, {"data", {1}}}, {{"name", "b"}, {"data", {1, 1}}}};
  const json channels = {channel("b", {20, 30}), channel("a", {10})};
  const auto model = ReferenceModel::from_workspace(workspace(channels, observations));
  ASSERT_EQ(model.parameters.size(), 3u);
  EXPECT_EQ(model.parameters[2].name, "stat[2]");
  const auto expected = expected_data<double>(model, std::vector<double>{2, 3, 5});
  EXPECT_EQ(expected, (std::vector<double>{20, 60, 150, 2, 3, 5}));
}

TEST(ReferenceModel, RefusesWhatPyhfRefuses) {
  const auto refuses = [](const auto& change) {
    json workspace = json::parse(kAllModifiers);
    change(workspace);
    EXPECT_THROW(ReferenceModel::from_workspace(workspace), std::invalid_argument);
  };
  const auto modifiers = [](json& workspace, int channel, int sample) -> json& {
    return workspace["channels"][channel]["samples"][sample]["modifiers"];
  };
  const auto configs = [](json& workspace) -> json& {
    return workspace["measurements"][0]["config"]["parameters"];
  };
  refuses([&](json& w) { modifiers(w, 0, 2).push_back(modifiers(w, 0, 1)[1]); });  // shapesys used twice
  refuses([&](json& w) { modifiers(w, 0, 0)[0]["name"] = "tilt"; });               // normfactor and histosys
  refuses([&](json& w) { configs(w).erase(0); });                  // lumi without configuration
  refuses([&](json& w) { configs(w).push_back(configs(w)[1]); });  // mu configured twice
  refuses([&](json& w) { configs(w)[1]["sigmas"] = {1.0}; });      // mu has no sigma
  refuses([&](json& w) { configs(w)[1]["inits"] = {1.0, 2.0}; });  // one value expected
  refuses([&](json& w) { w["observations"].erase(0); });           // channel without data
}

TEST(ReferenceModel, PoiFromOptions) {
  const json workspace = json::parse(kAllModifiers);
  EXPECT_EQ(ReferenceModel::from_workspace(workspace, {.poi = "lumi"}).poi_index, 2u);
  EXPECT_FALSE(ReferenceModel::from_workspace(workspace, {.poi = ""}).poi_index.has_value());
  EXPECT_FALSE(ReferenceModel::from_workspace(workspace, {.poi = "absent"}).poi_index.has_value());
  EXPECT_THROW(ReferenceModel::from_workspace(workspace, {.poi = "shape"}), std::invalid_argument);
}

// Some references carry ten decimals, hence the floor.
void expect_published(const std::string& name, double value, double expected) {
  const double ordinary = 1e-10 + kLogLikelihood * std::abs(expected);
  EXPECT_NEAR(value, expected, name == "3lrj-500-0" ? kLargeAuxiliary : ordinary);
}

TEST(ReferenceModel, NllAtInitOfRealWorkspaces) {
  NEXTSTAT_NEEDS_DATA();
  const json fits = read_data("references.json").at("fits");
  for (const auto& [name, fit] : fits.items()) {
    SCOPED_TRACE(name);
    const auto model = ReferenceModel::from_workspace(read_data(name + ".json"));
    EXPECT_EQ(model.parameters.size(), fit.at("params").get<std::size_t>());
    expect_published(name, nll_in_quad(model, model.inits()), -fit.at("logpdf_init").get<double>());
  }
}

// Expected value: the term of the 1.9e11 by Stirling's formula, all others summed in double.
TEST(ReferenceModel, NllAtInitWithLargeAuxiliaryData) {
  NEXTSTAT_NEEDS_DATA();
  const auto model = ReferenceModel::from_workspace(read_data("3lrj-500-0.json"));
  EXPECT_NEAR(nll_in_quad(model, model.inits()), 141.5091673297, kPrinted);
}

TEST(ReferenceModel, LogLikelihoodAtPublishedPoints) {
  NEXTSTAT_NEEDS_DATA();
  const json references = read_data("references.json").at("logpdf");
  for (const auto& [name, reference] : references.items()) {
    const auto model = ReferenceModel::from_workspace(read_data(name + ".json"));
    const std::vector<std::string> names = reference.at("parameters");
    ASSERT_EQ(names.size(), model.parameters.size());
    for (std::size_t k = 0; k < reference.at("points").size(); ++k) {
      SCOPED_TRACE(name + " " + reference.at("labels")[k].get<std::string>());
      std::vector<double> point(names.size());
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = std::find_if(model.parameters.begin(), model.parameters.end(),
                                        [&](const Parameter& p) { return p.name == names[i]; });
        ASSERT_NE(found, model.parameters.end()) << names[i];
        point[static_cast<std::size_t>(found - model.parameters.begin())] = reference.at("points")[k][i];
      }
      expect_published(name, nll_in_quad(model, point), -reference.at("published_logpdf")[k].get<double>());
      expect_published(name, nll_in_quad(model, point), -reference.at("independent_logpdf")[k].get<double>());
    }
  }
}

}  // namespace
}  // namespace nextstat::reference

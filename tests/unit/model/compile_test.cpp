// A compiled model holds the terms that exist, and no more.
#include <gtest/gtest.h>
#include <nextstat/evaluate.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernels/host.h"
#include "model/compile/compiled_model.h"
#include "model/data/dataset.h"
#include "reference/reference_model.h"
#include "reference/test_workspaces.h"
#include "test_models.h"

namespace nextstat {
namespace {

using nlohmann::json;
using reference::modifier;
using reference::normsys;
using test::model_of;

json background_with(const json& modifier) {
  return reference::signal_and_background({3, 4}, {20, 30}, modifier, {22, 36});
}

TEST(Compile, CountsTheTermsOfTheSmallModel) {
  const CompiledModel compiled = compiled_model(test::all_modifiers());
  EXPECT_EQ(compiled.n_parameters, 15u);
  EXPECT_EQ(compiled.n_bins, 6u);
  EXPECT_EQ(compiled.n_data, 16u);
  EXPECT_EQ(compiled.samples.size(), 7u);
  EXPECT_EQ(compiled.nominal.size(), 16u);  // 3 samples x 3 bins, 3 x 2, 1 x 1
  EXPECT_EQ(compiled.norms.size(), 4u);     // acceptance twice, modeling twice
  EXPECT_EQ(compiled.linears.size(), 0u);
  EXPECT_EQ(compiled.factors.size(), 4u);  // mu, lumi twice, background_norm
  EXPECT_EQ(compiled.shifts.size(), 6u);   // tilt in 2 + 1 bins, modeling in 3
  EXPECT_EQ(compiled.gammas.size(), 14u);  // stat_control 6, shape 5, background_shape 2, stat_validation 1
  EXPECT_EQ(compiled.normals.size(), 8u);
  EXPECT_EQ(compiled.poissons.size(), 2u);
}

TEST(Compile, ModifiersWithoutEffectLeaveNoTerm) {
  EXPECT_EQ(compiled_model(model_of(background_with(normsys("none", 1, 1)))).norms.size(), 0u);
  EXPECT_EQ(compiled_model(model_of(background_with(reference::histosys("none", {20, 30}, {20, 30}))))
                .shifts.size(),
            0u);
  // Only the second bin moves.
  EXPECT_EQ(compiled_model(model_of(background_with(reference::histosys("some", {20, 28}, {20, 33}))))
                .shifts.size(),
            1u);
}

TEST(Compile, LogarithmsOfFactorsHaveTheBitsOfTheKernels) {
  for (const auto& [low, high] :
       {std::pair(0.9, 1.1), {1.0, 3.0}, {1e-310, 1.2}, {0.5, 5e-324}, {2.3e-308, 1.7e308}}) {
    const CompiledModel compiled = compiled_model(model_of(background_with(normsys("norm", low, high))));
    ASSERT_EQ(compiled.norms.size(), 1u);
    EXPECT_EQ(compiled.norms[0].log_low, host::ns_log(low)) << low;
    EXPECT_EQ(compiled.norms[0].log_high, host::ns_log(high)) << high;
  }
}

// The parameter and its constraint stay: they count in the NLL.
TEST(Compile, RefusesMoreTermsThanTheLimit) {
  const Workspace workspace = parse_workspace(reference::kAllModifiers).value();
  ModelOptions options;
  options.limits.terms = 10;
  const Result<Model> refused = build_model(workspace, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().front().code, ErrorCode::LimitExceeded);
  options.limits.terms = 1000;
  EXPECT_TRUE(build_model(workspace, options));
}

TEST(Compile, AParameterWithoutEffectKeepsItsConstraint) {
  const Model model = model_of(background_with(normsys("none", 1, 1)));
  EXPECT_EQ(model.n_parameters(), 2u);
  EXPECT_EQ(compiled_model(model).normals.size(), 1u);
  const double at_zero = evaluate(model, std::vector<double>{1, 0}).value().nll[0];
  EXPECT_DOUBLE_EQ(evaluate(model, std::vector<double>{1, 2}).value().nll[0], at_zero + 2);
}

TEST(Compile, FactorsWithoutLogarithmAreStraightLinesAndSaidSo) {
  for (const auto& [lo, hi] : {std::pair{0.0, 1.2}, std::pair{0.8, 0.0}, std::pair{-0.5, 1.4}}) {
    const Model model = model_of(background_with(normsys("odd", lo, hi)));
    EXPECT_EQ(compiled_model(model).norms.size(), 0u);
    EXPECT_EQ(compiled_model(model).linears.size(), 1u);
    ASSERT_EQ(model.warnings().size(), 1u);
    EXPECT_NE(model.warnings()[0].find("odd"), std::string::npos);
    for (const double a : {-1.5, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0}) {
      const double factor = a > 0 ? 1 + a * (hi - 1) : 1 + a * (1 - lo);
      EvaluateOptions options;
      options.expected = true;
      const std::vector<double> expected =
          evaluate(model, std::vector<double>{0, a}, options).value().expected;  // mu, odd
      EXPECT_NEAR(expected[0], 20 * factor, 1e-12) << lo << " " << hi << " " << a;
      EXPECT_NEAR(expected[1], 30 * factor, 1e-12);
    }
  }
  EXPECT_TRUE(model_of(background_with(normsys("even", 0.9, 1.1))).warnings().empty());
}

// Channels that know nothing of each other: tables grow like their number, not like its square.
json many_channels(std::size_t count) {
  json channels = json::array(), observations = json::array();
  for (std::size_t c = 0; c < count; ++c) {
    const std::string name = "channel_" + std::to_string(c);
    const json modifiers = {normsys("norm_" + name, 0.9, 1.1),
                            reference::histosys("shape_" + name, {9, 10}, {11, 12}),
                            modifier("stat_" + name, "staterror", {1.0, 1.0}), modifier("mu", "normfactor")};
    channels.push_back(
        {{"name", name}, {"samples", {reference::sample("sample_" + name, {10, 11}, modifiers)}}});
    observations.push_back({{"name", name}, {"data", {10, 12}}});
  }
  return reference::workspace(channels, observations);
}

TEST(Compile, TablesGrowLinearlyWithChannels) {
  const auto bytes = [](std::size_t count) {
    const CompiledModel compiled = compiled_model(model_of(many_channels(count)));
    return static_cast<double>(compiled.reals.size() * sizeof(double) +
                               compiled.indices.size() * sizeof(std::uint32_t) +
                               compiled.layout.row_size * sizeof(double));
  };
  const double hundred = bytes(100), four_hundred = bytes(400);
  EXPECT_LT(four_hundred, 4.1 * hundred);
  EXPECT_GT(four_hundred, 3.5 * hundred);
}

TEST(Dataset, ConstantIsTheNllOfAPerfectFit) {
  // Every count:              -log Pois(n | n) = log n! - n log n + n
  // Every normal constraint:  log(sigma sqrt(2 pi))
  const Model model = test::all_modifiers();
  const Dataset data = make_dataset(compiled_model(model), model.data());
  const auto perfect = [](double n) { return n == 0 ? 0.0 : std::lgamma(n + 1) - n * std::log(n) + n; };
  double expected = 0;
  for (std::size_t bin = 0; bin < model.n_bins(); ++bin) expected += perfect(model.data()[bin]);
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.constraint == Constraint::Normal)
      expected += std::log(parameter.width) + 0.5 * std::log(2 * std::acos(-1.0));
    if (parameter.constraint == Constraint::Poisson)
      expected += perfect(model.data()[parameter.data_index.value()]);
  }
  EXPECT_NEAR(data.constant, expected, 1e-11);
}

TEST(Dataset, CountsHaveInversesAndTinyOnesAreZero) {
  const Model model = model_of(background_with(normsys("norm", 0.9, 1.1)));
  const Dataset data = make_dataset(compiled_model(model), std::vector<double>{4, 1e-250, 0.5});
  EXPECT_EQ(data.values, (std::vector<double>{4, 0, 0.5}));
  EXPECT_EQ(data.inverse[0], 0.25);
  EXPECT_EQ(data.inverse[1], 0);
}

}  // namespace
}  // namespace nextstat

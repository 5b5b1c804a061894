// The Hessian factorized in parts against the whole matrix: the inverse, a solution, the variances, what is
// flat and what goes downhill.
#include "minimize/curvature/hessian_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <set>

#include "minimize/curvature/covariance.h"
#include "model/data/dataset.h"
#include "reference/test_workspaces.h"
#include "test_models.h"

namespace nextstat {
namespace {

using nlohmann::json;
using reference::modifier;
using reference::sample;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Case {
  Model model;
  Dataset data;
  std::vector<double> x;
  std::vector<char> moving;
};

Case case_of(const json& document) {
  Model model = test::model_of(document);
  Dataset data = make_dataset(compiled_model(model), model.data());
  Case result{std::move(model), std::move(data), {}, {}};
  for (const Parameter& parameter : result.model.parameters()) {
    result.x.push_back(parameter.init);
    result.moving.push_back(!parameter.fixed);
  }
  return result;
}

HessianFactor factor_of(const Case& c) {
  const CompiledModel& compiled = compiled_model(c.model);
  return HessianFactor(compiled, hessian_parts(compiled, c.data, c.x), c.moving, {.threads = 1});
}

// Three bins whose background has a shapefactor and, in `twice`, a second one.
json free_bins(bool twice, const json& more) {
  json modifiers = json::array({modifier("sf", "shapefactor")});
  if (twice) modifiers.push_back(modifier("sf_b", "shapefactor"));
  json samples = {sample("s", {5, 6, 7}, {modifier("mu", "normfactor")}),
                  sample("b", {50, 60, 70}, modifiers)};
  std::vector<double> expected = {55, 66, 77};
  if (!more.is_null()) samples.push_back(more);
  for (double& rate : expected) rate += more.is_null() ? 0 : 1;
  return reference::one_channel(samples, expected);
}

// Two locals in each bin of one channel, one in the other; a normfactor and two alphas that all bins share.
json two_channels() {
  const json alpha = reference::normsys("a", 0.9, 1.2);
  const json stat = modifier("stat", "staterror", {4, 3, 5}),
             shape = modifier("shape", "shapesys", {6, 7, 8});
  const json sway = reference::histosys("h", {48, 62, 69}, {53, 57, 74});
  const json signal = sample("s", {5, 6, 7}, {modifier("mu", "normfactor")});
  const json first = {{"name", "one"},
                      {"samples", {signal, sample("b", {50, 60, 70}, {alpha, stat, shape, sway})}}};
  const json gamma = modifier("gamma", "shapesys", {3, 2, 1});
  const json second = {{"name", "two"}, {"samples", {signal, sample("b", {30, 20, 10}, {alpha, gamma})}}};
  return reference::workspace(
      json::array({first, second}),
      json::array({{{"name", "one"}, {"data", {50, 70, 75}}}, {{"name", "two"}, {"data", {33, 24, 18}}}}));
}

Matrix moving_hessian(const Case& c, const std::vector<std::size_t>& parameters) {
  const std::vector<double> full = hessian(compiled_model(c.model), c.data, c.x);
  const Eigen::Index size = static_cast<Eigen::Index>(parameters.size());
  Matrix h(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j)
      h(i, j) = full[parameters[static_cast<std::size_t>(i)] * c.x.size() +
                     parameters[static_cast<std::size_t>(j)]];
  }
  return h;
}

TEST(HessianFactor, InvertsLikeTheWholeMatrix) {
  const Case c = case_of(two_channels());
  const HessianFactor found = factor_of(c);
  ASSERT_TRUE(found.downhill().empty());
  ASSERT_TRUE(found.flat().empty());
  std::vector<std::size_t> parameters;
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    if (c.moving[i]) parameters.push_back(i);
  }
  const Matrix expected = moving_hessian(c, parameters).inverse();
  const std::vector<double> matrix = found.matrix(), variances = found.variances();
  std::vector<double> gradient;
  for (std::size_t i = 0; i < c.x.size(); ++i) gradient.push_back(0.1 * static_cast<double>(i % 7) - 0.3);
  const std::vector<double> solution = found.solve(gradient);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Eigen::Index row = static_cast<Eigen::Index>(i);
    double sum = 0;
    for (std::size_t j = 0; j < parameters.size(); ++j) {
      const double value = expected(row, static_cast<Eigen::Index>(j));
      EXPECT_NEAR(matrix[parameters[i] * c.x.size() + parameters[j]], value, 1e-11);
      sum += value * gradient[parameters[j]];
    }
    EXPECT_NEAR(variances[parameters[i]], expected(row, row), 1e-11);
    EXPECT_NEAR(solution[parameters[i]], sum, 1e-10);
  }
}

TEST(HessianFactor, AFactorThatBinsAbsorbIsFlat) {
  const Case c = case_of(free_bins(false, nullptr));
  const HessianFactor found = factor_of(c);
  ASSERT_TRUE(found.downhill().empty());
  ASSERT_EQ(found.flat().size(), 1u);
  std::set<std::size_t> named;
  for (const auto& [parameter, part] : found.flat()[0].parts) named.insert(parameter);
  EXPECT_EQ(named.size(), 4u);  // mu and all three shapefactors
}

TEST(HessianFactor, ASecondFactorOfEachBinIsFlatAndOthersKeepTheirVariance) {
  const json constrained = sample("t", {1, 1, 1}, {reference::normsys("a", 0.9, 1.1)});
  const Case c = case_of(free_bins(true, constrained));
  const Covariance found = covariance(compiled_model(c.model), c.data, c.x, c.moving, 1);
  ASSERT_TRUE(found.positive_definite());
  EXPECT_EQ(found.flat.size(), 4u);  // one in each bin, and mu with them
  std::size_t known = 0;
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    if (std::isnan(found.variances[i])) continue;
    ++known;
    EXPECT_EQ(c.model.parameters()[i].name, "a");
    EXPECT_NEAR(found.variances[i], 1.0, 1e-9);  // the bins absorb what it does
    EXPECT_EQ(found.column(i)[i], found.variances[i]);
  }
  EXPECT_EQ(known, 1u);
}

TEST(HessianFactor, ASaddleHasADownhillDirection) {
  // Both variations lower a bin that expects too much: the NLL falls to either side of 0.
  const Case c =
      case_of(reference::signal_and_background({1}, {100}, reference::histosys("shape", {60}, {60}), {40}));
  const HessianFactor found = factor_of(c);
  ASSERT_FALSE(found.downhill().empty());
  const std::vector<double> full = hessian(compiled_model(c.model), c.data, c.x);
  double curvature = 0;
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    for (std::size_t j = 0; j < c.x.size(); ++j)
      curvature += found.downhill()[i] * full[i * c.x.size() + j] * found.downhill()[j];
  }
  EXPECT_LT(curvature, 0.0);
}

}  // namespace
}  // namespace nextstat

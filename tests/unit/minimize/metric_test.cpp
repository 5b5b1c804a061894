// The metric is the inverse of the Fisher information, whichever form it takes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "minimize/curvature/make_metric.h"
#include "minimize/rows/solve.h"
#include "model/derivatives/derivatives.h"
#include "reference/test_workspaces.h"
#include "test_models.h"

namespace nextstat {
namespace {

using nlohmann::json;
using test::model_of;
using Dense = std::vector<std::vector<double>>;

// One channel of `bins` bins: a signal with a free norm,
// and a background with `systematics` normsys and per-bin parameters.
json channel_of(std::size_t bins, std::size_t systematics, const std::vector<std::string>& bin_modifiers) {
  std::vector<double> signal, background, uncertainty;
  for (std::size_t b = 0; b < bins; ++b) {
    signal.push_back(2.0 + static_cast<double>(b % 5));
    background.push_back(40.0 + 3.0 * static_cast<double>(b % 7));
    uncertainty.push_back(1.5 + 0.25 * static_cast<double>(b % 3));
  }
  json modifiers = json::array();
  for (std::size_t i = 0; i < systematics; ++i) {
    const double size = 0.01 * static_cast<double>(i + 1);
    modifiers.push_back(reference::normsys(fmt::format("a{}", i), 1 - 0.8 * size, 1 + size));
  }
  for (const std::string& type : bin_modifiers)
    modifiers.push_back(reference::modifier(fmt::format("bins_{}", type), type, uncertainty));
  return reference::signal_over(signal, background, modifiers, background);
}

// J^T diag(1 / max(nu, 1)) J + constraints
Dense information(const Model& model, const std::vector<double>& x) {
  const CompiledModel& compiled = compiled_model(model);
  const Jacobian at = jacobian(compiled, x);
  Dense slopes(compiled.n_bins, std::vector<double>(compiled.n_parameters, 0.0));
  for (const JacobianBlock& block : at.blocks) {
    for (std::size_t b = 0; b < block.bins; ++b) {
      for (std::size_t c = 0; c < block.parameters.size(); ++c)
        slopes[block.first_bin + b][block.parameters[c]] = block.values[b * block.parameters.size() + c];
    }
  }
  for (std::size_t l = 0; l < compiled.locals.size(); ++l)
    slopes[compiled.locals[l].bin][compiled.locals[l].parameter] = at.locals[l];
  Dense sum(compiled.n_parameters, std::vector<double>(compiled.n_parameters, 0.0));
  for (std::size_t b = 0; b < compiled.n_bins; ++b) {
    for (std::size_t i = 0; i < compiled.n_parameters; ++i) {
      for (std::size_t j = 0; j < compiled.n_parameters; ++j)
        sum[i][j] += slopes[b][i] * slopes[b][j] / std::max(1.0, at.rates[b]);
    }
  }
  for (const auto& normal : compiled.normals)
    sum[normal.parameter][normal.parameter] += 1 / (normal.sigma * normal.sigma);
  for (const auto& poisson : compiled.poissons)
    sum[poisson.parameter][poisson.parameter] += poisson.tau / x[poisson.parameter];
  return sum;
}

// P^-1 as the kernels' tables say it.
Dense inverse_of(const Metric& metric) {
  const NsSolver& v = metric.layout;
  Dense inverse(v.n, std::vector<double>(v.n, 0.0));
  for (std::size_t i = 0; i < v.n; ++i) {
    inverse[i][i] += metric.reals[v.diagonal + i];
    for (std::size_t j = 0; j < v.n; ++j) {
      for (std::size_t r = 0; r < v.rank; ++r) {
        const double left = metric.reals[v.by_parameter + (i / 8 * v.rank + r) * 8 + i % 8];
        const double right = metric.reals[v.by_row + (r / 8 * v.n + j) * 8 + r % 8];
        inverse[i][j] += left * right;
      }
    }
  }
  return inverse;
}

void expect_inverse(const Model& model, const Metric& metric, const std::vector<double>& x) {
  const std::vector<char> fixed = fixed_of(model);
  const Dense p = information(model, x), inverse = inverse_of(metric);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(metric.reals[metric.layout.sigma + i], std::sqrt(std::max(0.0, inverse[i][i])), 1e-9);
    for (std::size_t k = 0; k < p.size(); ++k) {
      double product = 0;
      for (std::size_t j = 0; j < p.size(); ++j) product += fixed[j] ? 0.0 : inverse[i][j] * p[j][k];
      if (!fixed[i] && !fixed[k]) {
        EXPECT_NEAR(product * std::sqrt(p[i][i] / p[k][k]), i == k ? 1.0 : 0.0, 1e-6)
            << model.parameters()[i].name << " " << model.parameters()[k].name;
      }
    }
  }
}

void expect_inverse_of(const json& document, bool by_bins) {
  const Model model = model_of(document);
  const Metric metric = make_metric(compiled_model(model), model.initial(), fixed_of(model));
  EXPECT_EQ(metric.by_bins, by_bins);
  expect_inverse(model, metric, model.initial());
}

TEST(Metric, OverBinsWhereParametersOutnumberThem) {
  expect_inverse_of(channel_of(3, 20, {"staterror"}), true);
}
TEST(Metric, OverBinsWithSeveralGammasInABin) {
  expect_inverse_of(channel_of(3, 20, {"staterror", "shapesys"}), true);
}
TEST(Metric, OverParametersWhereBinsOutnumberThem) { expect_inverse_of(channel_of(60, 3, {}), false); }
TEST(Metric, OverParametersWithAGammaInEveryBin) {
  expect_inverse_of(channel_of(60, 3, {"staterror"}), false);
}
TEST(Metric, OverParametersWithSeveralGammasInABin) {
  json document = channel_of(60, 3, {"staterror", "shapesys"});
  json& shapesys = document["channels"][0]["samples"][1]["modifiers"][4]["data"];
  for (std::size_t b = 3; b < 60; ++b) shapesys[b] = 0;
  expect_inverse_of(document, false);
}
TEST(Metric, OfAllModifiers) {
  const Model model = test::all_modifiers();
  expect_inverse(model, make_metric(compiled_model(model), model.initial(), fixed_of(model)),
                 model.initial());
}

TEST(Metric, DoesNotDependOnThreads) {
  const Model model = model_of(channel_of(400, 120, {"staterror"}));
  const Metric one = make_metric(compiled_model(model), model.initial(), fixed_of(model), 1);
  EXPECT_TRUE(one.reals == make_metric(compiled_model(model), model.initial(), fixed_of(model), 2).reals);
  EXPECT_TRUE(one.reals == make_metric(compiled_model(model), model.initial(), fixed_of(model), 0).reals);
}

TEST(Metric, AFreeFactorWithoutEffectStaysFinite) {
  json document = channel_of(4, 2, {});
  document["channels"][0]["samples"][0]["data"] = {0, 0, 0, 0};
  const Model model = model_of(document);
  const Metric metric = make_metric(compiled_model(model), model.initial(), fixed_of(model));
  for (double value : metric.reals) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace nextstat

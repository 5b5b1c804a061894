// From any sensible start a fit ends in the same minimum, reports no convergence, or finds a second minimum.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "cpu/cpu_session.h"
#include "minimize/curvature/covariance.h"
#include "minimize/rows/solve.h"
#include "model/data/dataset.h"
#include "reference/test_workspaces.h"
#include "test_models.h"

namespace nextstat {
namespace {

using nlohmann::json;

constexpr std::size_t kStarts = 100;
constexpr double kSame = 1e-8;  // of the NLL

// Workspaces whose likelihood has several minima: systematics that shift a bin the same way up and down leave
// two valleys. The suggested start decides which one a fit ends in; another start may lead to any of them.
const std::set<std::string> kSeveralMinima = {"3lresonance.bkg", "stanhf-allmods", "stau-comb-400-40"};

// Normal constraints move by N(0, 1) of their width; free factors and gammas are scaled by exp(0.2 N(0, 1)).
std::vector<double> random_start(const Model& model, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  std::vector<double> start;
  for (const Parameter& parameter : model.parameters()) {
    const bool is_alpha = parameter.init == 0 && parameter.constraint == Constraint::Normal;
    const double draw = normal(engine);
    double value = is_alpha ? parameter.init + draw : parameter.init * std::exp(0.2 * draw);
    value = std::clamp(value, parameter.low, parameter.high);
    start.push_back(parameter.fixed ? parameter.init : value);
  }
  return start;
}

struct Tally {
  std::size_t same = 0, not_converged = 0, second_minimum = 0, wrong = 0, drawn = 0;
  std::size_t most_iterations = 0;
  std::set<double> others;  // NLL of the other minima
};

bool is_minimum(const Model& model, const Minimum& found) {
  const CompiledModel& compiled = compiled_model(model);
  const Covariance at = covariance(compiled, make_dataset(compiled, model.data()), found.parameters,
                                   test::inside_bounds(model, found.parameters), 1);
  // A valley that is flat along a curve has a curvature of the size of the gradient that is left, 1e-7.
  return at.positive_definite() || at.smallest_pivot > -1e-6;
}

Tally try_starts(const Model& model, const Minimum& known) {
  const auto session = make_cpu_session(model, {.threads = 0}).value();
  std::mt19937_64 engine(20260101);
  RowBatch batch;
  batch.starts = {model.initial()};
  Tally tally;
  while (batch.rows.size() < kStarts && tally.drawn < 50 * kStarts) {
    ++tally.drawn;
    std::vector<double> start = random_start(model, engine);
    if (!std::isfinite(session->evaluate({.parameters = start}).value().nll[0])) continue;
    batch.starts.add(start);
    batch.rows.push_back({.start = batch.starts.size() - 1});
  }
  EXPECT_EQ(batch.rows.size(), kStarts);
  const std::vector<Minimum> minima = solve(*session, model, batch, {.threads = 0}).value();
  for (const Minimum& found : minima) {
    tally.most_iterations = std::max(tally.most_iterations, found.iterations);
    if (std::abs(found.nll - known.nll) <= kSame) {
      ++tally.same;
    } else if (!found.converged()) {
      ++tally.not_converged;
    } else if (is_minimum(model, found)) {
      ++tally.second_minimum;
      tally.others.insert(std::round(found.nll * 1e7) / 1e7);
    } else {
      ++tally.wrong;
    }
  }
  return tally;
}

TEST(RandomStarts, ReachTheSameMinimum) {
  NEXTSTAT_NEEDS_DATA();
  const json references = reference::read_data("references.json");
  for (const auto& [name, expected] : references["fits"].items()) {
    SCOPED_TRACE(name);
    const Model model = test::model_of(reference::read_data(name + ".json"));
    const auto session = make_cpu_session(model, {}).value();
    RowBatch batch;
    batch.starts = {model.initial()};
    batch.rows = {{}};
    const Minimum known = solve(*session, model, batch).value().front();
    const Tally tally = try_starts(model, known);
    std::printf("%-22s %3zu same, %zu not converged, %zu second minima, %zu wrong; most iterations %zu\n",
                name.c_str(), tally.same, tally.not_converged, tally.second_minimum, tally.wrong,
                tally.most_iterations);
    for (double nll : tally.others) std::printf("    another minimum: %.7f, known %.7f\n", nll, known.nll);
    EXPECT_EQ(tally.wrong, 0u);
    EXPECT_GE(tally.same + tally.second_minimum, kStarts - 1);
    if (!kSeveralMinima.contains(name)) {
      EXPECT_GE(tally.same, kStarts - 1);
    }
  }
}

}  // namespace
}  // namespace nextstat

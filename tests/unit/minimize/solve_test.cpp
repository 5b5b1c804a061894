// The row solver finds minima, says how sure it is, and does not depend on threads or neighbors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "cpu/cpu_session.h"
#include "minimize/rows/solve.h"
#include "reference/test_workspaces.h"
#include "test_models.h"

namespace nextstat {
namespace {

using nlohmann::json;
using test::model_of;
constexpr auto two_bins = reference::two_bins_workspace;

std::unique_ptr<DeviceSession> session_of(const Model& model, std::size_t threads = 1) {
  return make_cpu_session(model, {.threads = threads}).value();
}

Minimum fit(const Model& model, std::vector<double> start, std::vector<FixedParameter> fixed = {}) {
  RowBatch batch;
  batch.starts = {std::move(start)};
  batch.rows = {Row{.fixed = std::move(fixed)}};
  return solve(*session_of(model), model, batch).value().front();
}

TEST(Solve, FindsTheKnownMinimumAtABound) {
  const Model model = model_of(two_bins({51, 48}));
  const Minimum free = fit(model, model.initial());
  EXPECT_EQ(free.termination, Termination::Converged);
  EXPECT_NEAR(2 * free.nll, 24.9839352003, 1e-9);
  EXPECT_EQ(free.parameters[0], 0.0);
  EXPECT_NEAR(free.parameters[1], 1.00305085, 1e-7);
  EXPECT_NEAR(free.parameters[2], 0.96268088, 1e-7);
}

TEST(Solve, HoldsFixedParameters) {
  const Model model = model_of(two_bins({51, 48}));
  const Minimum conditional = fit(model, model.initial(), {{0, 1.0}});
  EXPECT_EQ(conditional.termination, Termination::Converged);
  EXPECT_NEAR(2 * conditional.nll, 28.9221801337, 1e-9);
  EXPECT_EQ(conditional.parameters[0], 1.0);
  EXPECT_NEAR(conditional.parameters[2], 0.87553584, 1e-7);
}

TEST(Solve, RefusesAStartOutsideTheBounds) {
  const Model model = model_of(two_bins({51, 48}));
  RowBatch batch;
  batch.starts = {std::vector{11.0, 1.0, 1.0}};
  batch.rows = {Row{}};
  const auto refused = solve(*session_of(model), model, batch);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().front().where.inside, "mu");
}

TEST(Solve, AStartWithoutFiniteNllIsReplacedWhereThereIsAnother) {
  json document = two_bins({51, 48});
  document["channels"][0]["samples"].erase(1);
  document["channels"][0]["samples"][0]["modifiers"].push_back(reference::shapesys({1, 1}));
  const Model model = model_of(document);
  std::vector<double> start = model.initial();
  start[0] = 0;
  const Minimum moved = fit(model, start), usual = fit(model, model.initial());
  EXPECT_EQ(moved.termination, Termination::Converged);
  EXPECT_NEAR(moved.nll, usual.nll, 1e-9);
  ASSERT_EQ(moved.began_at.size(), start.size());
  EXPECT_GT(moved.began_at[0], 0.0);
  EXPECT_EQ(moved.began_at[1], start[1]);  // nothing else had to move
  EXPECT_TRUE(usual.began_at.empty());
  EXPECT_EQ(fit(model, start, {{0, 0.0}}).termination, Termination::NotFinite);
}

// Two systematics, drawn far by a large channel, take a bin that is almost empty below zero; the sum of the products
// there is curved.
json nearly_empty_bin(double count) {
  using namespace reference;
  const json wide = json::array({histosys("a", {919, 735, 1200}, {1070, 859, 1200}),
                                 histosys("b", {1120, 825, 1230}, {893, 778, 1170})});
  const json small = json::array({histosys("a", {2.48e-6}, {1.31e-6}), normsys("a", 0.75, 1.3),
                                  histosys("b", {3.02e-6}, {5.45e-7}), normsys("b", 0.75, 1.3)});
  const json other = json::array({histosys("b", {3.02e-6}, {5.45e-7}), normsys("b", 0.75, 1.3)});
  const json signal = sample("signal", {1, 2, 1}, json::array({modifier("mu", "normfactor")}));
  return workspace(
      json::array({{{"name", "large"}, {"samples", {signal, sample("wide", {1000, 800, 1200}, wide)}}},
                   {{"name", "small"},
                    {"samples", {sample("small", {2e-6}, small), sample("other", {1e-6}, other)}}}}),
      json::array({{{"name", "large"}, {"data", {700, 950, 1000}}}, {{"name", "small"}, {"data", {count}}}}));
}

TEST(Solve, AWallThinnerThanStepsEndsWhereAThickerOneDoes) {
  const auto nll = [](double count) {
    const Model model = model_of(nearly_empty_bin(count));
    const Minimum minimum = fit(model, model.initial(), {{*model.poi_index(), 1.0}});
    EXPECT_TRUE(minimum.converged()) << count;
    return minimum.nll;
  };
  const double thick = nll(1e-4);
  for (const double count : {4e-6, 1e-8, 1e-12, 9e-16, 1e-30}) EXPECT_NEAR(nll(count), thick, 3e-3) << count;
  EXPECT_NEAR(nll(9e-16), nll(1e-12), 1e-7);
}

TEST(Solve, ARowDoesNotDependOnNeighborsOrThreads) {
  const Model model = test::all_modifiers();
  RowBatch many;
  many.starts = {model.initial()};
  for (int i = 0; i < 20; ++i) many.rows.push_back(Row{.fixed = {{*model.poi_index(), 0.1 * i}}});
  const auto one_thread = solve(*session_of(model, 1), model, many).value();
  const auto two_threads = solve(*session_of(model, 2), model, many).value();
  for (std::size_t i = 0; i < many.rows.size(); ++i) {
    RowBatch single;
    single.starts = many.starts;
    single.rows = {many.rows[i]};
    const Minimum alone = solve(*session_of(model), model, single).value().front();
    EXPECT_EQ(one_thread[i].parameters, two_threads[i].parameters);
    EXPECT_EQ(one_thread[i].parameters, alone.parameters);
    EXPECT_EQ(one_thread[i].nll, alone.nll);
  }
}

TEST(Solve, ReachesTheReferenceMinimaOfRealWorkspaces) {
  NEXTSTAT_NEEDS_DATA();
  const json references = reference::read_data("references.json");
  for (const auto& [name, expected] : references["fits"].items()) {
    SCOPED_TRACE(name);
    const Model model = model_of(reference::read_data(name + ".json"));
    const Minimum minimum = fit(model, model.initial());
    EXPECT_EQ(minimum.termination, Termination::Converged);
    const double known = expected["nll_min"].get<double>();
    const double tolerance = name.starts_with("3lrj") ? 1e-3 : 1e-8;  // that reference has lost digits
    EXPECT_NEAR(minimum.nll, known, tolerance);
    if (expected["poihat"].is_number() && model.poi_index()) {
      EXPECT_NEAR(minimum.parameters[*model.poi_index()], expected["poihat"].get<double>(), 2e-6);
    }
  }
}

}  // namespace
}  // namespace nextstat

// A search finds every minimum of a small model, the same ones whatever else is asked with it.
#include <gtest/gtest.h>

#include <cmath>

#include "cpu/cpu_session.h"
#include "minimize/basins/basins.h"
#include "reference/test_workspaces.h"
#include "test_models.h"

namespace nextstat {
namespace {

using nlohmann::json;
using test::index_of;
using test::model_of;

// A systematic that lowers the first bin and raises the second, up and down alike: two valleys.
// `tilt` makes one of them deeper.
json two_valleys(double tilt) {
  const json shape = reference::histosys("jes", {8.0, 11.0}, {8.0 - tilt, 11.0 + tilt});
  return reference::signal_over({5, 5}, {10, 10}, {shape, reference::normsys("kb", 0.95, 1.05)}, {11, 23});
}

RowBatch batch_of(const Model& model, std::vector<Row> rows) {
  RowBatch batch;
  batch.starts = {model.initial()};
  batch.rows = std::move(rows);
  return batch;
}

std::vector<Basins> search(const Model& model, const RowBatch& batch, const SearchRule& rule = {},
                           std::size_t threads = 1) {
  const auto session = make_cpu_session(model, {.threads = threads}).value();
  const ModelBends bends(compiled_model(model), model.initial());
  return find_basins(*session, model, &bends, batch, rule, {.threads = threads}).value();
}

TEST(Basins, FindsBothValleysAndOrdersThem) {
  const Model model = model_of(two_valleys(0.4));
  const Basins found = search(model, batch_of(model, {{}})).front();
  ASSERT_EQ(found.minima.size(), 2u);
  EXPECT_LT(found.minima[0].nll, found.minima[1].nll - 1e-3);
  const std::size_t jes = index_of(model, "jes");
  EXPECT_GT(found.minima[0].parameters[jes], 0.5);
  EXPECT_LT(found.minima[1].parameters[jes], -0.5);
  EXPECT_TRUE(found.exhausted);
  EXPECT_GE(found.starts, 104u);
}

TEST(Basins, KeepsTwinsOfOneDepth) {
  const Model model = model_of(two_valleys(0.0));
  // The suggested start, where nothing slopes, leads to the saddle between them.
  const Basins found = search(model, batch_of(model, {{}})).front();
  ASSERT_EQ(found.minima.size(), 3u);
  EXPECT_GT(found.minima[2].nll, found.minima[0].nll + 1e-3);
  EXPECT_TRUE(same_nll(found.minima[0].nll, found.minima[1].nll));
  const std::size_t jes = index_of(model, "jes");
  EXPECT_NEAR(found.minima[0].parameters[jes], -found.minima[1].parameters[jes], 1e-5);
}

TEST(Basins, OneStartIsSolve) {
  const Model model = model_of(two_valleys(0.4));
  const RowBatch batch = batch_of(model, {{}});
  const Basins found = search(model, batch, {.starts = 1}).front();
  const auto session = make_cpu_session(model, {.threads = 1}).value();
  const Minimum alone = solve(*session, model, batch).value().front();
  ASSERT_EQ(found.minima.size(), 1u);
  EXPECT_EQ(found.deepest().nll, alone.nll);
  EXPECT_EQ(found.deepest().parameters, alone.parameters);
  EXPECT_EQ(found.starts, 1u);
  EXPECT_FALSE(found.exhausted);
}

TEST(Basins, SameBitsAloneInABatchAndOnThreads) {
  const Model model = model_of(two_valleys(0.4));
  const std::size_t mu = *model.poi_index();
  std::vector<Row> rows;
  for (const double value : {0.0, 0.5, 1.0}) rows.push_back(Row{.fixed = {{mu, value}}});
  const std::vector<Basins> together = search(model, batch_of(model, rows));
  const std::vector<Basins> threads = search(model, batch_of(model, rows), {}, 2);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Basins alone = search(model, batch_of(model, {rows[k]})).front();
    for (const Basins* other : {&together[k], &threads[k]}) {
      ASSERT_EQ(other->minima.size(), alone.minima.size());
      for (std::size_t m = 0; m < alone.minima.size(); ++m)
        EXPECT_EQ(other->minima[m].nll, alone.minima[m].nll);
      EXPECT_EQ(other->starts, alone.starts);
    }
  }
}

TEST(Basins, SeedsSayWhereTheyLed) {
  const Model model = model_of(two_valleys(0.4));
  std::vector<double> left = model.initial(), right = model.initial();
  const std::size_t jes = index_of(model, "jes");
  left[jes] = -1.2;
  right[jes] = 1.2;
  SearchRule rule{.starts = 1};
  rule.relies = {1};
  rule.seeds = {{left, right}};
  const Basins found = search(model, batch_of(model, {{}}), rule).front();
  ASSERT_EQ(found.seeds_led_to.size(), 2u);
  EXPECT_TRUE(same_nll(found.seeds_led_to[1], found.minima[0].nll));
  EXPECT_TRUE(same_nll(found.seeds_led_to[0], found.minima[1].nll));
}

TEST(ModelBends, RanksWhatBendsAndLeavesOutWhatDoesNot) {
  const Model model = model_of(two_valleys(0.0));
  const ModelBends bends(compiled_model(model), model.initial());
  ASSERT_EQ(bends.parameters().size(), 1u);
  EXPECT_EQ(bends.parameters()[0], index_of(model, "jes"));
  ASSERT_EQ(bends.pushes().size(), 4u);  // two bins, up and down
}

}  // namespace
}  // namespace nextstat

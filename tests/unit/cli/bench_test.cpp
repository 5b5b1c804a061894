// The parts of `nextstat bench`: generated models, summaries of times, comparisons.
#include <gtest/gtest.h>
#include <nextstat/fit.h>

#include "bench/bench_suite.h"
#include "bench/generated_workspace.h"
#include "test_models.h"

namespace nextstat::cli {
namespace {

TEST(GeneratedWorkspace, HasTheSizeThatItsShapeSays) {
  const GeneratedShape shapes[] = {
      {},
      {.channels = 3, .bins = 7, .samples = 2, .normsys = 4, .histosys = 1, .staterror_channels = 2},
      {.channels = 1, .bins = 2, .samples = 1, .normsys = 0, .histosys = 0, .staterror_channels = 0},
      {.channels = 2, .bins = 1, .samples = 3, .normsys = 0, .histosys = 2, .staterror_channels = 1},
  };
  for (const GeneratedShape& shape : shapes) {
    const Model model = test::model_of_text(generated_workspace(shape));
    EXPECT_EQ(model.n_parameters(), shape.parameters());
    EXPECT_EQ(model.n_bins(), shape.channels * shape.bins);
    EXPECT_TRUE(fit(model)->converged);
  }
}

TEST(GeneratedWorkspace, FollowsFromShapeAndSeed) {
  EXPECT_EQ(generated_workspace({}), generated_workspace({}));
  EXPECT_NE(generated_workspace({}), generated_workspace({.seed = 2}));
}

TEST(GeneratedWorkspace, TheLargeModelOfTheBenchmarkHas5101Parameters) {
  const GeneratedShape shape{
      .channels = 50, .bins = 200, .samples = 10, .normsys = 100, .histosys = 50, .staterror_channels = 18};
  EXPECT_EQ(shape.parameters(), 5101u);
}

TEST(BenchTimings, MedianAndQuartilesOfUnsortedTimes) {
  const BenchTiming timing = summarize("fit/small", {5, 1, 3, 2, 4}, true);
  EXPECT_DOUBLE_EQ(timing.median_s, 3);
  EXPECT_DOUBLE_EQ(timing.spread, 2.0 / 3.0);
  EXPECT_EQ(timing.n, 5u);
}

TEST(BenchTimings, SlowerMeansBeyondAQuarterAndBeyondTheSpreads) {
  const auto regression = [](double before_spread, double now_s, double now_spread) {
    const BenchTiming before{.name = "fit", .median_s = 1, .spread = before_spread};
    const BenchTiming now{.name = "fit", .median_s = now_s, .spread = now_spread};
    return compare_timings({&before, 1}, {&now, 1}).at(0).regression();
  };
  EXPECT_FALSE(regression(0.01, 1.2, 0.01));
  EXPECT_TRUE(regression(0.01, 1.3, 0.01));
  EXPECT_FALSE(regression(0.1, 1.55, 0.1));
  EXPECT_TRUE(regression(0.1, 1.65, 0.1));
  EXPECT_FALSE(regression(0.01, 0.5, 0.01));
}

// Quartiles 2% apart on either side: an ordinary run on a quiet machine.
TEST(BenchTimings, AFactorOf1_3IsFoundWhereTheSpreadIsSmall) {
  const std::vector<double> calls = {1.01, 0.99, 1.00, 1.02, 0.98, 1.01, 0.99, 1.00, 1.00};
  std::vector<double> slower = calls;
  for (double& seconds : slower) seconds *= 1.3;
  const BenchTiming before = summarize("fit", calls, true), now = summarize("fit", slower, true);
  EXPECT_NEAR(before.spread, 0.02, 1e-12);
  EXPECT_TRUE(compare_timings({&before, 1}, {&now, 1}).at(0).regression());
  EXPECT_FALSE(compare_timings({&now, 1}, {&before, 1}).at(0).regression());
  EXPECT_FALSE(compare_timings({&before, 1}, {&before, 1}).at(0).regression());
}

TEST(BenchTimings, AFactorOf1_3IsNotFoundWhereCallsDifferByAsMuch) {
  const std::vector<double> calls = {0.9, 1.2, 1.0, 0.8, 1.1, 1.3, 0.7};
  std::vector<double> slower = calls;
  for (double& seconds : slower) seconds *= 1.3;
  const BenchTiming before = summarize("fit", calls, true), now = summarize("fit", slower, true);
  EXPECT_FALSE(compare_timings({&before, 1}, {&now, 1}).at(0).regression());
}

TEST(BenchTimings, OnlyCasesOfBothRunsAreCompared) {
  const BenchTiming before[] = {{.name = "a", .median_s = 1}, {.name = "b", .median_s = 1}};
  const BenchTiming now[] = {{.name = "b", .median_s = 2}, {.name = "c", .median_s = 1}};
  const std::vector<BenchChange> changes = compare_timings(before, now);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].name, "b");
  EXPECT_DOUBLE_EQ(changes[0].ratio, 2);
}

TEST(BenchSuite, AStopLeavesOutWhatWasNotFinished) {
  std::stop_source stop;
  BenchOptions options{.stop = stop.get_token()};
  options.on_progress = [&](std::size_t done, std::size_t) {
    if (done == 2) stop.request_stop();
  };
  const Result<BenchRun> done = run_suite(Suite::Quick, options);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->timings.size(), 2u);
}

}  // namespace
}  // namespace nextstat::cli

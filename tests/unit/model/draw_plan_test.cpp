// Whole toys: what they depend on, which data are drawn how, and numbers that must never change.
#include "model/draw/draw_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "conformance/cases.h"
#include "cpu/cpu_session.h"

namespace nextstat {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 3 bins, then a normal and a Poisson constraint whose data stand in the other order.
CompiledModel small_model() {
  CompiledModel model;
  model.n_bins = 3;
  model.n_data = 5;
  model.normals = {{0, 4, 0.25}};
  model.poissons = {{1, 3, 20.0}};
  return model;
}

std::vector<double> toy_of(const DrawPlan& plan, std::uint64_t seed, std::uint32_t hypothesis,
                           std::uint64_t toy) {
  std::vector<double> data(plan.data.size());
  draw_toys(plan, seed, hypothesis, toy, 1, data.data());
  return data;
}

DrawPlan plan_of(const std::vector<double>& expected) {
  return make_draw_plan(small_model(), expected, {}, false).value();
}

TEST(DrawPlan, KindsFollowFromTheModelAndTheRates) {
  const DrawPlan plan = plan_of({1e-9, 300, -1, 20, 1});
  const unsigned kinds[] = {NS_DRAW_TABLE, NS_DRAW_REJECTION, NS_DRAW_CONSTANT, NS_DRAW_TABLE,
                            NS_DRAW_NORMAL};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(plan.data[i].kind, kinds[i]) << i;
  EXPECT_EQ(plan_of({1, 1, kLargestTableRate, 1, 1}).data[2].kind, unsigned{NS_DRAW_TABLE});
  EXPECT_EQ(plan_of({1, 1, std::nextafter(kLargestTableRate, 1e9), 1, 1}).data[2].kind,
            unsigned{NS_DRAW_REJECTION});
}

TEST(DrawPlan, RatesThatAreNotPositiveDrawZeroAndNegativeOnesAreListed) {
  const DrawPlan plan = plan_of({0, -2.5, -0.0, -1e-300, -3});
  for (std::uint64_t toy = 0; toy < 100; ++toy) {
    const std::vector<double> data = toy_of(plan, 1, 0, toy);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(data[i], 0);
    EXPECT_LT(data[4], 0);  // a normal may be negative
  }
  EXPECT_EQ(plan.negative, (std::vector<std::uint32_t>{1, 3}));
}

TEST(DrawPlan, FixedAuxiliaryDataStayAsObserved) {
  const std::vector<double> observed = {20.5, -0.125};
  const DrawPlan plan =
      make_draw_plan(small_model(), std::vector<double>{5, 5, 5, kInfinity, NAN}, observed, true).value();
  for (std::uint64_t toy = 0; toy < 100; ++toy) {
    const std::vector<double> data = toy_of(plan, 1, 0, toy);
    EXPECT_EQ(data[3], 20.5);
    EXPECT_EQ(data[4], -0.125);
  }
  EXPECT_EQ(toy_of(plan, 1, 0, 8)[1], toy_of(plan_of({5, 5, 5, 20, 1}), 1, 0, 8)[1]);
}

TEST(DrawPlan, NormalDataHaveTheConstraintsWidth) {
  const DrawPlan plan = plan_of({5, 5, 5, 20, 1.5});
  double sum = 0, squares = 0;
  constexpr int kCount = 100000;
  for (std::uint64_t toy = 0; toy < kCount; ++toy) {
    const double pull = (toy_of(plan, 1, 0, toy)[4] - 1.5) / 0.25;
    sum += pull;
    squares += pull * pull;
  }
  EXPECT_NEAR(sum / kCount, 0, 4 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 4 * std::sqrt(2.0 / kCount));
}

TEST(DrawPlan, RefusesWhatCannotBeDrawn) {
  for (double bad : {kInfinity, -kInfinity, std::nan(""), std::nextafter(kLargestRate, kInfinity)}) {
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<double> expected = {1, 1, 1, 1, 1};
      expected[i] = bad;
      const auto plan = make_draw_plan(small_model(), expected, {}, false);
      ASSERT_FALSE(plan) << bad;
      EXPECT_NE(plan.errors()[0].what.find("datum " + std::to_string(i)), std::string::npos);
    }
  }
  EXPECT_FALSE(make_draw_plan(small_model(), std::vector<double>{1, 1, 1, 1, kInfinity}, {}, false));
  EXPECT_TRUE(make_draw_plan(small_model(), std::vector<double>{1, kLargestRate, 1, 1, 1e300}, {}, false));
  EXPECT_FALSE(make_draw_plan(small_model(), std::vector<double>(4, 1.0), {}, false));
  EXPECT_FALSE(make_draw_plan(small_model(), std::vector<double>(5, 1.0), {}, true));
  CompiledModel large;
  large.n_data = large.n_bins = kMostDrawnData + 1;
  const auto refused = make_draw_plan(large, std::vector<double>(large.n_data, 1.0), {}, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors()[0].code, ErrorCode::LimitExceeded);
}

TEST(Toys, NumbersBeyondTheCounterAreABug) {
  const DrawPlan plan = plan_of({1, 1, 1, 1, 1});
  EXPECT_THROW(toy_of(plan, 1, kHypotheses, 0), std::logic_error);
  EXPECT_THROW(toy_of(plan, 1, 0, kToys), std::logic_error);
  EXPECT_NO_THROW(toy_of(plan, 1, kHypotheses - 1, kToys - 1));
}

TEST(Toys, DependOnSeedHypothesisAndNumberOnly) {
  const DrawPlan plan = plan_of({3.5, 500, 1e6, 20, 1});
  constexpr std::size_t kCount = 200;
  std::vector<double> together(kCount * 5);
  draw_toys(plan, 42, 3, 1000, kCount, together.data());
  for (std::size_t i = kCount; i-- > 0;)
    EXPECT_EQ(toy_of(plan, 42, 3, 1000 + i),
              std::vector<double>(together.begin() + static_cast<std::ptrdiff_t>(5 * i),
                                  together.begin() + static_cast<std::ptrdiff_t>(5 * i + 5)));
  const std::vector<double> toy = toy_of(plan, 42, 3, 1000);
  EXPECT_NE(toy, toy_of(plan, 43, 3, 1000));
  EXPECT_NE(toy, toy_of(plan, 42 + (std::uint64_t{1} << 32), 3, 1000));
  EXPECT_NE(toy, toy_of(plan, 42, 4, 1000));
  EXPECT_NE(toy, toy_of(plan, 42, 3, 1001));
  EXPECT_NE(toy, toy_of(plan, 42, 3, 1000 + (std::uint64_t{1} << 40)));
}

TEST(Toys, ADatumDoesNotDependOnItsNeighbors) {
  const DrawPlan one = plan_of({3.5, 500, 1e6, 20, 1}), other = plan_of({700, 500, -1, 20, 1});
  for (std::uint64_t toy = 0; toy < 100; ++toy) {
    const std::vector<double> a = toy_of(one, 5, 0, toy), b = toy_of(other, 5, 0, toy);
    for (std::size_t i : {1, 3, 4}) EXPECT_EQ(a[i], b[i]) << i;
  }
}

// Neighbors share a block of random bits and must still be independent: correlation over many toys.
TEST(Toys, NeighborsAreIndependent) {
  const double rates[] = {100, 100, 400, 400};  // by table, by rejection
  const DrawPlan plan = plan_of({100, 100, 400, 400, 0});
  constexpr std::size_t kCount = 100000;
  std::vector<double> data(kCount * 5);
  draw_toys(plan, 6, 0, 0, kCount, data.data());
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0;
      for (std::size_t toy = 0; toy < kCount; ++toy)
        sum +=
            (data[toy * 5 + i] - rates[i]) * (data[toy * 5 + j] - rates[j]) / std::sqrt(rates[i] * rates[j]);
      EXPECT_NEAR(sum / kCount, 0, 4 / std::sqrt(kCount)) << i << ' ' << j;
    }
  }
}

// Committed numbers: a change of any of them changes every published toy result.
TEST(Toys, AreTheCommittedNumbers) {
  const Model model = conformance::load_model(conformance::small_cases()[0]);
  EvalRequest request;
  const std::vector<double> start = model.initial();
  request.parameters = start;
  request.expected = true;
  const std::vector<double> expected = make_cpu_session(model).value()->evaluate(request).value().expected;
  const DrawPlan plan = make_draw_plan(compiled_model(model), expected, {}, false).value();
  EXPECT_EQ(toy_of(plan, 2024, 0, 0),
            (std::vector<double>{123, 45, 98, 67, 25, 34, -0.7139599679532318, 0.86068263962017433,
                                 1.0096058760219209, 0.086628906047177073, 98, 1, 0.93234977190487622,
                                 0.37070959937595882, 0.98154047751698748, 1.0198269747425426}));
  EXPECT_EQ(toy_of(plan, 0xfedcba9876543210, 65535, (std::uint64_t{1} << 40) + 7),
            (std::vector<double>{118, 76, 90, 75, 27, 37, 0.48943265781681633, -0.45503901861888674,
                                 1.0219134360532127, 0.10301732869333029, 116, 3, 0.95705783190846616,
                                 1.1278707716981582, 1.0238007713588972, 0.88382180900869534}));
}

TEST(Toys, OfLargeRatesAreTheCommittedNumbers) {
  const DrawPlan plan = plan_of({500.5, 1e6, 1e12, 0x1p51, -1});
  EXPECT_EQ(toy_of(plan, 2024, 0, 0),
            (std::vector<double>{501, 999409, 999998522821, 2251799796258672, -1.0826718298704179}));
  EXPECT_EQ(toy_of(plan, 2024, 1, 3),
            (std::vector<double>{498, 998822, 999998940046, 2251799804409566, -1.049940223723949}));
}

}  // namespace
}  // namespace nextstat

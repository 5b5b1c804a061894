// Tables of the Poisson distribution function, against 113-bit arithmetic.
#include "model/draw/poisson_table.h"

#include <gtest/gtest.h>
#include <quadmath.h>

#include <algorithm>
#include <random>

#include "kernels/host.h"
#include "model/draw/draw_plan.h"

namespace nextstat {
namespace {

using Quad = __float128;

constexpr Quad kScale = 0x1p64;
constexpr double kRates[] = {5e-324, 1e-300, 1e-21, 1e-19, 1e-9,  1e-3,  0.3,   0.999,
                             1,      2,      3.5,   10,    37.25, 100.1, 255.9, kLargestTableRate};

// 2^64 P(count <= k) for k = 0, 1, ...
std::vector<Quad> exact_thresholds(double rate, std::size_t count) {
  std::vector<Quad> values;
  Quad weight = expq(-Quad{rate}), sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    sum += weight;
    values.push_back(sum * kScale);
    weight *= Quad{rate} / static_cast<Quad>(k + 1);
  }
  return values;
}

// Within half a unit of 2^-64 = 5.4e-20, far below the 1e-15 that doubles would give.
TEST(PoissonTable, ThresholdsAreTheExactDistributionRounded) {
  for (const double rate : kRates) {
    const PoissonTable table = make_poisson_table(rate);
    const std::size_t end = table.lowest + table.thresholds.size();
    const std::vector<Quad> exact = exact_thresholds(rate, end + 1);
    double worst = 0;
    for (std::size_t i = 0; i < table.thresholds.size(); ++i) {
      const Quad difference = static_cast<Quad>(table.thresholds[i]) - exact[table.lowest + i];
      worst = std::max(worst, static_cast<double>(fabsq(difference)));
    }
    EXPECT_LT(worst, 0.501) << "rate " << rate;
    if (table.lowest > 0) {
      EXPECT_LT(static_cast<double>(exact[table.lowest - 1]), 0.501) << "rate " << rate;
    }
    EXPECT_LT(static_cast<double>(kScale - exact[end]), 0.501) << "rate " << rate;
  }
}

TEST(PoissonTable, GuideAndBisectionFindWhatASearchFinds) {
  std::mt19937_64 generator(23);
  for (const double rate : kRates) {
    const PoissonTable table = make_poisson_table(rate);
    const std::vector<NsDatum> data = {{NS_DRAW_TABLE, 0, 0, 0, table.shift, table.lowest}};
    const host::NsDrawTables tables{data.data(), 1, nullptr, table.thresholds.data(), table.guide.data()};
    ASSERT_EQ(table.guide.size(), (std::size_t{1} << (64 - table.shift)) + 1);
    std::vector<std::uint64_t> numbers = {0, 1, ~std::uint64_t{0}};
    for (std::uint64_t t : table.thresholds) numbers.insert(numbers.end(), {t - 1, t, t + 1});
    for (int i = 0; i < 1000; ++i) numbers.push_back(generator());
    for (std::uint64_t j = 0; j + 1 < table.guide.size(); ++j) numbers.push_back(j << table.shift);
    for (std::uint64_t number : numbers) {
      const auto above = std::upper_bound(table.thresholds.begin(), table.thresholds.end(), number);
      ASSERT_EQ(host::ns_poisson_by_table(&tables, data.data(), number),
                static_cast<double>(table.lowest + (above - table.thresholds.begin())))
          << "rate " << rate << ", number " << number;
    }
  }
}

TEST(PoissonTable, PlacesOfAllTablesFit32Bits) {
  const PoissonTable table = make_poisson_table(kLargestTableRate);
  EXPECT_LT(table.thresholds.size() * kMostDrawnData, std::size_t{1} << 32);
  EXPECT_LT(table.guide.size() * kMostDrawnData, std::size_t{1} << 32);
}

}  // namespace
}  // namespace nextstat

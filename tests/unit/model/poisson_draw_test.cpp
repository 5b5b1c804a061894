// Drawn counts have the Poisson distribution: goodness of fit with fixed seeds, so a test either always
// passes or never does. Bounds are at 4 sigma, chi-squares at a probability of 1e-4.
#include <gtest/gtest.h>
#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/distributions.h"
#include "kernels/host.h"
#include "model/draw/draw_plan.h"

namespace nextstat {
namespace {

using Quad = __float128;

CompiledModel bins_only(std::size_t bins) {
  CompiledModel model;
  model.n_bins = model.n_data = bins;
  return model;
}

std::vector<double> draw(double rate, std::size_t count, std::uint64_t seed) {
  const std::vector<double> rates(8, rate);
  const DrawPlan plan = make_draw_plan(bins_only(rates.size()), rates, {}, false).value();
  std::vector<double> values(count);
  draw_toys(plan, seed, 0, 0, count / rates.size(), values.data());
  return values;
}

// P(n) for any real n >= 0, a smooth function: 113 bits leave 1e-20 of the exponent at 1e12.
double poisson(double rate, Quad n) {
  return static_cast<double>(expq(n * logq(rate) - rate - lgammaq(n + 1)));
}

// P(begin <= n < end). Sums of up to 64 terms; wider ranges by Gauss's rule over [begin - 1/2, end - 1/2],
// where the terms change over hundreds of counts and the difference to the sum is below 1e-5 of it.
double poisson_between(double rate, double begin, double end) {
  double sum = 0;
  if (end - begin <= 64) {
    for (double n = begin; n < end; ++n) sum += poisson(rate, n);
    return sum;
  }
  constexpr double kNode[] = {0, 0.5384693101056831, 0.9061798459386640};
  constexpr double kWeight[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  const Quad center = (Quad{begin} + end - 1) / 2, half = (Quad{end} - begin) / 2;
  for (int i = 0; i < 3; ++i) {
    sum += kWeight[i] * poisson(rate, center + half * kNode[i]);
    if (i > 0) sum += kWeight[i] * poisson(rate, center - half * kNode[i]);
  }
  return sum * static_cast<double>(half);
}

// Edges of ranges: single counts, or a tenth of sigma for large rates, over 6 sigma.
std::vector<double> edges(double rate) {
  const double sigma = std::sqrt(rate), width = std::max(1.0, std::floor(sigma / 10));
  std::vector<double> list = {std::max(0.0, std::floor(rate - 6 * sigma))};
  while (list.back() < rate + 6 * sigma + 3) list.push_back(list.back() + width);
  return list;
}

// How many values lie in each range; those outside count in the last one.
std::vector<double> count_ranges(const std::vector<double>& edge, const std::vector<double>& values) {
  std::vector<double> counts(edge.size() - 1);
  for (double value : values) {
    const auto above = std::upper_bound(edge.begin(), edge.end(), value);
    const bool outside = above == edge.begin() || above == edge.end();
    ++counts[outside ? counts.size() - 1 : static_cast<std::size_t>(above - edge.begin()) - 1];
  }
  return counts;
}

// The probability of a chi-square as large as that of these counts.
// Ranges with few expected counts join the next one.
double goodness(double rate, const std::vector<double>& values) {
  const std::vector<double> edge = edges(rate), counts = count_ranges(edge, values);
  const double total = static_cast<double>(values.size());
  double left = 1, expected = 0, observed = 0, chi_square = 0;
  std::ptrdiff_t ranges = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool last = i + 1 == counts.size();
    const double probability = last ? left : poisson_between(rate, edge[i], edge[i + 1]);
    left -= probability;
    expected += total * probability;
    observed += counts[i];
    if (!last && (expected < 25 || total * left < 25)) continue;
    chi_square += (observed - expected) * (observed - expected) / expected;
    ++ranges;
    expected = observed = 0;
  }
  return ranges == 1 ? 1 : chi_square_tail(chi_square, ranges - 1);
}

class PoissonDraw : public testing::TestWithParam<double> {};

TEST_P(PoissonDraw, HasTheExactDistribution) {
  const double rate = GetParam();
  const std::vector<double> values = draw(rate, 1 << 20, 29);
  const double count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (double n : values) {
    ASSERT_EQ(n, std::floor(n));
    ASSERT_GE(n, 0);
    sum += n - rate;
    squares += (n - rate) * (n - rate);
  }
  // The variance of (n - rate)^2 is 2 rate^2 + rate.
  EXPECT_NEAR(sum / count, 0, 4 * std::sqrt(rate / count) + 1 / count);
  EXPECT_NEAR(squares / count, rate, 4 * std::sqrt((2 * rate * rate + rate) / count) + 1 / count);
  EXPECT_GT(goodness(rate, values), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Rates, PoissonDraw,
                         testing::Values(1e-9, 1e-3, 0.3, 1, 10, 100.5, kLargestTableRate, 256.0000001, 257.9,
                                         1000, 1e4, 12345.678, 1e6, 1e9, 1e12, 0x1p52));

// The last bits of large counts are as random as the rest: no grid is left by rounding.
TEST(PoissonDraw, LastBitsOfLargeCountsAreUniform) {
  for (const double rate : {1e9 + 0.5, 1e12, 0x1p51}) {
    std::map<int, double> seen;
    const std::vector<double> values = draw(rate, 1 << 18, 31);
    for (double n : values) ++seen[static_cast<int>(std::fmod(n, 16))];
    double chi_square = 0;
    for (int i = 0; i < 16; ++i) chi_square += (seen[i] - 16384) * (seen[i] - 16384) / 16384;
    EXPECT_GT(chi_square_tail(chi_square, 15), 1e-4) << "rate " << rate;
  }
}

// Counts far out come as often as they should: 4 sigma and more on either side.
TEST(PoissonDraw, TailsHaveTheirShare) {
  for (const double rate : {25.0, 250.0, 400.0, 1e6}) {
    const double low = std::floor(rate - 4 * std::sqrt(rate)), high = std::ceil(rate + 4 * std::sqrt(rate));
    double expected_low = 0, expected_high = 0, seen_low = 0, seen_high = 0;
    const double far = 8 * std::sqrt(rate);
    for (double n = std::max(0.0, low - far); n <= low; ++n) expected_low += poisson(rate, n);
    for (double n = high; n < high + far; ++n) expected_high += poisson(rate, n);
    const std::vector<double> values = draw(rate, 1 << 21, 37);
    for (double n : values) seen_low += n <= low, seen_high += n >= high;
    const double count = static_cast<double>(values.size());
    EXPECT_NEAR(seen_low, count * expected_low, 4 * std::sqrt(count * expected_low) + 1) << "rate " << rate;
    EXPECT_NEAR(seen_high, count * expected_high, 4 * std::sqrt(count * expected_high)) << "rate " << rate;
  }
}

// What the rejection method rests on: an acceptance probability P(n) G'(u) / height of at most 1, above the
// squeeze in the middle, and below the least v where a try is dropped unseen. Checked in steps of u.
// c: constants of a rate.
void expect_hat_above(const double* c) {
  const double rate = c[NS_POISSON_RATE];
  constexpr int kSteps = 1500;
  for (int i = 1 - kSteps; i < kSteps; ++i) {
    const double u = 0.5 * i / kSteps, d = 0.5 - std::abs(u);
    const double n = c[NS_POISSON_WHOLE] +
                     std::floor((2 * c[NS_POISSON_A] / d + c[NS_POISSON_B]) * u + c[NS_POISSON_CENTER]);
    const double slope = c[NS_POISSON_A] / (d * d) + c[NS_POISSON_B];
    const double accepted = n < 0 ? 0 : poisson(rate, n) * slope / c[NS_POISSON_HEIGHT];
    ASSERT_LE(accepted, 1) << "rate " << rate << ", u " << u;
    if (d >= 0.07) {
      ASSERT_GE(accepted, c[NS_POISSON_SQUEEZE]) << "rate " << rate << ", u " << u;
    }
    if (d < 0.001953125 || n < 1) {
      ASSERT_LT(accepted, 0x1p-53) << "rate " << rate << ", u " << u;
    }
  }
}

TEST(PoissonDraw, TheHatOfTheRejectionMethodLiesAboveTheDistribution) {
  std::vector<double> rates = {256.0000001, 257.85, 0x1p52};
  for (double rate = 256.5; rate < 0x1p52; rate *= rate < 1000 ? 1.037 : 2.17) rates.push_back(rate);
  for (const double rate : rates) {
    const DrawPlan plan = make_draw_plan(bins_only(1), {{rate}}, {}, false).value();
    ASSERT_EQ(plan.data[0].kind, static_cast<unsigned>(NS_DRAW_REJECTION));
    expect_hat_above(plan.reals.data());
  }
}

// The acceptance test in doubles against 113 bits: it may differ only where both sides agree to 1e-12.
TEST(PoissonDraw, AcceptanceIsDecidedToRounding) {
  for (const double rate : {256.5, 1e4, 1e9, 1e12, 0x1p52}) {
    const DrawPlan plan = make_draw_plan(bins_only(1), {{rate}}, {}, false).value();
    const double* c = plan.reals.data();
    for (double d = 0.02; d < 0.5; d += 0.003) {
      const double n =
          c[NS_POISSON_WHOLE] +
          std::floor((2 * c[NS_POISSON_A] / d + c[NS_POISSON_B]) * (0.5 - d) + c[NS_POISSON_CENTER]);
      const double slope = c[NS_POISSON_A] / (d * d) + c[NS_POISSON_B];
      const double accepted = poisson(rate, n) * slope / c[NS_POISSON_HEIGHT];
      EXPECT_TRUE(host::ns_poisson_accepts(c, n, d, accepted * (1 - 1e-12))) << rate << ' ' << n;
      EXPECT_FALSE(host::ns_poisson_accepts(c, n, d, accepted * (1 + 1e-12))) << rate << ' ' << n;
    }
  }
}

}  // namespace
}  // namespace nextstat

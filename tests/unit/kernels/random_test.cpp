// Random numbers and normal deviates of src/kernels: published answers, stated packing, stated errors.
#include <gtest/gtest.h>
#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/host.h"

namespace {

using namespace nextstat::host;
using Quad = __float128;

// Random123's kat_vectors: "philox4x32 10".
TEST(Philox, GivesThePublishedAnswers) {
  const struct {
    NsWords counter;
    u32 key[2];
    NsWords answer;
  } cases[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (const auto& c : cases) {
    const NsWords words = ns_philox(c.counter, c.key[0], c.key[1]);
    EXPECT_EQ(words.x, c.answer.x);
    EXPECT_EQ(words.y, c.answer.y);
    EXPECT_EQ(words.z, c.answer.z);
    EXPECT_EQ(words.w, c.answer.w);
  }
}

TEST(Philox, CounterIsPackedAsStated) {
  const wide seed = 0x0123456789abcdef, toy = 0xa5b6'c7d8e9fa;
  const NsWords found = ns_random_words(ns_toy(seed, 0x4321, toy), 0x11223344, 0x55667788);
  const NsWords stated = ns_philox({0xc7d8e9fa, 0x4321a5b6, 0x11223344, 0x55667788}, 0x89abcdef, 0x01234567);
  EXPECT_EQ(ns_first_half(found), stated.x | wide{stated.y} << 32);
  EXPECT_EQ(ns_second_half(found), stated.z | wide{stated.w} << 32);
}

TEST(Unit, LiesBetweenZeroAndOneAndIsSymmetric) {
  EXPECT_EQ(ns_unit(0), 0x1p-53);
  EXPECT_EQ(ns_unit(~wide{0}), 1 - 0x1p-53);
  std::mt19937_64 generator(3);
  for (int i = 0; i < 1000; ++i) {
    const wide random = generator();
    EXPECT_EQ(ns_unit(random), 1 - ns_unit(~random));
  }
}

// The exact quantile, by Newton's steps from the value under test.
Quad exact_quantile(double p, double start) {
  Quad x = start;
  for (int i = 0; i < 3; ++i) {
    const Quad tail = erfcq(x / sqrtq(2)) / 2, density = expq(-x * x / 2) / sqrtq(2 * acosq(-1));
    x += tail / density * logq(tail / p);
  }
  return x;
}

TEST(NormalQuantile, IsExactTo1e15InTheWholeTail) {
  constexpr double kLimit = 1e-15;  // relative, as normal.h states
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> exponent(-65, -1), probability(0, 0.5);
  double worst = 0, at = 0;
  const auto look = [&](double p) {
    const double x = ns_upper_quantile(p);
    const Quad exact = exact_quantile(p, x);
    const double error = static_cast<double>(fabsq((x - exact) / exact));
    if (error > worst) worst = error, at = p;
  };
  for (int i = 0; i < 20000; ++i) {
    look(std::exp2(exponent(generator)));
    look(probability(generator));
  }
  for (double edge : {0x1p-65, 0.125, std::exp(-9.0)})
    for (double p : {std::nextafter(edge, 1.0), edge}) look(p);
  RecordProperty("worst", std::to_string(worst * 1e15));
  EXPECT_LT(worst, kLimit) << "at p = " << at;
  EXPECT_GT(worst, 1e-17) << "nothing was measured";
}

// 20 digits from 75-digit arithmetic (mpmath).
TEST(NormalQuantile, AgreesWithHighPrecisionValues) {
  const struct {
    double p, exact;
  } cases[] = {{0.5, 0.0},
               {0.25, 0.67448975019608174320},
               {0.125, 1.1503493803760081783},
               {0.0625, 1.5341205443525463117},
               {0x1p-10, 3.0972690781987844624},
               {0x1p-20, 4.7630010342678139570},
               {0x1p-40, 7.0477002566644087254},
               {0x1p-65, 9.155293772686072546}};
  for (const auto& c : cases) EXPECT_NEAR(ns_upper_quantile(c.p), c.exact, 1e-15 * c.exact) << c.p;
}

TEST(StandardNormal, MirrorsAndAscends) {
  std::mt19937_64 generator(7);
  for (int i = 0; i < 10000; ++i) {
    const wide random = generator();
    EXPECT_EQ(ns_standard_normal(random), -ns_standard_normal(~random));
    const wide step = wide{1} << 40;
    if (random < ~step) {
      EXPECT_LT(ns_standard_normal(random), ns_standard_normal(random + step));
    }
  }
  EXPECT_NEAR(ns_standard_normal(0), -9.155293772686072546, 1e-14);
  EXPECT_NEAR(ns_standard_normal(~wide{0}), 9.155293772686072546, 1e-14);
}

// Kolmogorov's distance of a million deviates: sqrt(n) D exceeds 1.95 with a probability of 0.001.
TEST(StandardNormal, HasTheNormalDistribution) {
  constexpr u32 kCount = 1000000;
  std::vector<double> values;
  double sum = 0, squares = 0;
  for (u32 i = 0; i < kCount / 2; ++i) {
    const NsWords words = ns_random_words(ns_toy(11, 0, i), 0, 0);
    for (wide half : {ns_first_half(words), ns_second_half(words)})
      values.push_back(ns_standard_normal(half));
  }
  std::sort(values.begin(), values.end());
  double distance = 0;
  std::size_t tail = 0;
  for (u32 i = 0; i < kCount; ++i) {
    const double below = 0.5 * std::erfc(-values[i] / std::sqrt(2.0));
    distance = std::max({distance, std::abs(below - i * 1.0 / kCount), std::abs(below - (i + 1.0) / kCount)});
    sum += values[i];
    squares += values[i] * values[i];
    tail += std::abs(values[i]) > 4;
  }
  EXPECT_LT(distance * std::sqrt(kCount), 1.95);
  EXPECT_NEAR(sum / kCount, 0, 4 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 4 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(static_cast<double>(tail), 6.334e-5 * kCount, 4 * std::sqrt(6.334e-5 * kCount));
}

}  // namespace

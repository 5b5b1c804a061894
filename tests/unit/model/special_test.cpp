#include "model/data/dataset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/host.h"

namespace {

using nextstat::log_factorial_excess;

constexpr double kTolerance = 1e-14;  // absolute, as special.h states

// 20 digits from 150-digit arithmetic (mpmath).
TEST(LogFactorialExcess, AgreesWithHighPrecisionValues) {
  const struct {
    double n, exact;
  } cases[] = {
      {5e-324, 3.6829633056978250705e-321},
      {1e-300, 6.9177552789821372252e-298},
      {1e-20, 4.6474486194979378326e-19},
      {1e-16, 3.7264145823003197408e-15},
      {1e-8, 1.8843465087275503279e-7},
      {0.001, 0.0073313616806987676422},
      {0.1, 0.28038606803956485468},
      {0.5, 0.72579135264472743236},
      {1, 1.0},
      {1.5, 1.1764852083106725867},
      {2, 1.3068528194400546906},
      {3.7, 1.5955737136099052919},
      {7, 1.9037903176782211644},
      {15.999, 2.3104096246818126187},
      {16, 2.3104405502441730011},
      {16.5, 2.3256686109895232068},
      {17, 2.3404466011812155198},
      {50, 2.8766166803657291366},
      {1000, 4.3728995060262968242},
      {123456.75, 6.7807622938478062204},
      {1.9e11, 13.904083487758559988},
      {1e15, 18.188326730660015455},
      {1e30, 35.457714928115358012},
      {1e50, 58.48356585805581488},
  };
  for (const auto& c : cases) EXPECT_NEAR(log_factorial_excess(c.n), c.exact, kTolerance) << c.n;
}

// n! is an exact double up to 22!.
TEST(LogFactorialExcess, AgreesWithFactorialsOfSmallIntegers) {
  long double factorial = 1;
  for (int n = 1; n <= 22; ++n) {
    factorial *= n;
    const long double exact = std::log(factorial) - n * std::log(static_cast<long double>(n)) + n;
    EXPECT_NEAR(log_factorial_excess(n), static_cast<double>(exact), kTolerance) << n;
  }
}

TEST(LogFactorialExcess, IsSmoothWhereTheRecurrenceMeetsTheSeries) {
  const double below = log_factorial_excess(16), above = log_factorial_excess(std::nextafter(16.0, 17.0));
  EXPECT_NEAR(below, above, 1e-15);
  EXPECT_NEAR(log_factorial_excess(1e-16), log_factorial_excess(std::nextafter(1e-16, 0.0)), 1e-15);
}

TEST(LogFactorialExcess, IsZeroAtZeroAndNotANumberBelow) {
  EXPECT_EQ(log_factorial_excess(0), 0);
  EXPECT_TRUE(std::isnan(log_factorial_excess(-1)));
  EXPECT_TRUE(std::isnan(log_factorial_excess(std::numeric_limits<double>::quiet_NaN())));
}

// -log Poisson(3 | 2.5) = 2.5 - 3 log 2.5 + log 6.
TEST(LogFactorialExcess, CompletesTheDevianceToThePoissonTerm) {
  const double term = nextstat::host::ns_poisson_deviance(3, 1.0 / 3, 2.5) + log_factorial_excess(3);
  EXPECT_NEAR(term, 2.5 - 3 * std::log(2.5) + std::log(6.0), 2e-15);
}

}  // namespace

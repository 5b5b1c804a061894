// Holds the errors that src/kernels/math.h states, against 113-bit arithmetic.
// Also holds that 8 lanes give the bits of one.
#include <gtest/gtest.h>
#include <quadmath.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "kernels/host.h"

// Three more instantiations beside nextstat::host: scalar f32, and 8 lanes of either.
#define FN static inline

namespace scalar32 {
using real = float;
using u64 = std::uint32_t;
#define REAL_BITS 32
#define R(x) static_cast<float>(x)
#define U(x) static_cast<std::uint32_t>(x)
#define AS_BITS(x) std::bit_cast<std::uint32_t>(x)
#define FROM_BITS(u) std::bit_cast<float>(u)
#include "kernels/math.h"
#undef REAL_BITS
#undef R
#undef U
#undef AS_BITS
#undef FROM_BITS
}  // namespace scalar32

#define AS_BITS(x) reinterpret_cast<u64>(x)
#define FROM_BITS(u) reinterpret_cast<real>(u)

namespace lanes64 {
typedef double real __attribute__((vector_size(64)));
typedef std::uint64_t u64 __attribute__((vector_size(64)));
#define REAL_BITS 64
#define R(x) (real{} + static_cast<double>(x))
#define U(x) (u64{} + static_cast<std::uint64_t>(x))
#include "kernels/math.h"
#undef REAL_BITS
#undef R
#undef U
}  // namespace lanes64

namespace lanes32 {
typedef float real __attribute__((vector_size(32)));
typedef std::uint32_t u64 __attribute__((vector_size(32)));
#define REAL_BITS 32
#define R(x) (real{} + static_cast<float>(x))
#define U(x) (u64{} + static_cast<std::uint32_t>(x))
#include "kernels/math.h"
#undef REAL_BITS
#undef R
#undef U
}  // namespace lanes32

namespace {

using Quad = __float128;

// Largest error in ulp of the exact result, as stated in math.h; near: |t| <= 1/4.
struct Limits {
  double log, exp, t_minus_log1p_near, t_minus_log1p, deviance_near, deviance;
};

#define FORWARD_FUNCTIONS(ns, type)                                     \
  static type log(type x) { return ns::ns_log(x); }                     \
  static type exp(type x) { return ns::ns_exp(x); }                     \
  static type t_minus_log1p(type t) { return ns::ns_t_minus_log1p(t); } \
  static type deviance(type n, type inverse_n, type nu) { return ns::ns_poisson_deviance(n, inverse_n, nu); }

struct Lanes64 {
  using Vector = lanes64::real;
  FORWARD_FUNCTIONS(lanes64, Vector)
};
struct Lanes32 {
  using Vector = lanes32::real;
  FORWARD_FUNCTIONS(lanes32, Vector)
};
struct F64 {
  using Real = double;
  using Bits = std::uint64_t;
  using Lanes = Lanes64;
  static constexpr Limits kLimits{1, 1, 4, 10, 7, 16};
  static constexpr int kExponents = 300;  // decimal exponents safely inside the range
  static constexpr double kExpHighest = 709.782712893384, kExpLowest = -708.3964185322641;
  FORWARD_FUNCTIONS(nextstat::host, Real)
};
struct F32 {
  using Real = float;
  using Bits = std::uint32_t;
  using Lanes = Lanes32;
  static constexpr Limits kLimits{1, 1, 4, 10, 7, 16};
  static constexpr int kExponents = 36;
  static constexpr double kExpHighest = 88.7228317f, kExpLowest = -87.3365402f;
  FORWARD_FUNCTIONS(scalar32, Real)
};

template <class Real>
double error_in_ulp(Real computed, Quad exact) {
  int exponent = 0;
  frexpq(exact, &exponent);  // exact in [2^(exponent-1), 2^exponent)
  const int digits = std::numeric_limits<Real>::digits;
  const int lowest = std::numeric_limits<Real>::min_exponent - digits;  // ulp of a subnormal
  return static_cast<double>(fabsq(static_cast<Quad>(computed) - exact) /
                             ldexpq(1, std::max(exponent - digits, lowest)));
}

// t - log(1 + t); the series where 113 bits would cancel.
Quad exact_t_minus_log1p(Quad t) {
  if (fabsq(t) > 1e-4) return t - log1pq(t);
  Quad sum = 0, power = t;
  for (int j = 2; j < 12; ++j) {
    power *= -t;
    sum -= power / j;
  }
  return sum;
}

Quad exact_deviance(Quad n, Quad nu) {
  const Quad t = (nu - n) / n;
  return n * (t < -0.5 ? t - logq(nu / n) : exact_t_minus_log1p(t));  // 1 + t would lose a small nu / n
}

template <class F>
class KernelMath : public testing::Test {
 protected:
  using T = typename F::Real;

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  T between(double low, double high) { return static_cast<T>(uniform(low, high)); }
  T power_of_ten(double low, double high) { return static_cast<T>(std::pow(10.0, uniform(low, high))); }
  T any_bits() { return std::bit_cast<T>(static_cast<typename F::Bits>(random_())); }
  T sign() { return random_() % 2 != 0 ? T(1) : T(-1); }

  // Draws x = draw() many times.
  // The largest error of computed(x) against exact(x) must stay within the limit.
  template <class Computed, class Exact, class Draw>
  void hold(const char* region, double limit, Computed computed, Exact exact, Draw draw) {
    double worst = 0;
    auto at = draw();
    for (int i = 0; i < kDraws; ++i) {
      const auto x = draw();
      const double error = error_in_ulp<T>(computed(x), exact(x));
      if (!(error <= worst)) {
        worst = error;
        at = x;
      }
    }
    this->RecordProperty(region, std::to_string(worst));
    EXPECT_LE(worst, limit) << region << " at " << std::hexfloat << testing::PrintToString(at);
  }

  static constexpr int kDraws = 100'000;
  std::mt19937_64 random_{20240611};
};

using Precisions = testing::Types<F64, F32>;
TYPED_TEST_SUITE(KernelMath, Precisions);

TYPED_TEST(KernelMath, LogHoldsItsStatedError) {
  using F = TypeParam;
  using Real = typename F::Real;
  const auto exact = [](Real x) { return logq(x); };
  const double limit = F::kLimits.log;
  const Real tiny = std::numeric_limits<Real>::min();
  this->hold("log_normal", limit, F::log, exact,
             [&] { return this->power_of_ten(-F::kExponents, F::kExponents); });
  this->hold("log_subnormal", limit, F::log, exact,
             [&] { return std::max(this->between(0, 1) * tiny, std::numeric_limits<Real>::denorm_min()); });
  this->hold("log_center", limit, F::log, exact, [&] { return this->between(0.5, 2.0); });
  this->hold("log_near_one", limit, F::log, exact,
             [&] { return Real(1) + this->sign() * this->power_of_ten(-16, -1); });
}

TYPED_TEST(KernelMath, ExpHoldsItsStatedError) {
  using F = TypeParam;
  using Real = typename F::Real;
  const auto exact = [](Real x) { return expq(x); };
  const double limit = F::kLimits.exp;
  this->hold("exp_range", limit, F::exp, exact, [&] { return this->between(F::kExpLowest, F::kExpHighest); });
  this->hold("exp_center", limit, F::exp, exact, [&] { return this->between(-1.0, 1.0); });
  this->hold("exp_small", limit, F::exp, exact,
             [&] { return this->sign() * this->power_of_ten(-F::kExponents, 0); });
  this->hold("exp_seam", limit, F::exp, exact, [&] {
    return Real(std::round(this->uniform(-100, 100)) * 0.5 * std::log(2.0)) + this->between(-1e-6, 1e-6);
  });
}

TYPED_TEST(KernelMath, TMinusLog1pHoldsItsStatedError) {
  using F = TypeParam;
  using Real = typename F::Real;
  const auto exact = [](Real t) { return exact_t_minus_log1p(t); };
  const double limit = F::kLimits.t_minus_log1p;
  const double small = -F::kExponents / 2.0;
  this->hold("t_near", F::kLimits.t_minus_log1p_near, F::t_minus_log1p, exact,
             [&] { return this->sign() * this->power_of_ten(small, -0.603); });
  this->hold("t_center", limit, F::t_minus_log1p, exact, [&] { return this->between(-0.9999, 3.0); });
  this->hold("t_near_minus_one", limit, F::t_minus_log1p, exact,
             [&] { return Real(-1) + this->power_of_ten(-7, -1); });
  this->hold("t_large", limit, F::t_minus_log1p, exact,
             [&] { return this->power_of_ten(-1, F::kExponents); });
  this->hold("t_seam", limit, F::t_minus_log1p, exact,
             [&] { return this->sign() * this->between(0.29, 0.42); });
}

TYPED_TEST(KernelMath, PoissonDevianceHoldsItsStatedError) {
  using F = TypeParam;
  using Real = typename F::Real;
  using Pair = std::array<Real, 2>;  // n, nu
  const auto computed = [](Pair p) { return F::deviance(p[0], 1 / p[0], p[1]); };
  const auto exact = [](Pair p) { return exact_deviance(p[0], p[1]); };
  const double limit = F::kLimits.deviance;
  const auto relative = [&](Real n, double t) { return Pair{n, static_cast<Real>(n * (1 + t))}; };
  const double spread = std::max<double>(1e-9, 8 * std::numeric_limits<Real>::epsilon());
  const auto any_n = [&] { return this->power_of_ten(-8, 12); };
  this->hold("deviance_near", F::kLimits.deviance_near, computed, exact, [&] {
    return relative(any_n(), this->sign() * this->power_of_ten(-std::numeric_limits<Real>::digits10, -0.603));
  });
  this->hold("deviance_center", limit, computed, exact,
             [&] { return relative(any_n(), this->uniform(-0.99, 3)); });
  this->hold("deviance_seams", limit, computed, exact,
             [&] { return relative(any_n(), this->sign() * this->uniform(0.29, 0.42)); });
  this->hold("deviance_far", limit, computed, exact, [&] {
    return Pair{any_n(), this->power_of_ten(-20, 20)};
  });
  this->hold("deviance_auxiliary_data", limit, computed, exact,
             [&] { return relative(static_cast<Real>(1.9e11), this->uniform(-spread, spread)); });
  this->hold("deviance_tiny_n", limit, computed, exact, [&] {
    return Pair{this->power_of_ten(-8, -7), this->power_of_ten(-9, 3)};
  });
}

TYPED_TEST(KernelMath, LogsHaveTheirSpecialValues) {
  using F = TypeParam;
  using Real = typename F::Real;
  const Real infinity = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(F::log(0), -infinity);
  EXPECT_EQ(F::log(Real(-0.0)), -infinity);
  EXPECT_EQ(F::log(infinity), infinity);
  EXPECT_EQ(F::log(1), 0);
  for (const Real x : {Real(-1e-30), Real(-1), Real(-2), -infinity, nan})
    EXPECT_TRUE(std::isnan(F::log(x))) << x;
}

TYPED_TEST(KernelMath, ExpOverflowsToInfinityAndFlushesSubnormalsToZero) {
  using F = TypeParam;
  using Real = typename F::Real;
  const Real infinity = std::numeric_limits<Real>::infinity();
  const Real highest = static_cast<Real>(F::kExpHighest), lowest = static_cast<Real>(F::kExpLowest);
  EXPECT_LE(error_in_ulp<Real>(F::exp(highest), expq(highest)), F::kLimits.exp);
  EXPECT_LE(error_in_ulp<Real>(F::exp(lowest), expq(lowest)), F::kLimits.exp);
  EXPECT_EQ(F::exp(std::nextafter(highest, infinity)), infinity);
  EXPECT_EQ(F::exp(std::nextafter(lowest, -infinity)), 0);
  EXPECT_LT(expq(std::nextafter(lowest, -infinity)), Quad(std::numeric_limits<Real>::min()));
  EXPECT_GT(expq(std::nextafter(highest, infinity)), Quad(std::numeric_limits<Real>::max()));
  EXPECT_EQ(F::exp(infinity), infinity);
  EXPECT_EQ(F::exp(std::numeric_limits<Real>::max()), infinity);
  EXPECT_EQ(F::exp(-infinity), 0);
  EXPECT_EQ(F::exp(std::numeric_limits<Real>::lowest()), 0);
  EXPECT_EQ(F::exp(0), 1);
  EXPECT_TRUE(std::isnan(F::exp(std::numeric_limits<Real>::quiet_NaN())));
}

TYPED_TEST(KernelMath, DevianceIsInfiniteWhereNuIsInfeasibleAndNuWhereNothingWasSeen) {
  using F = TypeParam;
  using Real = typename F::Real;
  const Real infinity = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
  for (const Real n : {Real(1e-8), Real(1), Real(1.9e11)}) {
    for (const Real nu : {Real(0), Real(-0.0), Real(-1), -infinity, nan, infinity}) {
      EXPECT_EQ(F::deviance(n, 1 / n, nu), infinity) << n << " " << nu;
    }
    EXPECT_EQ(F::deviance(n, 1 / n, n), 0);
  }
  for (const Real inverse_n : {Real(0), infinity, nan}) {
    for (const Real nu : {Real(0), Real(3.5), infinity}) EXPECT_EQ(F::deviance(0, inverse_n, nu), nu);
  }
  for (const Real t : {Real(-1), Real(-2), nan, infinity}) EXPECT_EQ(F::t_minus_log1p(t), infinity) << t;
  EXPECT_EQ(F::t_minus_log1p(0), 0);
}

TEST(KernelMathKnownValues, AreThoseOfTheTextbook) {
  using namespace nextstat::host;
  EXPECT_DOUBLE_EQ(ns_log(2.0), 0.69314718055994530942);
  EXPECT_DOUBLE_EQ(ns_log(10.0), 2.30258509299404568402);
  EXPECT_DOUBLE_EQ(ns_exp(1.0), 2.71828182845904523536);
  EXPECT_DOUBLE_EQ(ns_poisson_deviance(10.0, 0.1, 12.0), 2.0 - 10.0 * 0.18232155679395462621);
  // 1.9e11 * (t^2/2 - t^3/3) for t = 1e-9: the direct form loses all of it.
  EXPECT_NEAR(ns_poisson_deviance(1.9e11, 1 / 1.9e11, 1.9e11 + 190), 9.49999999367e-8, 1e-17);
}

// Every function of 8 lanes beside its scalar twin, on one row of arguments.
template <class F>
void expect_same_bits(const std::array<typename F::Real, 8>& x, const std::array<typename F::Real, 8>& n,
                      std::size_t& differing) {
  using Real = typename F::Real;
  using Lanes = typename F::Lanes;
  typename Lanes::Vector vx{}, vn{}, inverse{};
  for (std::size_t lane = 0; lane < 8; ++lane) {
    vx[lane] = x[lane];
    vn[lane] = n[lane];
    inverse[lane] = 1 / n[lane];
  }
  const auto same = [](Real a, Real b) { return std::memcmp(&a, &b, sizeof(Real)) == 0; };
  const auto log = Lanes::log(vx), exp = Lanes::exp(vx), t = Lanes::t_minus_log1p(vx);
  const auto deviance = Lanes::deviance(vn, inverse, vx);
  for (std::size_t lane = 0; lane < 8; ++lane) {
    const bool all = same(log[lane], F::log(x[lane])) && same(exp[lane], F::exp(x[lane])) &&
                     same(t[lane], F::t_minus_log1p(x[lane])) &&
                     same(deviance[lane], F::deviance(n[lane], 1 / n[lane], x[lane]));
    differing += all ? 0 : 1;
  }
}

TYPED_TEST(KernelMath, EightLanesGiveTheBitsOfOne) {
  using Real = typename TypeParam::Real;
  constexpr int kRows = 125'000;  // a million points: half any bit pattern, half where fits live
  std::size_t differing = 0;
  for (int row = 0; row < kRows; ++row) {
    std::array<Real, 8> x{}, n{};
    for (std::size_t lane = 0; lane < 8; ++lane) {
      n[lane] = lane == 7 ? Real(0) : this->power_of_ten(-8, 12);
      x[lane] = row % 2 == 0 ? this->any_bits() : static_cast<Real>(n[lane] * this->uniform(-0.1, 3));
    }
    expect_same_bits<TypeParam>(x, n, differing);
  }
  EXPECT_EQ(differing, 0U);
}

}  // namespace

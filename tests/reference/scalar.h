// The scalar functions that the reference evaluator needs, for double, long double and Quad (IEEE binary128,
// about 34 digits; x86-64 with GCC's quadmath). All else in this folder is one template over the scalar.
#pragma once

#include <quadmath.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace nextstat::reference {

__extension__ typedef __float128 Quad;

inline std::vector<Quad> to_quad(const std::vector<double>& values) { return {values.begin(), values.end()}; }

inline double log(double x) { return std::log(x); }
inline long double log(long double x) { return std::log(x); }
inline Quad log(Quad x) { return logq(x); }

inline double exp(double x) { return std::exp(x); }
inline long double exp(long double x) { return std::exp(x); }
inline Quad exp(Quad x) { return expq(x); }

inline double pow(double base, double exponent) { return std::pow(base, exponent); }
inline long double pow(long double base, long double exponent) { return std::pow(base, exponent); }
inline Quad pow(Quad base, Quad exponent) { return powq(base, exponent); }

template <class T>
T absolute(T x) {
  return x < T(0) ? -x : x;
}

// The type of the constants in an expression over T: T itself, or the base type of a hyper-dual number.
template <class T>
struct RealOfImpl {
  using type = T;
};
template <class T>
using RealOf = typename RealOfImpl<T>::type;

inline Quad pi() { return acosq(Quad(-1)); }

// log Gamma(x) for x > 0, to about 1e-33 absolute for moderate x. Stirling's series at x >= 40,
//   (x - 1/2) log x - x + log(2 pi)/2 + sum_k B_2k / (2k (2k-1) x^(2k-1)),
// reached from below by Gamma(x) = Gamma(x + m) / (x (x+1) ... (x+m-1)).
inline Quad log_gamma(Quad x) {
  // Bernoulli numbers B_2, B_4, ..., B_26 as fractions. At x = 40 the first one left out is below 1e-38.
  struct Fraction {
    double numerator, denominator;
  };
  static constexpr std::array<Fraction, 13> kBernoulli = {{{1, 6},
                                                           {-1, 30},
                                                           {1, 42},
                                                           {-1, 30},
                                                           {5, 66},
                                                           {-691, 2730},
                                                           {7, 6},
                                                           {-3617, 510},
                                                           {43867, 798},
                                                           {-174611, 330},
                                                           {854513, 138},
                                                           {-236364091, 2730},
                                                           {8553103, 6}}};
  Quad product = 1;
  while (x < Quad(40)) {
    product *= x;
    x += Quad(1);
  }
  Quad series = 0;
  Quad power = Quad(1) / x;  // x^-(2k-1)
  for (std::size_t index = 0; index < kBernoulli.size(); ++index) {
    const Quad two_k = Quad(2.0 * static_cast<double>(index + 1));
    const Quad bernoulli = Quad(kBernoulli[index].numerator) / Quad(kBernoulli[index].denominator);
    series += bernoulli / (two_k * (two_k - Quad(1))) * power;
    power /= x * x;
  }
  return (x - Quad(0.5)) * log(x) - x + log(Quad(2) * pi()) / Quad(2) + series - log(product);
}

// log Gamma(n + 1), rounded once to Real.
template <class Real>
Real log_factorial(double n) {
  return static_cast<Real>(log_gamma(Quad(n) + Quad(1)));
}

}  // namespace nextstat::reference

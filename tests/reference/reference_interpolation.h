// The interpolation codes: what a normsys multiplies by and what a histosys adds, as a function of alpha.
//   normsys_factor(NormsysCode::kCode4, 0.3, 0.9, 1.1)  == 1.0296931157825733
//   histosys_delta(HistosysCode::kCode4p, 0.3, 98.0, 100.0, 110.0) == 2.4355935
#pragma once

#include <array>

#include "reference/hyper_dual.h"
#include "reference/scalar.h"

namespace nextstat::reference {

enum class NormsysCode { kCode1, kCode4 };
enum class HistosysCode { kCode0, kCode2, kCode4p };

// delta(a) = a (U - n) for a > 0, else a (n - D)   [code0]
template <class T>
T code0(const T& alpha, RealOf<T> lo, RealOf<T> nominal, RealOf<T> hi) {
  return alpha > T(0) ? alpha * (hi - nominal) : alpha * (nominal - lo);
}

// factor(a) = U^a for a > 0, else D^(-a)   [code1]
template <class T>
T code1(const T& alpha, RealOf<T> lo, RealOf<T> hi) {
  return alpha > T(0) ? pow(hi, alpha) : pow(lo, -alpha);
}

// delta(a) = A a^2 + B a for |a| <= 1, beyond linear with the value and slope at +-1   [code2, continuous]
// A = (U + D)/2 - n, B = (U - D)/2
template <class T>
T code2(const T& alpha, RealOf<T> lo, RealOf<T> nominal, RealOf<T> hi) {
  using Real = RealOf<T>;
  const Real a = (hi + lo) / Real(2) - nominal;
  const Real b = (hi - lo) / Real(2);
  if (alpha > T(1)) return T(a + b) + (b + Real(2) * a) * (alpha - T(1));
  if (alpha < T(-1)) return T(a - b) + (b - Real(2) * a) * (alpha + T(1));
  return (a * alpha + T(b)) * alpha;
}

// factor(a) = U^a for a >= 1, D^(-a) for a <= -1, else 1 + sum_{i=1..6} c_i a^i   [code4]
// c = M b matches value, first and second derivative at +-1.
template <class T>
T code4(const T& alpha, RealOf<T> lo, RealOf<T> hi) {
  using Real = RealOf<T>;
  if (alpha >= T(1)) return pow(hi, alpha);
  if (alpha <= T(-1)) return pow(lo, -alpha);
  const Real log_hi = log(hi);
  const Real log_lo = log(lo);
  const std::array<Real, 6> b = {hi - Real(1),   lo - Real(1),         hi * log_hi,
                                 -(lo * log_lo), hi * log_hi * log_hi, lo * log_lo * log_lo};
  static constexpr double kSixteenM[6][6] = {{15, -15, -7, -7, 1, -1}, {24, 24, -9, 9, 1, 1},
                                             {-10, 10, 10, 10, -2, 2}, {-24, -24, 14, -14, -2, -2},
                                             {3, -3, -3, -3, 1, -1},   {8, 8, -5, 5, 1, 1}};
  T sum(0);
  T power(1);
  for (const auto& row : kSixteenM) {
    Real coefficient(0);
    for (std::size_t k = 0; k < b.size(); ++k) coefficient += Real(row[k]) * b[k];
    power *= alpha;
    sum += power * (coefficient / Real(16));
  }
  return T(1) + sum;
}

// delta(a) = a up for a > 1, a dn for a < -1, else a (S + a A (15 - 10 a^2 + 3 a^4))   [code4p]
// up = U - n, dn = n - D, S = (up + dn)/2, A = (up - dn)/16
template <class T>
T code4p(const T& alpha, RealOf<T> lo, RealOf<T> nominal, RealOf<T> hi) {
  using Real = RealOf<T>;
  const Real up = hi - nominal;
  const Real down = nominal - lo;
  if (alpha > T(1)) return alpha * up;
  if (alpha < T(-1)) return alpha * down;
  const Real s = (up + down) / Real(2);
  const Real a = (up - down) / Real(16);
  const T square = alpha * alpha;
  const T polynomial = T(15) - square * Real(10) + square * square * Real(3);
  return alpha * (T(s) + alpha * a * polynomial);
}

// Straight lines through (-1, lo), (0, 1), (1, hi), continued: for factors that have no logarithm.
template <class T>
T piecewise_linear(const T& alpha, RealOf<T> lo, RealOf<T> hi) {
  using Real = RealOf<T>;
  return T(1) + (alpha > T(0) ? alpha * (hi - Real(1)) : alpha * (Real(1) - lo));
}

template <class T>
T normsys_factor(NormsysCode code, const T& alpha, double lo, double hi) {
  using Real = RealOf<T>;
  if (lo <= 0 || hi <= 0) return piecewise_linear(alpha, Real(lo), Real(hi));
  return code == NormsysCode::kCode1 ? code1(alpha, Real(lo), Real(hi)) : code4(alpha, Real(lo), Real(hi));
}

template <class T>
T histosys_delta(HistosysCode code, const T& alpha, double lo, double nominal, double hi) {
  using Real = RealOf<T>;
  if (code == HistosysCode::kCode0) return code0(alpha, Real(lo), Real(nominal), Real(hi));
  if (code == HistosysCode::kCode2) return code2(alpha, Real(lo), Real(nominal), Real(hi));
  return code4p(alpha, Real(lo), Real(nominal), Real(hi));
}

}  // namespace nextstat::reference

// Hyper-dual numbers: exact first and second derivatives without differences.
//
//   x = value + u e1 + v e2 + uv e1 e2,   e1^2 = e2^2 = 0
//   f(x) = f + f' u e1 + f' v e2 + (f' uv + f'' u v) e1 e2
//
// Evaluate f at theta_i + e1, theta_j + e2:
//   .u is df/dtheta_i, .v is df/dtheta_j, .uv is the second derivative
//
//   HyperDual<double> x(2.0, 1.0, 1.0);  (x * x * x).uv == 12.0
#pragma once

#include "reference/scalar.h"

namespace nextstat::reference {

template <class Real>
struct HyperDual {
  Real value{0};
  Real u{0};
  Real v{0};
  Real uv{0};

  HyperDual() = default;
  HyperDual(Real value_in, Real u_in = Real(0), Real v_in = Real(0), Real uv_in = Real(0))
      : value(value_in), u(u_in), v(v_in), uv(uv_in) {}

  friend HyperDual operator-(const HyperDual& a) { return {-a.value, -a.u, -a.v, -a.uv}; }
  friend HyperDual operator+(const HyperDual& a, const HyperDual& b) {
    return {a.value + b.value, a.u + b.u, a.v + b.v, a.uv + b.uv};
  }
  friend HyperDual operator-(const HyperDual& a, const HyperDual& b) {
    return {a.value - b.value, a.u - b.u, a.v - b.v, a.uv - b.uv};
  }
  friend HyperDual operator*(const HyperDual& a, const HyperDual& b) {
    return {a.value * b.value, a.u * b.value + a.value * b.u, a.v * b.value + a.value * b.v,
            a.uv * b.value + a.u * b.v + a.v * b.u + a.value * b.uv};
  }
  friend HyperDual operator*(const HyperDual& a, const Real& b) {
    return {a.value * b, a.u * b, a.v * b, a.uv * b};
  }
  friend HyperDual operator*(const Real& a, const HyperDual& b) { return b * a; }
  friend HyperDual operator/(const HyperDual& a, const Real& b) {
    return {a.value / b, a.u / b, a.v / b, a.uv / b};
  }
  HyperDual& operator+=(const HyperDual& other) { return *this = *this + other; }
  HyperDual& operator*=(const HyperDual& other) { return *this = *this * other; }
  HyperDual& operator*=(const Real& other) { return *this = *this * other; }

  // Branches look at the value alone, so at a kink the derivative is that of the branch taken.
  friend bool operator<(const HyperDual& a, const HyperDual& b) { return a.value < b.value; }
  friend bool operator>(const HyperDual& a, const HyperDual& b) { return a.value > b.value; }
  friend bool operator<=(const HyperDual& a, const HyperDual& b) { return a.value <= b.value; }
  friend bool operator>=(const HyperDual& a, const HyperDual& b) { return a.value >= b.value; }
};

template <class Real>
struct RealOfImpl<HyperDual<Real>> {
  using type = Real;
};

// f(x) from f, f', f'' at x.value.
template <class Real>
HyperDual<Real> chain(const HyperDual<Real>& x, Real f, Real first, Real second) {
  return {f, first * x.u, first * x.v, first * x.uv + second * x.u * x.v};
}

template <class Real>
HyperDual<Real> log(const HyperDual<Real>& x) {
  return chain(x, log(x.value), Real(1) / x.value, Real(-1) / (x.value * x.value));
}

template <class Real>
HyperDual<Real> exp(const HyperDual<Real>& x) {
  const Real f = exp(x.value);
  return chain(x, f, f, f);
}

// base^x for a constant base > 0.
template <class Real>
HyperDual<Real> pow(Real base, const HyperDual<Real>& x) {
  const Real f = pow(base, x.value);
  const Real slope = log(base);
  return chain(x, f, slope * f, slope * slope * f);
}

}  // namespace nextstat::reference

// Interpolation codes, in the kernel dialect (dialect.md). Their constants are made in model/compile/interpolation_coefficients.h.

// histosys: delta(a) = a S + t(a) A
//   S = (up + down) / 2,  A = (up - down) / 16,  up = hi - nominal,  down = nominal - lo
//
//   code0   t = 8 |a|
//   code2   t = 8 a^2                      for |a| <= 1; beyond 8 (2 |a| - 1), the same value and slope at 1
//   code4p  t = a^2 (15 - 10 a^2 + 3 a^4)  for |a| <= 1; beyond 8 |a|
FN real ns_shape(u32 code, real a) {
  real size = SELECT(a > R(0.0), a, -a);
  real square = a * a;
  real outside = R(8.0) * size;
  if (code == 0) return outside;
  if (code == 2) return SELECT(size > R(1.0), R(16.0) * size - R(8.0), R(8.0) * square);
  return SELECT(size > R(1.0), outside, square * (R(15.0) + square * (R(-10.0) + square * R(3.0))));
}

// dt / da. At the kink of code0 (a = 0) the slope is that of a < 0.
FN real ns_shape_slope(u32 code, real a) {
  real size = SELECT(a > R(0.0), a, -a);
  real square = a * a;
  real outside = SELECT(a > R(0.0), R(8.0), R(-8.0));
  if (code == 0) return outside;
  if (code == 2) return SELECT(size > R(1.0), R(2.0) * outside, R(16.0) * a);
  return SELECT(size > R(1.0), outside, a * (R(30.0) + square * (R(-40.0) + square * R(18.0))));
}

// normsys: f(a) = p(c) * exp(excess * log), a = c + excess, one of them zero
//
//   code1   excess = a everywhere
//   code4   |a| < 1:  c = a, p = 1 + sum_i c_i c^i
//           else:     excess = a, which gives hi^a or lo^(-a)
//
// Beyond 1, code4 does not multiply the polynomial at +-1 with the rest: where lo is tiny it cancels there.
FN real ns_norm_reach(u32 code) { return code == 1 ? R(0.0) : R(1.0); }  // of the polynomial
FN real ns_norm_inside(u32 code, real a) {
  real size = SELECT(a > R(0.0), a, -a);
  return SELECT(size < ns_norm_reach(code), a, R(0.0));
}

// A factor of exactly zero would hide the slope f' / f * F: stand a tiny one in for it.
FN real ns_not_zero(real f) {
#if REAL_BITS == 64
  return SELECT(f == R(0.0), R(1e-200), f);
#else
  return SELECT(f == R(0.0), R(1e-30), f);
#endif
}

// d2t / da2, for the host's Hessian; the kinks of code0 have none.
FN real ns_shape_curvature(u32 code, real a) {
  real square = a * a;
  if (code == 0) return R(0.0);
  if (code == 2) return SELECT(square > R(1.0), R(0.0), R(16.0));
  return SELECT(square > R(1.0), R(0.0), R(30.0) + square * (R(-120.0) + square * R(90.0)));
}

// Normal deviates by the quantile function, in the kernel dialect (dialect.md); f64 only.
//
//   real x = mean + sigma * ns_standard_normal(random);  // random: 64 uniform bits
//
// The quantile is exact to 1e-15, relative, in both tails: held by tests/unit/kernels/random_test.cpp.

// Coefficients, printed by scripts/quantile_coefficients.py.
// x / q, r = 9/64 - q^2 in [0, 9/64]; approximation error 7.6e-17.
FN real ns_quantile_center(real r) {
  real p = R(137.14619982678852);
  p = p * r + R(1685.7940143400706);
  p = p * r + R(3196.2897379818883);
  p = p * r + R(2065.39175810646);
  p = p * r + R(570.1458380103812);
  p = p * r + R(69.4513010640481);
  p = p * r + R(3.067598347669355);
  real q = R(275.60641367913394);
  q = q * r + R(1421.4807112361366);
  q = q * r + R(1858.3685153799881);
  q = q * r + R(959.8604948663491);
  q = q * r + R(227.23489666382977);
  q = q * r + R(24.715277375468183);
  q = q * r + R(1.0);
  return p / q;
}

// x, t = s - 2 in [0, 7]; approximation error 6.6e-17.
FN real ns_quantile_near(real t) {
  real p = R(1.0547940308391272e-07);
  p = p * t + R(1.9615617452355607e-05);
  p = p * t + R(0.0009262224978269436);
  p = p * t + R(0.017464781792205838);
  p = p * t + R(0.1581951139675889);
  p = p * t + R(0.747170245967978);
  p = p * t + R(1.8668010634920593);
  p = p * t + R(2.312020714021825);
  p = p * t + R(1.1015196284987503);
  real q = R(2.0994438261550245e-09);
  q = q * t + R(1.2751281719887836e-06);
  q = q * t + R(0.00011003545634387076);
  q = q * t + R(0.003208559066448036);
  q = q * t + R(0.04164652760373373);
  q = q * t + R(0.27110210255603284);
  q = q * t + R(0.9170086477665161);
  q = q * t + R(1.5340220475742488);
  q = q * t + R(1.0);
  return p / q;
}

// x, t = s - 9 in [0, 36.2]; approximation error 1.1e-16.
FN real ns_quantile_far(real t) {
  real p = R(8.905590089008609e-13);
  p = p * t + R(8.162100253177633e-10);
  p = p * t + R(1.897194049844716e-07);
  p = p * t + R(1.7617467239953434e-05);
  p = p * t + R(0.0007881626784454098);
  p = p * t + R(0.01850024967962955);
  p = p * t + R(0.2321550044914349);
  p = p * t + R(1.468280953042607);
  p = p * t + R(3.6655375322906014);
  real q = R(7.98190904758404e-15);
  q = q * t + R(2.3826538566942737e-11);
  q = q * t + R(9.998096265737766e-09);
  q = q * t + R(1.4033404658568834e-06);
  q = q * t + R(8.684617358066497e-05);
  q = q * t + R(0.0026722721786331506);
  q = q * t + R(0.04240826492099735);
  q = q * t + R(0.3307519184773881);
  q = q * t + R(1.0);
  return p / q;
}

// x >= 0 with P(X > x) = p, for 2^-65 <= p <= 1/2. The middle by q = 1/2 - p, the tail by s = -log(p): there
// x is nearly sqrt(2 s), smooth in s, and p keeps its relative precision.
FN real ns_upper_quantile(real p) {
  real q = R(0.5) - p;
  if (q <= R(0.375)) return q * ns_quantile_center(R(0.140625) - q * q);
  real s = -ns_log(p);
  if (s <= R(9.0)) return ns_quantile_near(s - R(2.0));
  return ns_quantile_far(s - R(9.0));
}

// P(X < x) = (random + 1/2) 2^-64; the upper half mirrors the lower one, so both tails have all bits.
FN real ns_standard_normal(wide random) {
  wide tail = random >> 63 ? ~random : random;
  real p = (real)(u32)(tail >> 32) * R(4294967296.0) + ((real)(u32)tail + R(0.5));
  real x = ns_upper_quantile(p * R(5.421010862427522e-20));
  return random >> 63 ? x : -x;
}

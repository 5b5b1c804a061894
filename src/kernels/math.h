// log, exp and the Poisson deviance in the kernel dialect (dialect.md): the same bits on every device.
//
//   real nll = ns_poisson_deviance(n, inverse_n, nu);  // nu - n - n log(nu / n)
//
// Straight-line code of +, -, *, / and integer work on bit patterns; conditions are selects. Errors are in
// ulp of the exact result, f64 and f32 alike, the largest that tests/unit/kernels/math_test.cpp allows.
// Subnormal arguments of the logs need a device that does not flush them.

// One of two reals, lane by lane.
#ifndef SELECT
#define SELECT(condition, yes, no) ((condition) ? (yes) : (no))
#endif

// Coefficients, printed by scripts/kernel_coefficients.py.
#if REAL_BITS == 64
// A(z) = (2 atanh(s) - 2s) / (s z), z = s^2 <= 0.0295; approximation error 2.8e-17.
FN real ns_atanh_tail(real z) {
  real p = R(0.14714053951158854);
  p = p * z + R(0.15322388471813508);
  p = p * z + R(0.1818323234171184);
  p = p * z + R(0.22222205077326435);
  p = p * z + R(0.28571428677935434);
  p = p * z + R(0.3999999999970854);
  p = p * z + R(0.666666666666669);
  return p;
}

// P(r) = (exp(r) - 1 - r) / r^2, |r| <= ln2 / 2; approximation error 8.9e-18.
FN real ns_exp_tail(real r) {
  real p = R(2.51179751650411e-08);
  p = p * r + R(2.763141027771252e-07);
  p = p * r + R(2.7557215943224747e-06);
  p = p * r + R(2.4801489599904542e-05);
  p = p * r + R(0.00019841269917780758);
  p = p * r + R(0.0013888888947322768);
  p = p * r + R(0.008333333333307023);
  p = p * r + R(0.041666666666514356);
  p = p * r + R(0.166666666666667);
  p = p * r + R(0.5000000000000013);
  return p;
}

FN real ns_ln2(void) { return R(0.6931471805599453); }      // log(2)
FN real ns_ln2_high(void) { return R(0.693147180559663); }  // its first 41 bits: k * ns_ln2_high() is exact
FN real ns_ln2_low(void) { return R(2.8235290563031577e-13); }  // the rest
FN real ns_log2_e(void) { return R(1.4426950408889634); }       // 1 / log(2)
#else
// A(z) = (2 atanh(s) - 2s) / (s z), z = s^2 <= 0.0295; approximation error 4.2e-09.
FN real ns_atanh_tail(real z) {
  real p = R(0.23474775);
  p = p * z + R(0.28543395);
  p = p * z + R(0.4000023);
  p = p * z + R(0.6666667);
  return p;
}

// P(r) = (exp(r) - 1 - r) / r^2, |r| <= ln2 / 2; approximation error 4.3e-09.
FN real ns_exp_tail(real r) {
  real p = R(0.00139506);
  p = p * r + R(0.008368952);
  p = p * r + R(0.041666206);
  p = p * r + R(0.16666518);
  p = p * r + R(0.5);
  return p;
}

FN real ns_ln2(void) { return R(0.6931472); }          // log(2)
FN real ns_ln2_high(void) { return R(0.69314575); }    // its first 15 bits: k * ns_ln2_high() is exact
FN real ns_ln2_low(void) { return R(1.4286068e-06); }  // the rest
FN real ns_log2_e(void) { return R(1.442695); }        // 1 / log(2)
#endif

// The layout of a real, and the constants that follow from it. Constants are functions because OpenCL C has
// no plain constants at file scope, and an entry file may include this header for f64 and again for f32.
#if REAL_BITS == 64
FN u64 ns_shift_down(u64 bits) { return bits >> 52; }
FN u64 ns_shift_up(u64 exponent) { return exponent << 52; }
FN u64 ns_bias(void) { return U(1023); }
FN u64 ns_fraction_mask(void) { return U(0x000fffffffffffff); }
FN u64 ns_sqrt_half(void) { return U(0x3fe6a09e667f3bcd); }      // bits(sqrt(1/2))
FN u64 ns_sqrt_half_gap(void) { return U(0x00095f619980c433); }  // bits(1) - bits(sqrt(1/2))
FN real ns_infinity(void) { return FROM_BITS(U(0x7ff0000000000000)); }
FN real ns_nan(void) { return FROM_BITS(U(0x7ff8000000000000)); }
FN real ns_smallest_normal(void) { return FROM_BITS(U(0x0010000000000000)); }  // 2^-1022
FN u64 ns_integer_bits(void) { return U(0x4330000000000000); }                 // bits(2^52)
FN real ns_integer_offset(void) { return R(4503599627371519.0); }              // 2^52 + bias
FN real ns_round_shift(void) { return R(6755399441055744.0); }                 // 1.5 * 2^52
FN real ns_lift(void) { return R(18014398509481984.0); }                       // 2^54
FN real ns_lift_exponent(void) { return R(54.0); }
FN real ns_exp_highest(void) { return R(709.782712893384); }   // largest x with finite exp(x)
FN real ns_exp_lowest(void) { return R(-708.3964185322641); }  // smallest x with exp(x) >= 2^-1022
#else
FN u64 ns_shift_down(u64 bits) { return bits >> 23; }
FN u64 ns_shift_up(u64 exponent) { return exponent << 23; }
FN u64 ns_bias(void) { return U(127); }
FN u64 ns_fraction_mask(void) { return U(0x007fffff); }
FN u64 ns_sqrt_half(void) { return U(0x3f3504f3); }
FN u64 ns_sqrt_half_gap(void) { return U(0x004afb0d); }
FN real ns_infinity(void) { return FROM_BITS(U(0x7f800000)); }
FN real ns_nan(void) { return FROM_BITS(U(0x7fc00000)); }
FN real ns_smallest_normal(void) { return FROM_BITS(U(0x00800000)); }  // 2^-126
FN u64 ns_integer_bits(void) { return U(0x4b000000); }                 // bits(2^23)
FN real ns_integer_offset(void) { return R(8388735.0); }               // 2^23 + bias
FN real ns_round_shift(void) { return R(12582912.0); }                 // 1.5 * 2^23
FN real ns_lift(void) { return R(33554432.0); }                        // 2^25
FN real ns_lift_exponent(void) { return R(25.0); }
FN real ns_exp_highest(void) { return R(88.7228317); }
FN real ns_exp_lowest(void) { return R(-87.3365402); }
#endif

// A normal x > 0 is 2^k m with m in [sqrt(1/2), sqrt(2)).
// Moving the bits of x up by bits(1) - bits(sqrt(1/2)) makes the exponent change where m does:
// then k + bias is the exponent field, and the fraction field counts m from sqrt(1/2).
FN u64 ns_moved_bits(real x) { return AS_BITS(x) + ns_sqrt_half_gap(); }
FN u64 ns_biased_exponent(u64 moved) { return ns_shift_down(moved); }
FN real ns_mantissa(u64 moved) { return FROM_BITS((moved & ns_fraction_mask()) + ns_sqrt_half()); }

// k as a real. No conversion instruction: the integer becomes the low bits of 2^52 (2^23) + integer.
FN real ns_exponent(u64 biased) { return FROM_BITS(biased | ns_integer_bits()) - ns_integer_offset(); }

// f - log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)), without cancellation. With s = f / (2 + f), z = s^2:
// log(1 + f) = 2 atanh(s) = 2s + s z A(z) and 2s = f - s f, hence f - log(1 + f) = s (f - z A(z)).
FN real ns_log_deficit(real f) {
  real s = f / (f + R(2.0));
  real z = s * s;
  return s * (f - z * ns_atanh_tail(z));
}

// log(2^k (1 + f)), the small terms summed first.
FN real ns_log_of_parts(real k, real f) {
  return k * ns_ln2_high() - ((ns_log_deficit(f) - k * ns_ln2_low()) - f);
}

// log(x) for every x > 0, subnormals too: 1 ulp. log(0) = -inf, log(x < 0) = NaN, log(inf) = inf.
FN real ns_log(real x) {
  real lifted = SELECT(x < ns_smallest_normal(), x * ns_lift(), x);
  real drop = SELECT(x < ns_smallest_normal(), ns_lift_exponent(), R(0.0));
  u64 moved = ns_moved_bits(lifted);
  real k = ns_exponent(ns_biased_exponent(moved)) - drop;
  real y = ns_log_of_parts(k, ns_mantissa(moved) - R(1.0));
  y = SELECT(x < ns_infinity(), y, x);
  y = SELECT(x < R(0.0), ns_nan(), y);
  return SELECT(x == R(0.0), -ns_infinity(), y);
}

// exp(x): 1 ulp. +inf for x > 709.782712893384 (f32: 88.72283); 0 where exp(x) would be subnormal:
// x < -708.3964185322641 (f32: -87.33654).
FN real ns_exp(real x) {
  real shifted = x * ns_log2_e() + ns_round_shift();  // its low bits are k, the integer nearest x / ln2
  real k = shifted - ns_round_shift();
  real high = x - k * ns_ln2_high();
  real low = k * ns_ln2_low();
  real r = high - low;
  real y = R(1.0) + (high + (r * r * ns_exp_tail(r) - low));
  y = FROM_BITS(AS_BITS(y) + ns_shift_up(AS_BITS(shifted)));  // 2^k y
  y = SELECT(x > ns_exp_highest(), ns_infinity(), y);
  y = SELECT(x < ns_exp_lowest(), R(0.0), y);
  return SELECT(x == x, y, x);
}

// r - 1 - log(r), given t = r - 1 more exactly than r holds it. r below the smallest normal, or NaN: +inf.
// r = 2^k m: k = 0 has r = m and is the deficit of t itself; else (r - m) - k ln2 + deficit(m - 1).
FN real ns_log_excess(real r, real t) {
  u64 moved = ns_moved_bits(r);
  u64 biased = ns_biased_exponent(moved);
  real m = ns_mantissa(moved);
  real f = SELECT(biased == ns_bias(), t, m - R(1.0));
  real y = ((r - m) - ns_exponent(biased) * ns_ln2()) + ns_log_deficit(f);
  return SELECT(r >= ns_smallest_normal(), y, ns_infinity());
}

// t - log(1 + t) for t > -1, without cancellation: 4 ulp for |t| <= 1/4, 10 ulp elsewhere.
// t <= -1 or NaN: +inf.
FN real ns_t_minus_log1p(real t) { return ns_log_excess(R(1.0) + t, t); }

// nu - n - n log(nu / n) = n (t - log(1 + t)), t = (nu - n) / n: 7 ulp for |t| <= 1/4, 16 ulp elsewhere.
// n is 0, or n and 1 / n are normal; inverse_n is 1 / n rounded once, and may be anything for n = 0.
// n = 0: nu. n > 0 and nu <= 0 or NaN, or nu / n below the smallest normal: +inf.
FN real ns_poisson_deviance(real n, real inverse_n, real nu) {
  real y = n * ns_log_excess(nu * inverse_n, (nu - n) * inverse_n);
  return SELECT(n == R(0.0), nu, y);
}

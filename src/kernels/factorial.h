// What the counts of a dataset add to its NLL beside the deviances, in the kernel dialect (dialect.md); f64 only.
//
//   log(n!) - n log(n) + n = lgamma(n + 1) - n log(n) + n

// Stirling's series; past n = 16 the first term left out is below 2e-18.
//   log(2 pi n) / 2 + 1 / (12 n) - 1 / (360 n^3) + 1 / (1260 n^5) - ...
FN real ns_stirling(real n) {
  real u = R(1.0) / n;
  real w = u * u;
  real sum = R(-691.0) / R(360360.0);
  sum = sum * w + R(1.0) / R(1188.0);
  sum = sum * w - R(1.0) / R(1680.0);
  sum = sum * w + R(1.0) / R(1260.0);
  sum = sum * w - R(1.0) / R(360.0);
  sum = sum * w + R(1.0) / R(12.0);
  return R(0.5) * ns_log(R(6.283185307179586) * n) + sum * u;
}

// For real n >= 0; NaN for n < 0 or NaN.
FN real ns_log_factorial_excess(real n) {
  if (n == R(0.0)) return n;
  // E(n) = n (1 - gamma - log n) + O(n^2), and 1 / n below would overflow.
  if (n < R(1e-16)) return n * (R(1.0) - R(0.5772156649015329) - ns_log(n));
  // E(n) = E(n + 1) - n (1/n - log(1 + 1/n)): every step is a small positive number without cancellation.
  real steps = R(0.0);
  for (; n <= R(16.0); n = n + R(1.0)) steps = steps + n * ns_t_minus_log1p(R(1.0) / n);
  return ns_stirling(n) - steps;
}

// The same, from a table of the small counts where n is one of them.
FN real ns_excess_of(TABLE real* known, real n) {
  if (n >= R(1.0) && n < (real)NS_KNOWN_EXCESSES) {
    u32 i = (u32)n;
    if ((real)i == n) return known[i];
  }
  return ns_log_factorial_excess(n);
}

// The constant of one dataset: of its counts, which stand at `places`, and of normal constraints.
FN real ns_constant_of(TABLE real* values, TABLE u32* places, u32 n_counts, TABLE real* normals,
                       u32 n_normals, TABLE real* known) {
  real sum = R(0.0);
  for (u32 i = 0; i < n_counts; ++i) {
    real n = values[places[i]];
    if (!(n < ns_smallest_count())) sum = sum + ns_excess_of(known, n);
  }
  for (u32 i = 0; i < n_normals; ++i) sum = sum + normals[i];
  return sum;
}

// Which counts are zero to the likelihood, in the kernel dialect (dialect.md).

// n log(nu / n) of a smaller count is below 1e-197 (f32: 1e-35). It keeps nu / n finite.
FN scalar ns_smallest_count(void) {
#if REAL_BITS == 64
  return 1e-200;
#else
  return 1e-37f;
#endif
}

// 1 / n as the deviance takes it; 0 for a count that is zero.
FN scalar ns_inverse_count(scalar n) { return n < ns_smallest_count() ? (scalar)0 : (scalar)1 / n; }

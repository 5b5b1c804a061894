// The products with the metric for four owners at once, so that their sums do not wait for each other: the
// phases of kernels/solver.h, whose order of summation they keep. isa.cpp says which four: OWNER_SLICE(k),
// OWNER_LANE(k) for k = 0 to 3, counted from (slice, lane).

FN void ns_store_4(NsRow row, u32 to, u32 slice, u32 lane, real value) { ROW_STORE(row, to, slice, value); }

// `term(k)` times `with`, expressions in `i`, for four owners k: quarter by quarter, as QUARTERS does.
#define QUARTERS_OF_4(count, with, term)                                                          \
  real sum[4][4];                                                                                 \
  offset i = 0;                                                                                   \
  for (u32 q = 0; q < 4; ++q) {                                                                   \
    real a = R(0.0), b = R(0.0), c = R(0.0), d = R(0.0);                                          \
    for (offset end = ((offset)(count) + 3) / 4 * (q + 1); i < end && i < (offset)(count); ++i) { \
      real x = with;                                                                              \
      a = a + term(0) * x;                                                                        \
      b = b + term(1) * x;                                                                        \
      c = c + term(2) * x;                                                                        \
      d = d + term(3) * x;                                                                        \
    }                                                                                             \
    sum[0][q] = a;                                                                                \
    sum[1][q] = b;                                                                                \
    sum[2][q] = c;                                                                                \
    sum[3][q] = d;                                                                                \
  }
#define SUM_OF(k) ((sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]))

FN void ns_metric_row_phase_4(LAYOUT NsSolver* v, TABLE scalar* reals, NsRow row, u32 slice, u32 lane) {
#define BY_ROW(k) ns_metric_by_row(v, reals, OWNER_SLICE(k), OWNER_LANE(k), i)
  QUARTERS_OF_4(v->n, ROW_AT(row, SAME_INDEX(v->trial_gradient + (u32)i)), BY_ROW);
#undef BY_ROW
  for (u32 k = 0; k < 4; ++k) ns_store_4(row, v->product, OWNER_SLICE(k), OWNER_LANE(k), SUM_OF(k));
}

FN real ns_metric_diagonal(LAYOUT NsSolver* v, TABLE scalar* reals, NsRow row, u32 slice, u32 lane) {
  return TABLE_REAL(reals, v->diagonal, slice) * ROW_SLOT(row, v->trial_gradient, slice);
}

FN void ns_metric_phase_4(LAYOUT NsSolver* v, TABLE scalar* reals, NsRow row, u32 slice, u32 lane) {
#define BY_PARAMETER(k) ns_metric_by_parameter(v, reals, OWNER_SLICE(k), OWNER_LANE(k), i)
  QUARTERS_OF_4(v->rank, ROW_AT(row, SAME_INDEX(v->product + (u32)i)), BY_PARAMETER);
#undef BY_PARAMETER
  for (u32 k = 0; k < 4; ++k) {
    const real diagonal = ns_metric_diagonal(v, reals, row, OWNER_SLICE(k), OWNER_LANE(k));
    ns_store_4(row, v->trial_preconditioned, OWNER_SLICE(k), OWNER_LANE(k), diagonal + SUM_OF(k));
  }
}
#undef QUARTERS_OF_4
#undef SUM_OF

// The products with the metric for four owners at once, so that their sums do not wait for each other: the
// phases of kernels/solver.h, whose order of summation they keep. isa.cpp says which four: OWNER_SLICE(k),
// OWNER_LANE(k) for k = 0 to 3, counted from (slice, lane).

FN void ns_store_4(ROW scalar* row, u32 to, u32 slice, u32 lane, real value) {
  ROW_STORE(row, to, slice, value);
}

FN real ns_metric_diagonal(LAYOUT NsSolver* v, TABLE scalar* reals, ROW scalar* row, u32 slice, u32 lane) {
  return TABLE_REAL(reals, v->diagonal, slice) * ROW_SLOT(row, v->trial_gradient, slice);
}

FN void ns_metric_row_phase_4(LAYOUT NsSolver* v, TABLE scalar* reals, ROW scalar* row, u32 slice, u32 lane) {
  real a = R(0.0), b = R(0.0), c = R(0.0), d = R(0.0);
  for (offset i = 0; i < v->n; ++i) {
    real g = ROW_AT(row, SAME_INDEX(v->trial_gradient + (u32)i));
    a = a + ns_metric_by_row(v, reals, OWNER_SLICE(0), OWNER_LANE(0), i) * g;
    b = b + ns_metric_by_row(v, reals, OWNER_SLICE(1), OWNER_LANE(1), i) * g;
    c = c + ns_metric_by_row(v, reals, OWNER_SLICE(2), OWNER_LANE(2), i) * g;
    d = d + ns_metric_by_row(v, reals, OWNER_SLICE(3), OWNER_LANE(3), i) * g;
  }
  ns_store_4(row, v->product, OWNER_SLICE(0), OWNER_LANE(0), a);
  ns_store_4(row, v->product, OWNER_SLICE(1), OWNER_LANE(1), b);
  ns_store_4(row, v->product, OWNER_SLICE(2), OWNER_LANE(2), c);
  ns_store_4(row, v->product, OWNER_SLICE(3), OWNER_LANE(3), d);
}

FN void ns_metric_phase_4(LAYOUT NsSolver* v, TABLE scalar* reals, ROW scalar* row, u32 slice, u32 lane) {
  real a = ns_metric_diagonal(v, reals, row, OWNER_SLICE(0), OWNER_LANE(0));
  real b = ns_metric_diagonal(v, reals, row, OWNER_SLICE(1), OWNER_LANE(1));
  real c = ns_metric_diagonal(v, reals, row, OWNER_SLICE(2), OWNER_LANE(2));
  real d = ns_metric_diagonal(v, reals, row, OWNER_SLICE(3), OWNER_LANE(3));
  for (offset r = 0; r < v->rank; ++r) {
    real p = ROW_AT(row, SAME_INDEX(v->product + (u32)r));
    a = a + ns_metric_by_parameter(v, reals, OWNER_SLICE(0), OWNER_LANE(0), r) * p;
    b = b + ns_metric_by_parameter(v, reals, OWNER_SLICE(1), OWNER_LANE(1), r) * p;
    c = c + ns_metric_by_parameter(v, reals, OWNER_SLICE(2), OWNER_LANE(2), r) * p;
    d = d + ns_metric_by_parameter(v, reals, OWNER_SLICE(3), OWNER_LANE(3), r) * p;
  }
  ns_store_4(row, v->trial_preconditioned, OWNER_SLICE(0), OWNER_LANE(0), a);
  ns_store_4(row, v->trial_preconditioned, OWNER_SLICE(1), OWNER_LANE(1), b);
  ns_store_4(row, v->trial_preconditioned, OWNER_SLICE(2), OWNER_LANE(2), c);
  ns_store_4(row, v->trial_preconditioned, OWNER_SLICE(3), OWNER_LANE(3), d);
}

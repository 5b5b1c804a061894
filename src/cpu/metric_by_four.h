// The products with the metric for four owners at once, so that their sums do not wait for each other: the
// phases of kernels/solver.h, whose order of summation they keep. isa.cpp says which four: NS_FOUR_STEP apart.
#define NS_OWN_METRIC_PRODUCTS

// Four sums of table[first[k] + 8 i] times the row's value at `vector` + i, for i < count: quarter by quarter, as
// QUARTERS does.
FN void ns_products_of_4(const scalar* table, const offset* first, const scalar* row, u32 vector,
                         offset count, real* sums) {
  real quarters[4][4];
  offset i = 0;
  for (u32 q = 0; q < 4; ++q) {
    real a = R(0.0), b = R(0.0), c = R(0.0), d = R(0.0);
    for (offset end = (count + 3) / 4 * (q + 1); i < end && i < count; ++i) {
      real x = ns_same(row, vector + (u32)i);
      a = a + ns_table(table, first[0] + i * 8) * x;
      b = b + ns_table(table, first[1] + i * 8) * x;
      c = c + ns_table(table, first[2] + i * 8) * x;
      d = d + ns_table(table, first[3] + i * 8) * x;
    }
    quarters[0][q] = a;
    quarters[1][q] = b;
    quarters[2][q] = c;
    quarters[3][q] = d;
  }
  for (u32 k = 0; k < 4; ++k) sums[k] = (quarters[k][0] + quarters[k][1]) + (quarters[k][2] + quarters[k][3]);
}

FN void ns_metric_rows_of_4(const NsSolver* v, const scalar* metric, NsRow row, offset place) {
  offset first[4];
  real sums[4];
  for (u32 k = 0; k < 4; ++k) first[k] = ns_metric_by_row(v, place + k * NS_FOUR_STEP);
  ns_products_of_4(metric, first, row, v->trial_gradient, v->n, sums);
  for (u32 k = 0; k < 4; ++k) ns_put(row, v->product + place + k * NS_FOUR_STEP, sums[k]);
}

FN void ns_metric_parameters_of_4(const NsSolver* v, const scalar* metric, NsRow row, offset place) {
  offset first[4];
  real sums[4];
  for (u32 k = 0; k < 4; ++k) first[k] = ns_metric_by_parameter(v, place + k * NS_FOUR_STEP);
  ns_products_of_4(metric, first, row, v->product, v->rank, sums);
  for (u32 k = 0; k < 4; ++k) {
    const offset owner = place + k * NS_FOUR_STEP;
    const real diagonal = ns_table(metric, v->diagonal + owner) * ns_get(row, v->trial_gradient + owner);
    ns_put(row, v->trial_preconditioned + owner, diagonal + sums[k]);
  }
}

// The last slices one owner at a time.
FN void ns_metric_rows(const NsSolver* v, const scalar* metric, NsRow row) {
  u32 slice = 0;
  for (; slice + NS_FOUR_SLICES <= v->rank_slices; slice += NS_FOUR_SLICES)
    for (u32 lane = 0; lane < 8; lane += NS_FOUR_LANES) ns_metric_rows_of_4(v, metric, row, slice * 8 + lane);
  for (offset place = slice * 8; place < v->rank_slices * 8; place += NS_LANE_STEP)
    ns_metric_row_phase(v, metric, row, place);
}
FN void ns_metric_parameters(const NsSolver* v, const scalar* metric, NsRow row) {
  u32 slice = 0;
  for (; slice + NS_FOUR_SLICES <= v->slices; slice += NS_FOUR_SLICES)
    for (u32 lane = 0; lane < 8; lane += NS_FOUR_LANES)
      ns_metric_parameters_of_4(v, metric, row, slice * 8 + lane);
  for (offset place = slice * 8; place < v->slices * 8; place += NS_LANE_STEP)
    ns_metric_phase(v, metric, row, place);
}

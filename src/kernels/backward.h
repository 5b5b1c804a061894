// From the rates of one row to the gradient of its NLL, in phases (dialect.md) that run after those of
// forward.h, in the order of this file. Each parameter gathers its gradient from the list of its own terms.
//
//   d NLL / d theta = sum_b w_b d nu_b / d theta + constraint,   w_b = 1 - n_b / nu_b

// Weights of a cell: what its shift, its base and its gammas have to be multiplied with. They take the places
// of the cell's own rate, gammas and base, which nothing needs any more.
FN void ns_cell_weight_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, u32 slice, u32 lane) {
  real weight = ROW_AT(row, TABLE_INDEX(indices, m->cell_bin, slice));
  real factor = ROW_AT(row, TABLE_INDEX(indices, m->cell_sample, slice));
  real gammas = ROW_SLOT(row, m->cell_gamma, slice);
  real weighted_base = weight * ROW_SLOT(row, m->cell_base, slice);
  ROW_STORE(row, m->cell_shift_weight, slice, weight * factor * gammas);
  ROW_STORE(row, m->cell_base_weight, slice, weighted_base * gammas);
  ROW_STORE(row, m->cell_gamma_weight, slice, weighted_base * factor);
}

// Q = sum_b w_b G_sb base_sb of a sample; Q F and Q prod(normsys) take the places of F and prod(normsys).
FN void ns_sample_weight_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, u32 slice, u32 lane) {
  offset begin = LIST_BEGIN(indices, m->cells_of_sample, slice);
  offset end = begin + TRIPS(indices, m->cells_of_sample, slice);
  real sum;
  SUM_OVER(sum, begin, end, 2, ROW_AT(row, TABLE_INDEX(indices, m->cells_of_sample.index, slot)));
  LIST_STORE(row, m->sample_total, slice, sum * ROW_SLOT(row, m->sample_factor, slice));
  LIST_STORE(row, m->sample_norm_total, slice, sum * ROW_SLOT(row, m->sample_norm, slice));
}

// weight (S + t'(a) A) of one histosys in a cell
FN real ns_shift_slope(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, real slope,
                       offset slot, u32 lane) {
  TABLE_PAIR(odd, even, reals, m->shift_of_parameter.real, slot);
  return ROW_AT(row, TABLE_INDEX(indices, m->shift_of_parameter.index, slot)) * (odd + slope * even);
}

// histosys: sum over cells
FN void ns_shift_slope_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, u32 slice,
                             u32 lane) {
  offset begin = LIST_BEGIN(indices, m->shift_of_parameter, slice);
  offset end = begin + TRIPS(indices, m->shift_of_parameter, slice);
  real slope = ns_shape_slope(m->histosys_code, ROW_SLOT(row, m->shape_alpha, slice));
  real sum;
  SUM_OVER(sum, begin, end, 4, ns_shift_slope(m, reals, indices, row, slope, slot, lane));
  LIST_STORE(row, m->shift_slope, slice, sum);
}

// Q F f'(c) / f(c) of one normsys inside its polynomial.
FN real ns_norm_ratio(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, real c,
                      offset slot, u32 lane) {
  TABLE_PAIR(c1, c2, reals, m->norm_of_parameter.real, slot * 3);
  TABLE_PAIR(c3, c4, reals, m->norm_of_parameter.real, slot * 3 + 1);
  TABLE_PAIR(c5, c6, reals, m->norm_of_parameter.real, slot * 3 + 2);
  real p = c6;
  real slope = p;
  p = p * c + c5;
  slope = slope * c + p;
  p = p * c + c4;
  slope = slope * c + p;
  p = p * c + c3;
  slope = slope * c + p;
  p = p * c + c2;
  slope = slope * c + p;
  p = p * c + c1;
  slope = slope * c + p;
  return ROW_AT(row, TABLE_INDEX(indices, m->norm_of_parameter.index, slot)) *
         (slope / ns_not_zero(p * c + R(1.0)));
}

// Q F log(hi) or -Q F log(lo) of one normsys beyond its polynomial.
FN real ns_norm_log(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, real excess,
                    offset slot, u32 lane) {
  TABLE_PAIR(high, low, reals, m->norm_of_parameter_logs, slot);
  return ROW_AT(row, TABLE_INDEX(indices, m->norm_of_parameter.index, slot)) *
         SELECT(excess > R(0.0), high, -low);
}

// normsys: sum over samples of Q F f'(a) / f(a). At the kink of code1 (a = 0) the slope is that of a < 0.
FN void ns_norm_slope_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, u32 beyond,
                            u32 slice, u32 lane) {
  offset begin = LIST_BEGIN(indices, m->norm_of_parameter, slice);
  offset end = begin + TRIPS(indices, m->norm_of_parameter, slice);
  real c = ROW_SLOT(row, m->norm_inside, slice);
  real inside;
  SUM_OVER(inside, begin, end, 2, ns_norm_ratio(m, reals, indices, row, c, slot, lane));
  if (!beyond && m->normsys_code == 4) {
    LIST_STORE(row, m->norm_slope, slice, inside);
    return;
  }
  real excess = ROW_SLOT(row, m->norm_excess, slice);
  real outside;
  SUM_OVER(outside, begin, end, 1, ns_norm_log(m, reals, indices, row, excess, slot, lane));
  if (m->normsys_code == 4) outside = SELECT(excess == R(0.0), inside, outside);
  LIST_STORE(row, m->norm_slope, slice, outside);
}

// Q F f'(a) / f(a) of one factor 1 + a S + |a| A. At the kink (a = 0) the slope is that of a < 0.
FN real ns_linear_ratio(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, real a,
                        offset slot, u32 lane) {
  real size = SELECT(a > R(0.0), a, -a);
  TABLE_PAIR(odd, even, reals, m->linear_of_parameter.real, slot);
  real f = ns_not_zero(R(1.0) + (a * odd + size * even));
  real slope = SELECT(a > R(0.0), odd + even, odd - even);
  return ROW_AT(row, TABLE_INDEX(indices, m->linear_of_parameter.index, slot)) * (slope / f);
}

FN void ns_linear_slope_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row,
                              u32 slice, u32 lane) {
  offset begin = LIST_BEGIN(indices, m->linear_of_parameter, slice);
  offset end = begin + TRIPS(indices, m->linear_of_parameter, slice);
  real a = ROW_AT(row, TABLE_INDEX(indices, m->linear_parameter, slice));
  real sum;
  SUM_OVER(sum, begin, end, 1, ns_linear_ratio(m, reals, indices, row, a, slot, lane));
  LIST_STORE(row, m->linear_slope, slice, sum);
}

// Factors and gammas: sum of weight times the product of the other factors.
FN void ns_product_slope_phase(LAYOUT NsList* list, u32 target, NsIndices indices, NsRow row, u32 slice,
                               u32 lane) {
  offset begin = LIST_BEGIN(indices, *list, slice);
  offset end = begin + TRIPS(indices, *list, slice);
  real sum;
  SUM_OVER(sum, begin, end, 2,
           ROW_AT(row, TABLE_INDEX(indices, list->index, slot * 2)) *
               ROW_AT(row, TABLE_INDEX(indices, list->index, slot * 2 + 1)));
  LIST_STORE(row, target, slice, sum);
}

// All contributions to one derivative.
FN void ns_gather_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, u32 slice, u32 lane) {
  offset begin = LIST_BEGIN(indices, m->gather, slice);
  offset end = begin + TRIPS(indices, m->gather, slice);
  real sum;
  SUM_OVER(sum, begin, end, 2, ROW_AT(row, TABLE_INDEX(indices, m->gather.index, slot)));
  LIST_STORE_FAR(row, m->gradient, slice, sum);
}

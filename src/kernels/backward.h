// From the rates of one row to the gradient of its NLL, in phases (dialect.md) that run after those of
// forward.h, in the order of this file. Each parameter gathers its gradient from the list of its own terms.
//
//   d NLL / d theta = sum_b w_b d nu_b / d theta + constraint,   w_b = 1 - n_b / nu_b

// Weights of a cell: what its shift, its base and its gammas have to be multiplied with. They take the places
// of the cell's own rate, gammas and base, which nothing needs any more.
FN void ns_cell_weight_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, offset place) {
  real weight = ns_at(row, ns_index(indices, m->cell_bin + place));
  real factor = ns_at(row, ns_index(indices, m->cell_sample + place));
  real gammas = ns_get(row, m->cell_gamma + place);
  real weighted_base = weight * ns_get(row, m->cell_base + place);
  ns_put(row, m->cell_shift_weight + place, weight * factor * gammas);
  ns_put(row, m->cell_base_weight + place, weighted_base * gammas);
  ns_put(row, m->cell_gamma_weight + place, weighted_base * factor);
}

// Q = sum_b w_b G_sb base_sb of a sample; Q F and Q prod(normsys) take the places of F and prod(normsys).
FN void ns_sample_weight_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, offset place) {
  u32 lane = (u32)(place % 8);
  offset begin = ns_list_begin(indices, &m->cells_of_sample, place);
  offset end = begin + ns_list_size(indices, &m->cells_of_sample, place);
  real sum;
  SUM_OVER(sum, slot, begin, end, 2,
           ns_at(row, ns_entry_index(indices, m->cells_of_sample.index, slot, 1, 0, lane)));
  ns_keep_times(row, m->sample_total + place, sum);       // stands where F does
  ns_keep_times(row, m->sample_norm_total + place, sum);  // and this where prod(normsys) does
}

// weight (S + t'(a) A) of one histosys in a cell
FN real ns_shift_slope(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, real slope,
                       NsSlot slot, u32 lane) {
  const NsPair shift = ns_entry_pair(reals, m->shift_of_parameter.real, slot, 1, 0, lane);
  return ns_at(row, ns_entry_index(indices, m->shift_of_parameter.index, slot, 1, 0, lane)) *
         (shift.first + slope * shift.second);
}

// histosys: sum over cells
FN void ns_shift_slope_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row,
                             offset place) {
  u32 lane = (u32)(place % 8);
  offset begin = ns_list_begin(indices, &m->shift_of_parameter, place);
  offset end = begin + ns_list_size(indices, &m->shift_of_parameter, place);
  real slope = ns_shape_slope(m->histosys_code, ns_get(row, m->shape_alpha + place));
  real sum;
  SUM_OVER(sum, slot, begin, end, 4, ns_shift_slope(m, reals, indices, row, slope, slot, lane));
  ns_keep(row, m->shift_slope + place, sum);
}

// f'(c) / f(c) of one normsys inside its polynomial.
FN real ns_norm_ratio(LAYOUT NsLayout* m, TABLE scalar* reals, NsSlot slot, u32 lane, real c) {
  const NsPair c12 = ns_entry_pair(reals, m->norm_of_parameter.real, slot, 3, 0, lane);
  const NsPair c34 = ns_entry_pair(reals, m->norm_of_parameter.real, slot, 3, 1, lane);
  const NsPair c56 = ns_entry_pair(reals, m->norm_of_parameter.real, slot, 3, 2, lane);
  real p = c56.second;
  real slope = p;
  p = p * c + c56.first;
  slope = slope * c + p;
  p = p * c + c34.second;
  slope = slope * c + p;
  p = p * c + c34.first;
  slope = slope * c + p;
  p = p * c + c12.second;
  slope = slope * c + p;
  p = p * c + c12.first;
  slope = slope * c + p;
  return slope / ns_not_zero(p * c + R(1.0));
}

// Q F f'(a) / f(a) of one normsys where no parameter lies beyond its polynomial.
FN real ns_norm_slope_inside(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, real c,
                             NsSlot slot, u32 lane) {
  real weight = ns_at(row, ns_entry_index(indices, m->norm_of_parameter.index, slot, 1, 0, lane));
  return weight * ns_norm_ratio(m, reals, slot, lane, c);
}

// The same of any; beyond its polynomial, from `reach` on, f' / f is log(hi) or -log(lo).
FN real ns_norm_slope(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, real a,
                      real reach, NsSlot slot, u32 lane) {
  real weight = ns_at(row, ns_entry_index(indices, m->norm_of_parameter.index, slot, 1, 0, lane));
  const NsPair logs = ns_entry_pair(reals, m->norm_of_parameter_logs, slot, 1, 0, lane);
  real size = SELECT(a > R(0.0), a, -a);
  real log = SELECT(a > R(0.0), logs.first, -logs.second);
  real ratio = ns_norm_ratio(m, reals, slot, lane, SELECT(size < reach, a, R(0.0)));
  return weight * SELECT(size < reach, ratio, log);
}

// normsys: sum over samples. At the kink of code1 (a = 0) the slope is that of a < 0.
FN void ns_norm_slope_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, u32 beyond,
                            offset place) {
  u32 lane = (u32)(place % 8);
  offset begin = ns_list_begin(indices, &m->norm_of_parameter, place);
  offset end = begin + ns_list_size(indices, &m->norm_of_parameter, place);
  real a = ns_at(row, ns_index(indices, m->norm_parameter + place));
  real reach = ns_norm_reach(m->normsys_code);
  real sum;
  if (beyond || m->normsys_code != 4) {
    SUM_OVER(sum, slot, begin, end, 1, ns_norm_slope(m, reals, indices, row, a, reach, slot, lane));
  } else {
    SUM_OVER(sum, slot, begin, end, 2, ns_norm_slope_inside(m, reals, indices, row, a, slot, lane));
  }
  ns_keep(row, m->norm_slope + place, sum);
}

// Q F f'(a) / f(a) of one factor 1 + a S + |a| A. At the kink (a = 0) the slope is that of a < 0.
FN real ns_linear_ratio(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, real a,
                        NsSlot slot, u32 lane) {
  real size = SELECT(a > R(0.0), a, -a);
  const NsPair shift = ns_entry_pair(reals, m->linear_of_parameter.real, slot, 1, 0, lane);
  real f = ns_not_zero(R(1.0) + (a * shift.first + size * shift.second));
  real slope = SELECT(a > R(0.0), shift.first + shift.second, shift.first - shift.second);
  return ns_at(row, ns_entry_index(indices, m->linear_of_parameter.index, slot, 1, 0, lane)) * (slope / f);
}

FN void ns_linear_slope_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row,
                              offset place) {
  u32 lane = (u32)(place % 8);
  offset begin = ns_list_begin(indices, &m->linear_of_parameter, place);
  offset end = begin + ns_list_size(indices, &m->linear_of_parameter, place);
  real a = ns_at(row, ns_index(indices, m->linear_parameter + place));
  real sum;
  SUM_OVER(sum, slot, begin, end, 1, ns_linear_ratio(m, reals, indices, row, a, slot, lane));
  ns_keep(row, m->linear_slope + place, sum);
}

// Factors and gammas: sum of weight times the product of the other factors.
FN void ns_product_slope_phase(LAYOUT NsList* list, u32 target, NsIndices indices, NsRow row, offset place) {
  u32 lane = (u32)(place % 8);
  offset begin = ns_list_begin(indices, list, place);
  offset end = begin + ns_list_size(indices, list, place);
  real sum;
  SUM_OVER(sum, slot, begin, end, 2,
           ns_at(row, ns_entry_index(indices, list->index, slot, 2, 0, lane)) *
               ns_at(row, ns_entry_index(indices, list->index, slot, 2, 1, lane)));
  ns_keep(row, target + place, sum);
}

// The derivatives by kind of term, longest lists first.
FN void ns_slope_phases(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, u32 beyond) {
  const u32 factors = m->norm_of_parameter.slices * 8;
  const u32 shifts = factors + m->factor_of_parameter.slices * 8;
  const u32 linears = shifts + m->shift_of_parameter.slices * 8;
  const u32 gammas = linears + m->linear_of_parameter.slices * 8;
  offset drawn = ns_first_drawn(1);
  FOR_DRAWN (drawn, 1, factors) ns_norm_slope_phase(m, reals, indices, row, beyond, drawn);
  FOR_DRAWN (drawn, 1, shifts)
    ns_product_slope_phase(&m->factor_of_parameter, m->factor_slope, indices, row, drawn - factors);
  FOR_DRAWN (drawn, 1, linears) ns_shift_slope_phase(m, reals, indices, row, drawn - shifts);
  FOR_DRAWN (drawn, 1, gammas) ns_linear_slope_phase(m, reals, indices, row, drawn - linears);
  FOR_DRAWN (drawn, 1, gammas + m->gamma_of_parameter.slices * 8)
    ns_product_slope_phase(&m->gamma_of_parameter, m->gamma_slope, indices, row, drawn - gammas);
}

// All contributions to one derivative.
FN void ns_gather_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, offset place) {
  u32 lane = (u32)(place % 8);
  offset begin = ns_list_begin(indices, &m->gather, place);
  offset end = begin + ns_list_size(indices, &m->gather, place);
  real sum;
  SUM_OVER(sum, slot, begin, end, 2, ns_at(row, ns_entry_index(indices, m->gather.index, slot, 1, 0, lane)));
  ns_far_keep(row, m->gradient + place, sum);
}

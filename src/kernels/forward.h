// From parameters to the NLL of one row, in phases (dialect.md). A phase works on one owner, whose number
// is its place in tables and rows. Phases run in the order of this file; each reads only what earlier ones wrote.
//
//   nu_b = sum_s F_s G_sb (nominal_sb + sum_k (a_k S_kb + t(a_k) A_kb))
//   F_s  = prod(factors) prod(normsys),  G_sb = prod(gammas)

// Values of the interpolation of one shifting parameter.
FN void ns_shape_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, offset place) {
  real a = ns_at(row, ns_index(indices, m->shape_parameter + place));
  ns_put(row, m->shape_alpha + place, a);
  ns_put(row, m->shape_t + place, ns_shape(m->histosys_code, a));
}

// What a normsys parameter has beyond its polynomial; not 0 where it needs the exponential.
FN real ns_norm_excess(LAYOUT NsLayout* m, NsIndices indices, NsRow row, offset place) {
  real a = ns_at(row, ns_index(indices, m->norm_parameter + place));
  return a - ns_norm_inside(m->normsys_code, a);
}

// The polynomial of one normsys.
FN real ns_norm_polynomial(LAYOUT NsLayout* m, TABLE scalar* reals, NsSlot slot, u32 lane, real c) {
  const NsPair c12 = ns_entry_pair(reals, m->norm.real, slot, 3, 0, lane);
  const NsPair c34 = ns_entry_pair(reals, m->norm.real, slot, 3, 1, lane);
  const NsPair c56 = ns_entry_pair(reals, m->norm.real, slot, 3, 2, lane);
  real p = c56.second;
  p = p * c + c56.first;
  p = p * c + c34.second;
  p = p * c + c34.first;
  p = p * c + c12.second;
  p = p * c + c12.first;
  return p * c + R(1.0);
}

// The factor of one normsys where no parameter lies beyond its polynomial.
FN real ns_norm_factor(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, NsSlot slot,
                       u32 lane) {
  real c = ns_at(row, ns_entry_index(indices, m->norm.index, slot, 1, 0, lane));
  return ns_norm_polynomial(m, reals, slot, lane, c);
}

// The factor of one normsys inside its polynomial, and its exponent beyond.
FN NsPair ns_norm_parts(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, NsSlot slot,
                        u32 lane, real reach) {
  real a = ns_at(row, ns_entry_index(indices, m->norm.index, slot, 1, 0, lane));
  const NsPair logs = ns_entry_pair(reals, m->norm_logs, slot, 1, 0, lane);
  real size = SELECT(a > R(0.0), a, -a);
  real c = SELECT(size < reach, a, R(0.0));
  NsPair parts = {ns_norm_polynomial(m, reals, slot, lane, c),
                  SELECT(size < reach, R(0.0), a * SELECT(a > R(0.0), logs.first, -logs.second))};
  return parts;
}

// A factor 1 + a S + |a| A: normsys without logarithms.
FN real ns_linear_factor(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, NsSlot slot,
                         u32 lane) {
  real a = ns_at(row, ns_entry_index(indices, m->linear.index, slot, 1, 0, lane));
  real size = SELECT(a > R(0.0), a, -a);
  const NsPair shift = ns_entry_pair(reals, m->linear.real, slot, 1, 0, lane);
  return ns_not_zero(R(1.0) + (a * shift.first + size * shift.second));
}

// The normsys factors of a sample: polynomials, and one exponential for all that lie beyond them.
// `beyond`: whether any parameter has an excess. 1 is always right, because exp(0) = 1 exactly.
FN void ns_norm_product_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row,
                              u32 beyond, offset place) {
  u32 lane = (u32)(place % 8);
  offset begin = ns_list_begin(indices, &m->norm, place);
  offset end = begin + ns_list_size(indices, &m->norm, place);
  real product;
  if (beyond) {
    real exponent;
    real reach = ns_norm_reach(m->normsys_code);
    PRODUCT_AND_SUM_OVER(product, exponent, slot, begin, end,
                         ns_norm_parts(m, reals, indices, row, slot, lane, reach));
    product = product * ns_exp(exponent);
  } else {
    PRODUCT_OVER(product, slot, begin, end, 2, ns_norm_factor(m, reals, indices, row, slot, lane));
  }
  begin = ns_list_begin(indices, &m->linear, place);
  end = begin + ns_list_size(indices, &m->linear, place);
  real linear = R(1.0);
  if (begin < end)
    PRODUCT_OVER(linear, slot, begin, end, 1, ns_linear_factor(m, reals, indices, row, slot, lane));
  ns_keep(row, m->sample_norm + place, product * linear);
}

// The product of an owner's parameters; `others` receives, for each, the product of the others. Never the
// total divided by the parameter: mu = 0 is where limits live. others = 0: no owner has more than one.
FN real ns_parameter_product(LAYOUT NsList* list, u32 others, NsIndices indices, NsRow row, offset place) {
  u32 lane = (u32)(place % 8);
  offset begin = ns_list_begin(indices, list, place);
  offset end = begin + ns_list_size(indices, list, place);
  real before = R(1.0);
  real after = R(1.0);
  if (others == 0)
    return begin < end ? ns_at(row, ns_index(indices, list->index + begin * 8 + lane)) : before;
  UNROLLED(1) for (offset slot = begin; slot < end; ++slot) {
    ns_put(row, others + slot * 8 + lane, before);
    before = before * ns_at(row, ns_index(indices, list->index + slot * 8 + lane));
  }
  UNROLLED(1) for (offset slot = end; slot > begin; --slot) {
    ns_put(row, others + (slot - 1) * 8 + lane, ns_get(row, others + (slot - 1) * 8 + lane) * after);
    after = after * ns_at(row, ns_index(indices, list->index + (slot - 1) * 8 + lane));
  }
  return before;
}

FN void ns_factor_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, offset place) {
  ns_put(row, m->sample_factor + place,
         ns_parameter_product(&m->factor, m->factor_others, indices, row, place));
}

FN void ns_gamma_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, offset place) {
  ns_put(row, m->cell_gamma + place, ns_parameter_product(&m->gamma, m->gamma_others, indices, row, place));
}

FN void ns_sample_phase(LAYOUT NsLayout* m, NsRow row, offset place) {
  ns_put(row, m->sample_factor + place,
         ns_get(row, m->sample_factor + place) * ns_get(row, m->sample_norm + place));
}

// What one histosys adds to a cell.
FN real ns_shift(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, NsSlot slot,
                 u32 lane) {
  index shape = ns_entry_index(indices, m->shift.index, slot, 1, 0, lane);
  const NsPair shift = ns_entry_pair(reals, m->shift.real, slot, 1, 0, lane);
  return ns_at(row, shape + m->shape_alpha) * shift.first + ns_at(row, shape + m->shape_t) * shift.second;
}

FN void ns_base_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, offset place) {
  u32 lane = (u32)(place % 8);
  offset begin = ns_list_begin(indices, &m->shift, place);
  offset end = begin + ns_list_size(indices, &m->shift, place);
  real shift;
  SUM_OVER(shift, slot, begin, end, 4, ns_shift(m, reals, indices, row, slot, lane));
  ns_keep(row, m->cell_base + place, ns_table(reals, m->cell_nominal + place) + shift);
}

FN void ns_rate_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, offset place) {
  ns_put(row, m->cell_rate + place,
         ns_at(row, ns_index(indices, m->cell_sample + place)) * ns_get(row, m->cell_gamma + place) *
             ns_get(row, m->cell_base + place));
}

// w = d deviance / d nu = 1 - n / nu; 1 for n = 0; 0 where the deviance is infinite.
FN real ns_poisson_weight(real n, real nu) {
  real weight = (nu - n) / nu;
  return SELECT(n > R(0.0), SELECT(nu > R(0.0), weight, R(0.0)), R(1.0));
}

FN void ns_bin_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, offset place) {
  u32 lane = (u32)(place % 8);
  offset begin = ns_list_begin(indices, &m->stack, place);
  offset end = begin + ns_list_size(indices, &m->stack, place);
  real nu;
  SUM_OVER(nu, slot, begin, end, 2, ns_at(row, ns_entry_index(indices, m->stack.index, slot, 1, 0, lane)));
  real n = ns_far_get(row, m->data + place);
  ns_keep(row, m->bin_weight + place, ns_poisson_weight(n, nu));
  ns_far_keep(row, m->bin_rate + place, nu);
  ns_far_keep(row, m->term + place, ns_poisson_deviance(n, ns_far_get(row, m->inverse_data + place), nu));
}

// ((x - auxiliary) / sigma)^2 / 2
FN void ns_normal_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, offset place) {
  offset pair = m->normal_index + place / 8 * 16 + place % 8;
  real x = ns_at(row, ns_index(indices, pair));
  real center = ns_far_at(row, ns_index(indices, pair + 8));
  real inverse_sigma = ns_table(reals, m->normal_real + place);
  real pull = (x - center) * inverse_sigma;
  ns_put(row, m->normal_slope + place, pull * inverse_sigma);
  ns_far_put(row, m->term + m->stack.slices * 8 + place, R(0.5) * (pull * pull));
}

// Pois(auxiliary | x tau) as deviance
FN void ns_poisson_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row,
                         offset place) {
  offset pair = m->poisson_index + place / 8 * 16 + place % 8;
  index datum = ns_index(indices, pair + 8);
  real tau = ns_table(reals, m->poisson_real + place);
  real nu = ns_at(row, ns_index(indices, pair)) * tau;
  real n = ns_far_at(row, datum);
  ns_put(row, m->poisson_slope + place, ns_poisson_weight(n, nu) * tau);
  ns_far_put(row, m->term + (m->stack.slices + m->normal_slices) * 8 + place,
             ns_poisson_deviance(n, ns_far_at(row, datum + (m->inverse_data - m->data)), nu));
}

// All terms in one fixed order: 32 strided partial sums, then a tree.
FN NsFour ns_term_sums(LAYOUT NsLayout* m, NsRow row, offset part) {
  NsFour four = {R(0.0), R(0.0), R(0.0), R(0.0)};
  UNROLLED(2)
  for (offset i = part; i < m->term_slices * 8; i += 32) four.a = four.a + ns_far_get(row, m->term + i);
  return four;
}

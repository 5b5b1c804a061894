// From parameters to the NLL of one row, in phases (dialect.md). A phase works on one owner: lane `lane` of
// slice `slice`. Phases run in the order of this file; each reads only what earlier ones wrote.
//
//   nu_b = sum_s F_s G_sb (nominal_sb + sum_k (a_k S_kb + t(a_k) A_kb))
//   F_s  = prod(factors) prod(normsys),  G_sb = prod(gammas)

// Values of the interpolation of one shifting parameter.
FN void ns_shape_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, u32 slice,
                       u32 lane) {
  real a = ROW_AT(row, TABLE_INDEX(indices, m->shape_parameter, slice));
  ROW_STORE(row, m->shape_alpha, slice, a);
  ROW_STORE(row, m->shape_t, slice, ns_shape(m->histosys_code, a));
}

// A normsys parameter as what enters the polynomials and what enters the exponentials; one of them is zero.
FN void ns_norm_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, u32 slice, u32 lane) {
  real a = ROW_AT(row, TABLE_INDEX(indices, m->norm_parameter, slice));
  real c = ns_norm_inside(m->normsys_code, a);
  ROW_STORE(row, m->norm_inside, slice, c);
  ROW_STORE(row, m->norm_excess, slice, a - c);
}

// The factor of one normsys inside its polynomial.
FN real ns_norm_factor(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, offset slot,
                       u32 lane) {
  real c = ROW_AT(row, TABLE_INDEX(indices, m->norm.index, slot) + m->norm_inside);
  TABLE_PAIR(c1, c2, reals, m->norm.real, slot * 3);
  TABLE_PAIR(c3, c4, reals, m->norm.real, slot * 3 + 1);
  TABLE_PAIR(c5, c6, reals, m->norm.real, slot * 3 + 2);
  real p = c6;
  p = p * c + c5;
  p = p * c + c4;
  p = p * c + c3;
  p = p * c + c2;
  p = p * c + c1;
  return p * c + R(1.0);
}

// The exponent of one normsys beyond its polynomial.
FN real ns_norm_exponent(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, offset slot,
                         u32 lane) {
  real excess = ROW_AT(row, TABLE_INDEX(indices, m->norm.index, slot) + m->norm_excess);
  TABLE_PAIR(high, low, reals, m->norm_logs, slot);
  return SELECT(excess > R(0.0), excess * high, -excess * low);
}

// A factor 1 + a S + |a| A: normsys without logarithms.
FN real ns_linear_factor(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, offset slot,
                         u32 lane) {
  real a = ROW_AT(row, TABLE_INDEX(indices, m->linear.index, slot));
  real size = SELECT(a > R(0.0), a, -a);
  TABLE_PAIR(odd, even, reals, m->linear.real, slot);
  return ns_not_zero(R(1.0) + (a * odd + size * even));
}

// The normsys factors of a sample: polynomials, and one exponential for all that lie beyond them.
// `beyond`: whether any parameter has an excess. 1 is always right, because exp(0) = 1 exactly.
FN void ns_norm_product_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row,
                              u32 beyond, u32 slice, u32 lane) {
  offset begin = LIST_BEGIN(indices, m->norm, slice);
  offset end = begin + TRIPS(indices, m->norm, slice);
  real product;
  PRODUCT_OVER(product, begin, end, 2, ns_norm_factor(m, reals, indices, row, slot, lane));
  if (beyond) {
    real exponent;
    SUM_OVER(exponent, begin, end, 1, ns_norm_exponent(m, reals, indices, row, slot, lane));
    product = product * ns_exp(exponent);
  }
  begin = LIST_BEGIN(indices, m->linear, slice);
  end = begin + TRIPS(indices, m->linear, slice);
  real linear;
  PRODUCT_OVER(linear, begin, end, 1, ns_linear_factor(m, reals, indices, row, slot, lane));
  LIST_STORE(row, m->sample_norm, slice, product * linear);
}

// The product of an owner's parameters; `others` receives, for each, the product of the others. Never the
// total divided by the parameter: mu = 0 is where limits live. others = 0: no owner has more than one.
FN real ns_parameter_product(LAYOUT NsList* list, u32 others, NsIndices indices, NsRow row, u32 slice,
                             u32 lane) {
  offset begin = LIST_BEGIN(indices, *list, slice);
  offset end = begin + TRIPS(indices, *list, slice);
  real before = R(1.0);
  real after = R(1.0);
  if (others == 0) return begin < end ? ROW_AT(row, TABLE_INDEX(indices, list->index, begin)) : before;
  UNROLLED(1) for (offset slot = begin; slot < end; ++slot) {
    ROW_STORE(row, others, slot, before);
    before = before * ROW_AT(row, TABLE_INDEX(indices, list->index, slot));
  }
  UNROLLED(1) for (offset slot = end; slot > begin; --slot) {
    ROW_STORE(row, others, slot - 1, ROW_SLOT(row, others, slot - 1) * after);
    after = after * ROW_AT(row, TABLE_INDEX(indices, list->index, slot - 1));
  }
  return before;
}

FN void ns_factor_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, u32 slice, u32 lane) {
  ROW_STORE(row, m->sample_factor, slice,
            ns_parameter_product(&m->factor, m->factor_others, indices, row, slice, lane));
}

FN void ns_gamma_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, u32 slice, u32 lane) {
  ROW_STORE(row, m->cell_gamma, slice,
            ns_parameter_product(&m->gamma, m->gamma_others, indices, row, slice, lane));
}

FN void ns_sample_phase(LAYOUT NsLayout* m, NsRow row, u32 slice, u32 lane) {
  ROW_STORE(row, m->sample_factor, slice,
            ROW_SLOT(row, m->sample_factor, slice) * ROW_SLOT(row, m->sample_norm, slice));
}

// What one histosys adds to a cell.
FN real ns_shift(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, offset slot,
                 u32 lane) {
  index shape = TABLE_INDEX(indices, m->shift.index, slot);
  TABLE_PAIR(odd, even, reals, m->shift.real, slot);
  return ROW_AT(row, shape + m->shape_alpha) * odd + ROW_AT(row, shape + m->shape_t) * even;
}

FN void ns_base_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, u32 slice,
                      u32 lane) {
  offset begin = LIST_BEGIN(indices, m->shift, slice);
  offset end = begin + TRIPS(indices, m->shift, slice);
  real shift;
  SUM_OVER(shift, begin, end, 4, ns_shift(m, reals, indices, row, slot, lane));
  LIST_STORE(row, m->cell_base, slice, TABLE_REAL(reals, m->cell_nominal, slice) + shift);
}

FN void ns_rate_phase(LAYOUT NsLayout* m, NsIndices indices, NsRow row, u32 slice, u32 lane) {
  ROW_STORE(row, m->cell_rate, slice,
            ROW_AT(row, TABLE_INDEX(indices, m->cell_sample, slice)) * ROW_SLOT(row, m->cell_gamma, slice) *
                ROW_SLOT(row, m->cell_base, slice));
}

// w = d deviance / d nu = 1 - n / nu; 1 for n = 0; 0 where the deviance is infinite.
FN real ns_poisson_weight(real n, real nu) {
  real weight = (nu - n) / nu;
  return SELECT(n > R(0.0), SELECT(nu > R(0.0), weight, R(0.0)), R(1.0));
}

FN void ns_bin_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, u32 slice,
                     u32 lane) {
  offset begin = LIST_BEGIN(indices, m->stack, slice);
  offset end = begin + TRIPS(indices, m->stack, slice);
  real nu;
  SUM_OVER(nu, begin, end, 2, ROW_AT(row, TABLE_INDEX(indices, m->stack.index, slot)));
  real n = FAR_SLOT(row, m->data, slice);
  LIST_STORE(row, m->bin_weight, slice, ns_poisson_weight(n, nu));
  LIST_STORE_FAR(row, m->bin_rate, slice, nu);
  LIST_STORE_FAR(row, m->term, slice, ns_poisson_deviance(n, FAR_SLOT(row, m->inverse_data, slice), nu));
}

// ((x - auxiliary) / sigma)^2 / 2
FN void ns_normal_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, u32 slice,
                        u32 lane) {
  real x = ROW_AT(row, TABLE_INDEX(indices, m->normal_index, slice * 2));
  real center = FAR_AT(row, TABLE_INDEX(indices, m->normal_index, slice * 2 + 1));
  real inverse_sigma = TABLE_REAL(reals, m->normal_real, slice);
  real pull = (x - center) * inverse_sigma;
  ROW_STORE(row, m->normal_slope, slice, pull * inverse_sigma);
  FAR_STORE(row, m->term, m->stack.slices + slice, R(0.5) * (pull * pull));
}

// Pois(auxiliary | x tau) as deviance
FN void ns_poisson_phase(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, u32 slice,
                         u32 lane) {
  index datum = TABLE_INDEX(indices, m->poisson_index, slice * 2 + 1);
  real tau = TABLE_REAL(reals, m->poisson_real, slice);
  real nu = ROW_AT(row, TABLE_INDEX(indices, m->poisson_index, slice * 2)) * tau;
  real n = FAR_AT(row, datum);
  ROW_STORE(row, m->poisson_slope, slice, ns_poisson_weight(n, nu) * tau);
  FAR_STORE(row, m->term, m->stack.slices + m->normal_slices + slice,
            ns_poisson_deviance(n, FAR_AT(row, datum + (m->inverse_data - m->data)), nu));
}

// All terms in one fixed order: 32 strided partial sums, then a tree.
FN NsFour ns_term_sums(LAYOUT NsLayout* m, NsRow row, u32 slice, u32 lane) {
  NsFour four = {R(0.0), R(0.0), R(0.0), R(0.0)};
  UNROLLED(4) for (u32 i = slice; i < m->term_slices; i += 4) four.a = four.a + FAR_SLOT(row, m->term, i);
  return four;
}

// From parameters to the NLL of one row, in phases (dialect.md). A phase works on one owner: lane `lane` of
// slice `slice`. Phases run in the order of this file; each reads only what earlier ones wrote.
//
//   nu_b = sum_s F_s G_sb (nominal_sb + sum_k (a_k S_kb + t(a_k) A_kb))
//   F_s  = prod(factors) prod(normsys),  G_sb = prod(gammas)

// Sums over a list: four partial sums, of every fourth entry each, so that additions need not wait for each
// other. `term` is an expression in `slot`. Entries of padding add 0 and change no bit: a sum is never -0.
#define SUM_OVER(sum, begin, end, term)       \
  {                                           \
    real part0 = R(0.0);                      \
    real part1 = R(0.0);                      \
    real part2 = R(0.0);                      \
    real part3 = R(0.0);                      \
    offset slot = (begin);                    \
    for (; slot + 4 <= (end); ++slot) {       \
      part0 = part0 + (term);                 \
      ++slot;                                 \
      part1 = part1 + (term);                 \
      ++slot;                                 \
      part2 = part2 + (term);                 \
      ++slot;                                 \
      part3 = part3 + (term);                 \
    }                                         \
    if (slot < (end)) part0 = part0 + (term); \
    ++slot;                                   \
    if (slot < (end)) part1 = part1 + (term); \
    ++slot;                                   \
    if (slot < (end)) part2 = part2 + (term); \
    sum = (part0 + part1) + (part2 + part3);  \
  }

// Values of the interpolation of one shifting parameter.
FN void ns_shape_phase(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row,
                       u32 slice, u32 lane) {
  real a = ROW_AT(row, TABLE_INDEX(indices, m->shape_parameter, slice));
  ROW_STORE(row, m->shape_alpha, slice, a);
  ROW_STORE(row, m->shape_t, slice, ns_shape(m->histosys_code, a));
}

// A normsys parameter as what enters the polynomials and what enters the exponentials; one of them is zero.
FN void ns_norm_phase(LAYOUT NsLayout* m, TABLE u32* indices, ROW scalar* row, u32 slice, u32 lane) {
  real a = ROW_AT(row, TABLE_INDEX(indices, m->norm_parameter, slice));
  real c = ns_norm_inside(m->normsys_code, a);
  ROW_STORE(row, m->norm_inside, slice, c);
  ROW_STORE(row, m->norm_excess, slice, a - c);
}

// Product of the normsys factors of a sample: polynomials, and one exponential for all that lie beyond them.
// `beyond`: whether any parameter has an excess; the caller finds out (exp(0) = 1 exactly, so it may also say
// yes without need).
FN real ns_norm_product(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row,
                        u32 beyond, u32 slice, u32 lane) {
  offset begin = indices[m->norm.begin + slice];
  offset end = begin + TRIPS(indices, m->norm, slice);
  real product = R(1.0);
  for (offset slot = begin; slot < end; ++slot) {
    real c = ROW_AT(row, TABLE_INDEX(indices, m->norm.index, slot) + m->norm_inside);
    real p = TABLE_REAL(reals, m->norm.real, slot * 6 + 5);
    p = p * c + TABLE_REAL(reals, m->norm.real, slot * 6 + 4);
    p = p * c + TABLE_REAL(reals, m->norm.real, slot * 6 + 3);
    p = p * c + TABLE_REAL(reals, m->norm.real, slot * 6 + 2);
    p = p * c + TABLE_REAL(reals, m->norm.real, slot * 6 + 1);
    p = p * c + TABLE_REAL(reals, m->norm.real, slot * 6);
    product = product * (p * c + R(1.0));
  }
  if (!beyond) return product;
  real exponent = R(0.0);
  for (offset slot = begin; slot < end; ++slot) {
    real excess = ROW_AT(row, TABLE_INDEX(indices, m->norm.index, slot) + m->norm_excess);
    exponent = exponent + (excess > R(0.0) ? excess * TABLE_REAL(reals, m->norm_logs, slot * 2)
                                           : -excess * TABLE_REAL(reals, m->norm_logs, slot * 2 + 1));
  }
  return product * ns_exp(exponent);
}

// Factors 1 + a S + |a| A: normsys without logarithms.
FN real ns_linear_product(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row,
                          u32 slice, u32 lane) {
  offset slot = indices[m->linear.begin + slice];
  offset end = slot + TRIPS(indices, m->linear, slice);
  real product = R(1.0);
  for (; slot < end; ++slot) {
    real a = ROW_AT(row, TABLE_INDEX(indices, m->linear.index, slot));
    real size = a > R(0.0) ? a : -a;
    product = product * ns_not_zero(R(1.0) + (a * TABLE_REAL(reals, m->linear.real, slot * 2) +
                                              size * TABLE_REAL(reals, m->linear.real, slot * 2 + 1)));
  }
  return product;
}

// The product of an owner's parameters; `others` receives, for each, the product of the others. Never the
// total divided by the parameter: mu = 0 is where limits live.
FN real ns_parameter_product(LAYOUT NsList* list, u32 others, TABLE u32* indices, ROW scalar* row, u32 slice,
                             u32 lane) {
  offset begin = indices[list->begin + slice];
  offset end = begin + TRIPS(indices, *list, slice);
  real before = R(1.0);
  real after = R(1.0);
  for (offset slot = begin; slot < end; ++slot) {
    ROW_STORE(row, others, slot, before);
    before = before * ROW_AT(row, TABLE_INDEX(indices, list->index, slot));
  }
  for (offset slot = end; slot > begin; --slot) {
    ROW_STORE(row, others, slot - 1, ROW_SLOT(row, others, slot - 1) * after);
    after = after * ROW_AT(row, TABLE_INDEX(indices, list->index, slot - 1));
  }
  return before;
}

FN void ns_sample_phase(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row,
                        u32 beyond, u32 slice, u32 lane) {
  real norm = ns_norm_product(m, reals, indices, row, beyond, slice, lane) *
              ns_linear_product(m, reals, indices, row, slice, lane);
  real factors = ns_parameter_product(&m->factor, m->factor_others, indices, row, slice, lane);
  ROW_STORE(row, m->sample_norm, slice, norm);
  ROW_STORE(row, m->sample_factor, slice, factors * norm);
}

// What one histosys adds to a cell.
FN real ns_shift(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row, offset slot,
                 u32 lane) {
  index shape = TABLE_INDEX(indices, m->shift.index, slot);
  return ROW_AT(row, shape + m->shape_alpha) * TABLE_REAL(reals, m->shift.real, slot * 2) +
         ROW_AT(row, shape + m->shape_t) * TABLE_REAL(reals, m->shift.real, slot * 2 + 1);
}

FN void ns_cell_phase(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row, u32 slice,
                      u32 lane) {
  offset begin = indices[m->shift.begin + slice];
  offset end = begin + TRIPS(indices, m->shift, slice);
  real shift;
  SUM_OVER(shift, begin, end, ns_shift(m, reals, indices, row, slot, lane));
  real base = TABLE_REAL(reals, m->cell_nominal, slice) + shift;
  real gammas = ns_parameter_product(&m->gamma, m->gamma_others, indices, row, slice, lane);
  ROW_STORE(row, m->cell_base, slice, base);
  ROW_STORE(row, m->cell_gamma, slice, gammas);
  ROW_STORE(row, m->cell_rate, slice,
            ROW_AT(row, TABLE_INDEX(indices, m->cell_sample, slice)) * gammas * base);
}

// w = d deviance / d nu = 1 - n / nu; 1 for n = 0; 0 where the deviance is infinite.
FN real ns_poisson_weight(real n, real nu) {
  real weight = (nu - n) / nu;
  return n > R(0.0) ? (nu > R(0.0) ? weight : R(0.0)) : R(1.0);
}

FN void ns_bin_phase(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row, u32 slice,
                     u32 lane) {
  offset begin = indices[m->stack.begin + slice];
  offset end = begin + TRIPS(indices, m->stack, slice);
  real nu;
  SUM_OVER(nu, begin, end, ROW_AT(row, TABLE_INDEX(indices, m->stack.index, slot)));
  real n = ROW_SLOT(row, m->data, slice);
  ROW_STORE(row, m->bin_rate, slice, nu);
  ROW_STORE(row, m->bin_weight, slice, ns_poisson_weight(n, nu));
  ROW_STORE(row, m->term, slice, ns_poisson_deviance(n, ROW_SLOT(row, m->inverse_data, slice), nu));
}

// ((x - auxiliary) / sigma)^2 / 2
FN void ns_normal_phase(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row,
                        u32 slice, u32 lane) {
  real x = ROW_AT(row, TABLE_INDEX(indices, m->normal_index, slice * 2));
  real center = ROW_AT(row, TABLE_INDEX(indices, m->normal_index, slice * 2 + 1));
  real inverse_sigma = TABLE_REAL(reals, m->normal_real, slice);
  real pull = (x - center) * inverse_sigma;
  ROW_STORE(row, m->normal_slope, slice, pull * inverse_sigma);
  ROW_STORE(row, m->term, m->stack.slices + slice, R(0.5) * (pull * pull));
}

// Pois(auxiliary | x tau) as deviance
FN void ns_poisson_phase(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row,
                         u32 slice, u32 lane) {
  index datum = TABLE_INDEX(indices, m->poisson_index, slice * 2 + 1);
  real tau = TABLE_REAL(reals, m->poisson_real, slice);
  real nu = ROW_AT(row, TABLE_INDEX(indices, m->poisson_index, slice * 2)) * tau;
  real n = ROW_AT(row, datum);
  ROW_STORE(row, m->poisson_slope, slice, ns_poisson_weight(n, nu) * tau);
  ROW_STORE(row, m->term, m->stack.slices + m->normal_slices + slice,
            ns_poisson_deviance(n, ROW_AT(row, datum + (m->inverse_data - m->data)), nu));
}

// The sum of all terms in one fixed order: 32 strided partial sums (slices 0 to 3), then a tree.
FN void ns_partial_phase(LAYOUT NsLayout* m, ROW scalar* row, u32 slice, u32 lane) {
  real sum = R(0.0);
  for (u32 i = slice; i < m->term_slices; i += 4) sum = sum + ROW_SLOT(row, m->term, i);
  ROW_STORE(row, m->partial, slice, sum);
}

FN real ns_tree_sum(LAYOUT NsLayout* m, ROW scalar* row, u32 first, u32 stride) {
  real a =
      ROW_AT(row, SAME_INDEX(m->partial + first)) + ROW_AT(row, SAME_INDEX(m->partial + first + stride * 4));
  real b = ROW_AT(row, SAME_INDEX(m->partial + first + stride * 2)) +
           ROW_AT(row, SAME_INDEX(m->partial + first + stride * 6));
  real c = ROW_AT(row, SAME_INDEX(m->partial + first + stride)) +
           ROW_AT(row, SAME_INDEX(m->partial + first + stride * 5));
  real d = ROW_AT(row, SAME_INDEX(m->partial + first + stride * 3)) +
           ROW_AT(row, SAME_INDEX(m->partial + first + stride * 7));
  return (a + b) + (c + d);
}

FN real ns_total(LAYOUT NsLayout* m, ROW scalar* row) {
  return (ns_tree_sum(m, row, 0, 4) + ns_tree_sum(m, row, 2, 4)) +
         (ns_tree_sum(m, row, 1, 4) + ns_tree_sum(m, row, 3, 4));
}

// All phases (forward.h, backward.h) of an evaluation in their order, in the kernel dialect (dialect.md).
// loops.h explains the loops.
//   ANY_BEYOND(m, row)   whether a normsys parameter lies beyond its polynomial; 1 is always right

#define NS_PARTIAL (m->partial)
FN void ns_evaluate_row(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row, u32 gradient) {
  OWNERS(m->shift_of_parameter.slices, ns_shape_phase(m, reals, indices, row, slice, lane));
  ALSO(m->norm_of_parameter.slices, ns_norm_phase(m, indices, row, slice, lane));
  u32 beyond = ANY_BEYOND(m, row);
  LISTS_BEGIN(0);
  LIST_OF(m->norm.slices, ns_norm_product_phase(m, reals, indices, row, beyond, slice, lane));
  LIST_OF(m->shift.slices, ns_base_phase(m, reals, indices, row, slice, lane));
  LISTS_END;
  ALSO(m->factor.slices, ns_factor_phase(m, indices, row, slice, lane));
  ALSO(m->gamma.slices, ns_gamma_phase(m, indices, row, slice, lane));
  OWNERS(m->norm.slices, ns_sample_phase(m, row, slice, lane));
  OWNERS(m->shift.slices, ns_rate_phase(m, indices, row, slice, lane));
  LISTS(m->stack.slices, ns_bin_phase(m, reals, indices, row, slice, lane));
  ALSO(m->normal_slices, ns_normal_phase(m, reals, indices, row, slice, lane));
  ALSO(m->poisson_slices, ns_poisson_phase(m, reals, indices, row, slice, lane));
  TOTALS(1, k, 1, m->nll, ns_term_sums(m, row, slice, lane));
  if (!gradient) return;
  ALSO(m->shift.slices, ns_cell_weight_phase(m, indices, row, slice, lane));
  LISTS(m->cells_of_sample.slices, ns_sample_weight_phase(m, indices, row, slice, lane));
  LISTS_BEGIN(1);
  LIST_OF(m->norm_of_parameter.slices, ns_norm_slope_phase(m, reals, indices, row, beyond, slice, lane));
  LIST_OF(m->factor_of_parameter.slices,
          ns_product_slope_phase(&m->factor_of_parameter, m->factor_slope, indices, row, slice, lane));
  LIST_OF(m->shift_of_parameter.slices, ns_shift_slope_phase(m, reals, indices, row, slice, lane));
  LIST_OF(m->linear_of_parameter.slices, ns_linear_slope_phase(m, reals, indices, row, slice, lane));
  LIST_OF(m->gamma_of_parameter.slices,
          ns_product_slope_phase(&m->gamma_of_parameter, m->gamma_slope, indices, row, slice, lane));
  LISTS_END;
  LISTS(m->gather.slices, ns_gather_phase(m, indices, row, slice, lane));
}
#undef NS_PARTIAL

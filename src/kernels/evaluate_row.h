// All phases (forward.h, backward.h) of an evaluation in their order, in the kernel dialect (dialect.md). The
// entry file owns the loops: OWNERS(slices, phase) runs a phase for every owner of that many slices,
// ANY_BEYOND(m, row) says whether a normsys parameter lies beyond its polynomial (1 is always right),
// STORE_TOTAL(row, position, value) keeps the sum.

FN void ns_evaluate_row(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row,
                        u32 gradient) {
  OWNERS(m->shift_of_parameter.slices, ns_shape_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->norm_of_parameter.slices, ns_norm_phase(m, indices, row, slice, lane));
  u32 beyond = ANY_BEYOND(m, row);
  OWNERS(m->norm.slices, ns_sample_phase(m, reals, indices, row, beyond, slice, lane));
  OWNERS(m->shift.slices, ns_cell_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->stack.slices, ns_bin_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->normal_slices, ns_normal_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->poisson_slices, ns_poisson_phase(m, reals, indices, row, slice, lane));
  OWNERS(4, ns_partial_phase(m, row, slice, lane));
  STORE_TOTAL(row, m->nll, ns_total(m, row));
  if (!gradient) return;
  OWNERS(m->shift.slices, ns_cell_weight_phase(m, indices, row, slice, lane));
  OWNERS(m->cells_of_sample.slices, ns_sample_weight_phase(m, indices, row, slice, lane));
  OWNERS(m->shift_of_parameter.slices, ns_shift_slope_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->norm_of_parameter.slices, ns_norm_slope_phase(m, reals, indices, row, beyond, slice, lane));
  OWNERS(m->linear_of_parameter.slices, ns_linear_slope_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->factor_of_parameter.slices,
         ns_product_slope_phase(&m->factor_of_parameter, m->factor_slope, indices, row, slice, lane));
  OWNERS(m->gamma_of_parameter.slices,
         ns_product_slope_phase(&m->gamma_of_parameter, m->gamma_slope, indices, row, slice, lane));
  OWNERS((m->n_parameters + 7) / 8, ns_gather_phase(m, indices, row, slice, lane));
}

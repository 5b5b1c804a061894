// All phases (forward.h, backward.h) for one row in one thread, in the kernel dialect (dialect.md). The plainest way to
// run a row on a device: what a device's own loops must agree with to the bit.

#define OWNERS(slices, statement)                \
  for (u32 slice = 0; slice < (slices); ++slice) \
    for (u32 lane = 0; lane < 8; ++lane) statement

FN void ns_evaluate_row(LAYOUT NsLayout* m, TABLE scalar* reals, TABLE u32* indices, ROW scalar* row, u32 gradient) {
  u32 beyond = 1;  // not asked; see ns_norm_product
  OWNERS(m->shift_of_parameter.slices, ns_shape_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->norm_of_parameter.slices, ns_norm_phase(m, indices, row, slice, lane));
  OWNERS(m->norm.slices, ns_sample_phase(m, reals, indices, row, beyond, slice, lane));
  OWNERS(m->shift.slices, ns_cell_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->stack.slices, ns_bin_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->normal_slices, ns_normal_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->poisson_slices, ns_poisson_phase(m, reals, indices, row, slice, lane));
  OWNERS(4, ns_partial_phase(m, row, slice, lane));
  row[m->nll] = ns_total(m, row);
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

#undef OWNERS

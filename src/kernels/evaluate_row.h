// All phases (forward.h, backward.h) of an evaluation in their order, in the kernel dialect (dialect.md).
// After a barrier a phase may read what phases before it wrote; phases without one between them work on
// different things.

ROUTINE void ns_evaluate_row(LAYOUT NsLayout* m, TABLE scalar* reals, NsIndices indices, NsRow row,
                             u32 gradient) {
  FOR_OWNERS (place, m->shift_of_parameter.slices) ns_shape_phase(m, reals, indices, row, place);
  u32 beyond = ns_any_beyond(m, indices, row);  // has a barrier at its end
  const u32 norms = m->norm.slices * 8;
  offset drawn = ns_first_drawn(0);
  FOR_DRAWN (drawn, 0, norms) ns_norm_product_phase(m, reals, indices, row, beyond, drawn);
  FOR_DRAWN (drawn, 0, norms + m->shift.slices * 8) ns_base_phase(m, reals, indices, row, drawn - norms);
  FOR_OWNERS (place, m->factor.slices) ns_factor_phase(m, indices, row, place);
  FOR_OWNERS (place, m->gamma.slices) ns_gamma_phase(m, indices, row, place);
  ns_barrier();
  FOR_OWNERS (place, m->norm.slices) ns_sample_phase(m, row, place);
  ns_barrier();
  FOR_OWNERS (place, m->shift.slices) ns_rate_phase(m, indices, row, place);
  ns_barrier();
  FOR_LISTS (place, m->stack.slices) ns_bin_phase(m, reals, indices, row, place);
  FOR_OWNERS_FROM_LAST(place, m->normal_slices) ns_normal_phase(m, reals, indices, row, place);
  FOR_OWNERS_FROM_LAST(place, m->poisson_slices) ns_poisson_phase(m, reals, indices, row, place);
  ns_barrier();
  FOR_SUMS (k, 1) {
    FOR_PARTS (part) ns_keep_part(row, m->partial, part, 1, m->nll, ns_term_sums(m, row, part));
    ns_keep_totals(row, m->partial, 1, m->nll);
  }
  if (!gradient) return;
  FOR_OWNERS (place, m->shift.slices) ns_cell_weight_phase(m, indices, row, place);
  ns_barrier();
  FOR_LISTS (place, m->cells_of_sample.slices) ns_sample_weight_phase(m, indices, row, place);
  ns_barrier();
  ns_slope_phases(m, reals, indices, row, beyond);
  ns_barrier();
  FOR_LISTS (place, m->gather.slices) ns_gather_phase(m, indices, row, place);
}

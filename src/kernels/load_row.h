// A row's numbers from the arrays of arguments.md into its state and back, in the kernel dialect (dialect.md). State that
// is not loaded is clear, or left by the row before it and not read.

FN void ns_load_data(LAYOUT NsLayout* m, NsRow row, TABLE scalar* data) {
  FOR_ITEMS (i, m->n_data) {
    const u32 place = i < m->n_bins ? i : i + m->auxiliary_gap;
    const scalar n = data[i];
    *ns_far_scalar(row, m->data + place) = n;
    *ns_far_scalar(row, m->inverse_data + place) = ns_inverse_count(n);
  }
  FOR_ITEMS (i, 1) *ns_scalar(row, 1) = 1;
}

FN void ns_load_point(LAYOUT NsLayout* m, NsRow row, TABLE scalar* x) {
  FOR_ITEMS (i, m->n_parameters) *ns_scalar(row, m->x + i) = x[i];
}

// `wanted` of arguments.md.
FN void ns_unload_evaluation(LAYOUT NsLayout* m, NsRow row, u32 wanted, ROW scalar* nll, ROW scalar* gradient,
                             ROW scalar* rates, ROW scalar* terms) {
  FOR_ITEMS (i, 1) nll[0] = *ns_scalar(row, m->nll);
  FOR_ITEMS (i, wanted & 1 ? m->n_parameters : 0) gradient[i] = *ns_far_scalar(row, m->gradient + i);
  FOR_ITEMS (i, wanted & 2 ? m->n_bins : 0) rates[i] = *ns_far_scalar(row, m->bin_rate + i);
  FOR_ITEMS (i, wanted & 4 ? m->term_slices * 8 : 0) terms[i] = *ns_far_scalar(row, m->term + i);
}

// A row that begins: start, bounds [2][parameter], held parameters {how many, which}; the slot of its newest pair stays, which
// rows side by side share.
FN void ns_load_row(LAYOUT NsSolver* v, NsRow row, TABLE scalar* start, TABLE scalar* bounds,
                    TABLE u32* held) {
  FOR_ITEMS (i, v->n) {
    *ns_far_scalar(row, v->x + i) = start[i];
    *ns_far_scalar(row, v->low + i) = bounds[i];
    *ns_far_scalar(row, v->high + i) = bounds[v->n + i];
  }
  FOR_ITEMS (i, NS_HELD * v->slices * 8) *ns_far_scalar(row, v->held_column + i) = 0;
  FOR_ITEMS (only, 1) {
    UNROLLED(1) for (u32 i = 0; i < NS_C_SIZE; ++i) if (i != NS_C_NEWEST) * ns_control(v, row, i) = 0;
    *ns_control(v, row, NS_C_HELD) = (scalar)held[0];
    *ns_control(v, row, NS_C_BEGINS) = 1;
    UNROLLED(1) for (u32 h = 0; h < NS_HELD; ++h) * ns_scalar(row, v->held_index + h) = (scalar)held[1 + h];
  }
}

// The point that a row reached, and its figures (NS_F_*).
FN void ns_unload_row(LAYOUT NsSolver* v, NsRow row, ROW scalar* point, ROW scalar* figures) {
  FOR_ITEMS (i, v->n) point[i] = *ns_far_scalar(row, v->x + i);
  FOR_ITEMS (only, 1) {
    UNROLLED(1) for (u32 i = 0; i < NS_F_SIZE; ++i) figures[i] = 0;
    figures[NS_F_STATUS] = *ns_control(v, row, NS_C_STATUS);
    figures[NS_F_VALUE] = *ns_control(v, row, NS_C_VALUE);
    figures[NS_F_EDM] = *ns_control(v, row, NS_C_EDM);
    figures[NS_F_SCALED] = *ns_control(v, row, NS_C_SCALED);
    figures[NS_F_ITERATIONS] = *ns_control(v, row, NS_C_ITERATIONS);
    figures[NS_F_EVALUATIONS] = *ns_control(v, row, NS_C_EVALUATIONS);
  }
}

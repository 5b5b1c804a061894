// Whole minimizations, in the kernel dialect (dialect.md): phases of solver.h in their order, decisions of
// control.h between them, evaluations as in evaluate_row.h. A sweep tries one point of every row: rows that
// run side by side share the phases and decide for themselves.
//
// Fill work.model_row and work.row (ns_load_data, ns_load_point and ns_load_row of load_row.h; places that nothing
// loads are clear at first), then call ns_minimize_row(&work) until its status is no longer NS_RUNNING.
//
// Barriers: every routine begins where its caller has just had one. What a few threads decide, and then need themselves, takes
// no more than a barrier of their warp.

typedef struct {
  LAYOUT NsLayout* model;
  LAYOUT NsSolver* solver;
  LAYOUT NsStop* stop;
  TABLE scalar* reals;
  NsIndices indices;
  TABLE scalar* metric;
  NsRow model_row;
  NsRow row;
} NsRowWork;

// Products with the metric, unless the entry file has its own.
#ifndef NS_OWN_METRIC_PRODUCTS
FN void ns_metric_rows(LAYOUT NsSolver* v, TABLE scalar* metric, NsRow row) {
  FOR_LISTS (place, v->rank_slices) ns_metric_row_phase(v, metric, row, place);
}
FN void ns_metric_parameters(LAYOUT NsSolver* v, TABLE scalar* metric, NsRow row) {
  FOR_LISTS (place, v->slices) ns_metric_phase(v, metric, row, place);
}
#endif

// P^-1 times what stands as the trial gradient, without the first `held` held parameters.
ROUTINE void ns_apply_metric(HERE NsRowWork* at, u32 held) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  ns_metric_rows(v, at->metric, row);
  ns_barrier();
  ns_metric_parameters(v, at->metric, row);
  ns_barrier();
  for (u32 h = 0; h < held; ++h) {
    FOR_ROWS (r) ns_held_share(v, ns_one(row, r), h);
    ns_barrier();
    FOR_OWNERS (place, v->slices) ns_release_phase(v, row, h, place);
    ns_barrier();
  }
}

// Columns of P^-1 of the parameters that rows which begin hold, each without those before it.
ROUTINE void ns_make_held_columns(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  const u32 most = ns_most_of(row, v->control + NS_C_HELD);
  for (u32 h = 0; h < most; ++h) {
    FOR_ROWS (r) ns_unit_gradient(v, ns_one(row, r), h);
    ns_barrier();
    ns_apply_metric(at, h);
    FOR_OWNERS (place, v->slices) ns_column_phase(v, row, h, place);
    ns_barrier();
  }
}

// The trial point is evaluated: which rows move there, and which parameters are free there.
ROUTINE void ns_judge(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  FOR_SUMS (k, 1) {
    FOR_PARTS (part)
      ns_keep_part(row, v->partial, part, 2, v->sums + NS_S_STEP_SLOPE,
                   ns_slope_sums(v, at->model, at->model_row, row, part));
    ns_keep_totals(row, v->partial, 2, v->sums + NS_S_STEP_SLOPE);
  }
  ns_warp_barrier();
  FOR_ROWS (r)
    ns_judge_row(v, at->stop, ns_one(row, r), *ns_scalar(ns_one(at->model_row, r), at->model->nll));
  FOR_OWNERS (place, v->slices) ns_free_phase(v, at->model, at->model_row, row, place);
  ns_barrier();
}

// Rows that move take the trial point, join the step to their history and its products to theirs, and find out whether they
// have arrived; coefficients of the next direction.
ROUTINE void ns_take_step(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  const u32 slot = (ns_most_of(row, v->control + NS_C_NEWEST) + 1u) % NS_HISTORY;
  u32 pairs = ns_most_of(row, v->control + NS_C_PAIRS) + 1u;
  if (pairs > NS_HISTORY) pairs = NS_HISTORY;
  if (ns_keep_pace(v, row)) ns_barrier();
  FOR_OWNERS (place, v->slices) ns_move_phase(v, at->model, at->model_row, row, slot, place);
  // Both stop figures: the sums, and the largest, which another warp may find at the same time.
  FOR_SUMS (k, 2) {
    if (k == 0) {
      FOR_PARTS (part) ns_keep_part(row, v->partial, part, 2, v->sums + NS_S_EDM, ns_stop_sums(v, row, part));
      ns_keep_totals(row, v->partial, 2, v->sums + NS_S_EDM);
    } else {
      FOR_PARTS (part)
        ns_keep_largest_part(row, v->partial, part, v->sums + NS_S_SCALED,
                             ns_scaled_largest(v, at->metric, row, part));
      ns_keep_largest(row, v->partial, v->sums + NS_S_SCALED);
    }
  }
  ns_barrier();
  FOR_SUMS (age, pairs) {
    const u32 pair = ns_slot_of_age(slot, age), to = v->dots + pair * NS_D_SIZE;
    FOR_PARTS (part) ns_keep_part(row, v->partial, part, NS_D_SIZE, to, ns_history_sums(v, row, pair, part));
    ns_keep_totals(row, v->partial, NS_D_SIZE, to);
  }
  ns_barrier();
  FOR_ROWS (r) ns_remember_row(v, ns_one(row, r), slot);
  ns_warp_barrier();
  FOR_ROWS_BY_AGE (r) ns_remember_products(v, ns_one(row, r), slot);
  ns_warp_barrier();
  FOR_ROWS (r) ns_settle_row(v, at->stop, ns_one(row, r));
  ns_warp_barrier();
  FOR_ROWS_BY_AGE (r) ns_direction_coefficients(v, ns_one(row, r));
  ns_barrier();
}

// The next direction, and the trial point on it; the history is dropped when it does not lead downhill.
ROUTINE void ns_next_direction(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  const u32 newest = ns_most_of(row, v->control + NS_C_NEWEST);
  for (;;) {
    const u32 pairs = ns_most_of(row, v->control + NS_C_PAIRS);
    FOR_OWNERS (place, v->slices) ns_direction_phase(v, row, newest, pairs, place);
    FOR_OWNERS (place, v->slices) ns_trial_phase(v, at->model, at->metric, at->model_row, row, place);
    ns_barrier();
    FOR_SUMS (k, 1) {
      FOR_PARTS (part)
        ns_keep_part(row, v->partial, part, 1, v->control + NS_C_SLOPE, ns_direction_sums(v, row, part));
      ns_keep_totals(row, v->partial, 1, v->control + NS_C_SLOPE);
    }
    ns_warp_barrier();
    FOR_ROWS (r) ns_check_direction(v, ns_one(row, r));
    ns_barrier();
    if (!ns_any_row(row, v->control + NS_C_TURNS)) return;
    FOR_ROWS_BY_AGE (r) ns_direction_coefficients(v, ns_one(row, r));
    ns_barrier();
  }
}

// Evaluates the trial point of every row. Where it is accepted, takes it and chooses the next direction.
// Then sets the next trial point.
ROUTINE void ns_sweep(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  ns_evaluate_row(at->model, at->reals, at->indices, at->model_row, 1);
  ns_barrier();
  ns_judge(at);
  if (ns_any_row(row, v->control + NS_C_MOVES)) {
    ns_apply_metric(at, ns_most_of(row, v->control + NS_C_HELD));
    ns_take_step(at);
  }
  if (ns_any_row(row, v->control + NS_C_MOVES)) {
    ns_next_direction(at);
  } else {
    FOR_OWNERS (place, v->slices) ns_trial_phase(v, at->model, at->metric, at->model_row, row, place);
    ns_barrier();
  }
}

// A single row. Returns when it has ended or its sweeps for this call are spent.
ROUTINE void ns_minimize_row(HERE NsRowWork* at) {
  if (*ns_control(at->solver, at->row, NS_C_EVALUATIONS) == 0) ns_make_held_columns(at);
  for (u32 sweep = 0; sweep < at->stop->sweeps_per_call &&
                      *ns_control(at->solver, at->row, NS_C_STATUS) == (scalar)NS_RUNNING;
       ++sweep)
    ns_sweep(at);
}

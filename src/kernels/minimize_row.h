// Whole minimizations, in the kernel dialect (dialect.md): phases of solver.h in their order, decisions of
// control.h between them, evaluations as in evaluate_row.h. A sweep tries one point of every row: rows that
// run side by side share the phases and decide for themselves.
//
// The entry file defines the loops: those of loops.h, and
//
//   EACH_ROW(decision)            runs a decision for every row that runs side by side
//   ONE(p)                        that row's part of p, within EACH_ROW
//   ANY_ROW(row, place)           whether any row has more than 0 there
//   MOST_OF(row, place)           the largest value of a row there
//   KEEP_PACE(v, row)             rows side by side keep their newest pair in the same slot: those that do
//                                 not move while others do turn their history by one slot; a single row
//                                 has nothing to do
//   METRIC_OWNERS(slices, phase)  as LISTS, for the products with the metric
//
// Fill work.row (x = trial = start, low, high, everything else zero) and work.model_row (the data), then call
// ns_minimize_row(&work) until its status is no longer NS_RUNNING.

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

#define NS_PARTIAL (v->partial)
#define PARAMETERS(statement) OWNERS(v->slices, statement)
#ifndef COEFFICIENTS
#define COEFFICIENTS(v, row) EACH_ROW(ns_direction_coefficients(v, ONE(row)))
#endif
#ifndef METRIC_OWNERS
#define METRIC_OWNERS(slices, phase) LISTS(slices, phase(v, at->metric, row, slice, lane))
#endif

// P^-1 times what stands as the trial gradient, without the first `held` held parameters.
ROUTINE void ns_apply_metric(HERE NsRowWork* at, u32 held) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  METRIC_OWNERS(v->rank_slices, ns_metric_row_phase);
  METRIC_OWNERS(v->slices, ns_metric_phase);
  for (u32 h = 0; h < held; ++h) {
    EACH_ROW(ns_held_share(v, ONE(row), h));
    PARAMETERS(ns_release_phase(v, row, h, slice, lane));
  }
}

// Columns of P^-1 of the parameters that rows which begin hold, each without those before it.
ROUTINE void ns_make_held_columns(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  const u32 most = MOST_OF(row, v->control + NS_C_HELD);
  for (u32 h = 0; h < most; ++h) {
    EACH_ROW(ns_unit_gradient(v, ONE(row), h));
    ns_apply_metric(at, h);
    PARAMETERS(ns_column_phase(v, row, h, slice, lane));
  }
}

// Projects and preconditions the gradient at the trial point; both stop figures of it.
ROUTINE void ns_precondition_trial(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  PARAMETERS(ns_free_phase(v, at->model, at->model_row, row, slice, lane));
  ns_apply_metric(at, MOST_OF(row, v->control + NS_C_HELD));
  TOTALS(1, k, 2, v->sums + NS_S_EDM, ns_stop_sums(v, row, slice, lane));
  LARGEST(v->sums + NS_S_SCALED, ns_scaled_largest(v, at->metric, row, slice, lane));
}

// Rows that move take the trial point, and join the step to their history and its products to theirs.
ROUTINE void ns_take_step(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  const u32 slot = (MOST_OF(row, v->control + NS_C_NEWEST) + 1u) % NS_HISTORY;
  u32 pairs = MOST_OF(row, v->control + NS_C_PAIRS) + 1u;
  if (pairs > NS_HISTORY) pairs = NS_HISTORY;
  KEEP_PACE(v, row);
  PARAMETERS(ns_move_phase(v, at->model, at->model_row, row, slot, slice, lane));
  TOTALS(pairs, age, 4, v->dots + (slot + NS_HISTORY - age) % NS_HISTORY * 4,
         ns_history_sums(v, row, (slot + NS_HISTORY - age) % NS_HISTORY, slice, lane));
  EACH_ROW(ns_remember_row(v, ONE(row), slot));
}

// The next direction; the history is dropped when it does not lead downhill.
ROUTINE void ns_next_direction(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  const u32 newest = MOST_OF(row, v->control + NS_C_NEWEST);
  do {
    COEFFICIENTS(v, row);
    const u32 pairs = MOST_OF(row, v->control + NS_C_PAIRS);
    PARAMETERS(ns_direction_phase(v, row, newest, pairs, slice, lane));
    TOTALS(1, k, 1, v->control + NS_C_SLOPE, ns_direction_sums(v, row, slice, lane));
    EACH_ROW(ns_check_direction(v, ONE(row)));
  } while (ANY_ROW(row, v->control + NS_C_TURNS));
}

// Evaluates the trial point of every row. Where it is accepted, takes it and chooses the next direction.
// Then sets the next trial point.
ROUTINE void ns_sweep(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  NsRow row = at->row;
  ns_evaluate_row(at->model, at->reals, at->indices, at->model_row, 1);
  TOTALS(1, k, 2, v->sums + NS_S_STEP_SLOPE, ns_slope_sums(v, at->model, at->model_row, row, slice, lane));
  EACH_ROW(ns_judge_row(v, at->stop, ONE(row), SCALAR_AT(ONE(at->model_row), at->model->nll)));
  if (ANY_ROW(row, v->control + NS_C_MOVES)) {
    ns_precondition_trial(at);
    ns_take_step(at);
    EACH_ROW(ns_settle_row(v, at->stop, ONE(row)));
    if (ANY_ROW(row, v->control + NS_C_MOVES)) ns_next_direction(at);
  }
  PARAMETERS(ns_trial_phase(v, at->model, at->metric, at->model_row, row, slice, lane));
}

// A single row. Returns when it has ended or its sweeps for this call are spent.
ROUTINE void ns_minimize_row(HERE NsRowWork* at) {
  const u32 control = at->solver->control;
  if (SCALAR_AT(at->row, control + NS_C_EVALUATIONS) == 0) ns_make_held_columns(at);
  for (u32 sweep = 0;
       sweep < at->stop->sweeps_per_call && SCALAR_AT(at->row, control + NS_C_STATUS) == (scalar)NS_RUNNING;
       ++sweep)
    ns_sweep(at);
}

#undef PARAMETERS
#undef NS_PARTIAL

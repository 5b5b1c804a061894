// Whole minimisations, in the kernel dialect (dialect.md): phases of solver.h in their order, decisions of
// control.h between them, evaluations as in evaluate_row.h. A sweep tries one point of every row: rows that
// run side by side share the phases and decide for themselves. The entry file owns the loops:
//   OWNERS(slices, phase)  runs a phase for every owner of that many slices
//   EACH_ROW(decision)     runs a decision for every row that runs side by side; ONE(p) is that row's part of
//   p ANY_ROW(row, place), MOST_OF(row, place)   whether any row has more than 0 there; the most that one has
//   KEEP_PACE(v, row)      rows side by side keep their newest pair in the same slot: those that do not move
//                          while others do turn their history by one slot. Nothing to do for a single row
//   METRIC_OWNERS(slices, phase)   as OWNERS, for the products with the metric
//
//   work.row: x = trial = start, low and high filled in, everything else zero; work.model_row: the data
//   filled in. ns_minimise(&work) until its status is no longer NS_RUNNING.

typedef struct {
  LAYOUT NsLayout* model;
  LAYOUT NsSolver* solver;
  LAYOUT NsStop* stop;
  TABLE scalar* reals;
  TABLE u32* indices;
  TABLE scalar* metric;
  ROW scalar* model_row;
  ROW scalar* row;
} NsRowWork;

#define PARAMETERS(statement) OWNERS(v->slices, statement)
#ifndef METRIC_OWNERS
#define METRIC_OWNERS(slices, phase) OWNERS(slices, phase(v, at->metric, row, slice, lane))
#endif

// The slopes along the step, at its beginning and at its end.
ROUTINE void ns_measure_step(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  OWNERS(4, ns_slopes_phase(v, at->model, at->model_row, row, slice, lane));
  OWNERS(2, ns_fold_phase(v, row, slice, lane));
  STORE_TOTAL(row, v->sums + NS_S_STEP_SLOPE, ns_folded(v, row, 0));
  STORE_TOTAL(row, v->sums + NS_S_END_SLOPE, ns_folded(v, row, 1));
}

// P^-1 times what stands as the trial gradient, without the first `held` held parameters.
ROUTINE void ns_apply_metric(HERE NsRowWork* at, u32 held) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  METRIC_OWNERS(v->rank_slices, ns_metric_row_phase);
  METRIC_OWNERS(v->slices, ns_metric_phase);
  for (u32 h = 0; h < held; ++h) {
    EACH_ROW(ns_held_share(v, ONE(row), h));
    PARAMETERS(ns_release_phase(v, row, h, slice, lane));
  }
}

// Columns of P^-1 of the parameters that a single row holds, each without those before it.
ROUTINE void ns_make_held_columns(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  for (u32 h = 0; h < MOST_OF(row, v->control + NS_C_HELD); ++h) {
    EACH_ROW(ns_unit_gradient(v, ONE(row), h));
    ns_apply_metric(at, h);
    PARAMETERS(ns_column_phase(v, row, h, slice, lane));
  }
}

// Projects and preconditions the gradient at the trial point; both stop figures of it.
ROUTINE void ns_precondition_trial(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  PARAMETERS(ns_free_phase(v, at->model, at->model_row, row, slice, lane));
  ns_apply_metric(at, MOST_OF(row, v->control + NS_C_HELD));
  OWNERS(4, ns_project_phase(v, at->metric, row, slice, lane));
  STORE_TOTAL(row, v->sums + NS_S_SCALED, ns_largest(v, row, 2));
  OWNERS(2, ns_fold_phase(v, row, slice, lane));
  STORE_TOTAL(row, v->sums + NS_S_EDM, ns_folded(v, row, 0));
  STORE_TOTAL(row, v->control + NS_C_CHANGED, ns_folded(v, row, 1));
}

// Rows that move take the trial point, and join the step to their history and its products to theirs.
ROUTINE void ns_take_step(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  const u32 slot = (MOST_OF(row, v->control + NS_C_NEWEST) + 1u) % NS_HISTORY;
  u32 pairs = MOST_OF(row, v->control + NS_C_PAIRS) + 1u;
  if (pairs > NS_HISTORY) pairs = NS_HISTORY;
  KEEP_PACE(v, row);
  PARAMETERS(ns_move_phase(v, at->model, at->model_row, row, slot, slice, lane));
  for (u32 age = 0; age < pairs; ++age) {
    const u32 pair = (slot + NS_HISTORY - age) % NS_HISTORY;
    OWNERS(4, ns_history_phase(v, row, pair, slice, lane));
    OWNERS(4, ns_fold_phase(v, row, slice, lane));
    STORE_TOTAL(row, v->dots + pair * 4, ns_folded(v, row, 0));
    STORE_TOTAL(row, v->dots + pair * 4 + 1, ns_folded(v, row, 1));
    STORE_TOTAL(row, v->dots + pair * 4 + 2, ns_folded(v, row, 2));
    STORE_TOTAL(row, v->dots + pair * 4 + 3, ns_folded(v, row, 3));
  }
  EACH_ROW(ns_remember_row(v, ONE(row), slot));
}

// The next direction; the history is dropped when it does not lead downhill.
ROUTINE void ns_next_direction(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  const u32 newest = MOST_OF(row, v->control + NS_C_NEWEST);
  do {
    EACH_ROW(ns_direction_coefficients(v, ONE(row)));
    const u32 pairs = MOST_OF(row, v->control + NS_C_PAIRS);
    OWNERS(4, ns_direction_phase(v, row, newest, pairs, slice, lane));
    OWNERS(1, ns_fold_phase(v, row, slice, lane));
    STORE_TOTAL(row, v->control + NS_C_SLOPE, ns_folded(v, row, 0));
    EACH_ROW(ns_check_direction(v, ONE(row)));
  } while (ANY_ROW(row, v->control + NS_C_TURNS));
}

// Evaluates the trial point of every row; where it is accepted, takes it and chooses the next direction; then
// sets the next trial point.
ROUTINE void ns_sweep(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  ns_evaluate_row(at->model, at->reals, at->indices, at->model_row, 1);
  ns_measure_step(at);
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
ROUTINE void ns_minimise_row(HERE NsRowWork* at) {
  ROW scalar* control = at->row + at->solver->control;
  if (SCALAR_AT(control, NS_C_EVALUATIONS) == 0) ns_make_held_columns(at);
  for (u32 sweep = 0;
       sweep < at->stop->sweeps_per_call && SCALAR_AT(control, NS_C_STATUS) == (scalar)NS_RUNNING; ++sweep)
    ns_sweep(at);
}

#undef PARAMETERS

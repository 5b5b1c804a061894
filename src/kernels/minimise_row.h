// A whole minimisation of one row, in the kernel dialect (dialect.md): phases of solver.h in their order,
// decisions of control.h between them, evaluations as in evaluate_row.h. The entry file owns the loops:
// OWNERS(slices, phase) runs a phase for every owner of that many slices; what stands between two of them
// waits for all owners.
//
//   work.row: trial = start, low and high filled in, everything else zero; work.model_row: the data filled
//   in. ns_minimise_row(&work) until its status is no longer NS_RUNNING.

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

// Sum of the 32 partial sums in the row, in the order of ns_total.
FN scalar ns_solver_sum(LAYOUT NsSolver* v, ROW scalar* row) {
  ROW scalar* p = row + v->partial;
  scalar part[4];
  for (u32 i = 0; i < 4; ++i)
    part[i] = ((SCALAR_AT(p, i) + SCALAR_AT(p, i + 16)) + (SCALAR_AT(p, i + 8) + SCALAR_AT(p, i + 24))) +
              ((SCALAR_AT(p, i + 4) + SCALAR_AT(p, i + 20)) + (SCALAR_AT(p, i + 12) + SCALAR_AT(p, i + 28)));
  return (part[0] + part[2]) + (part[1] + part[3]);
}

FN scalar ns_solver_dot(LAYOUT NsSolver* v, ROW scalar* row, u32 a, u32 b) {
  OWNERS(4, ns_dot_phase(v, row, a, b, slice, lane));
  return ns_solver_sum(v, row);
}

// NLL (without its constant) and gradient at the trial point.
ROUTINE scalar ns_evaluate_trial(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  LAYOUT NsLayout* m = at->model;
  for (u32 i = 0; i < v->n; ++i) at->model_row[m->x + i] = at->row[v->trial + i];
  ns_evaluate_row(m, at->reals, at->indices, at->model_row, 1);
  for (u32 i = 0; i < v->n; ++i) at->row[v->raw_gradient + i] = at->model_row[m->gradient + i];
  at->row[v->control + NS_C_EVALUATIONS] += 1;
  return at->model_row[m->nll];
}

// P^-1 times what stands as the trial gradient, without the first `held` held parameters.
ROUTINE void ns_apply_metric(HERE NsRowWork* at, u32 held) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  OWNERS(v->rank_slices, ns_metric_row_phase(v, at->metric, row, slice, lane));
  PARAMETERS(ns_metric_phase(v, at->metric, row, slice, lane));
  for (u32 h = 0; h < held; ++h) {
    const u32 index = (u32)row[v->held_index + h];
    row[v->held_share] =
        row[v->trial_preconditioned + index] / row[v->held_column + h * v->slices * 8 + index];
    PARAMETERS(ns_release_phase(v, row, h, slice, lane));
  }
}

// Columns of P^-1 of the held parameters, each without those before it.
ROUTINE void ns_make_held_columns(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  for (u32 h = 0; h < (u32)row[v->control + NS_C_HELD]; ++h) {
    for (u32 i = 0; i < v->n; ++i)
      row[v->trial_gradient + i] = i == (u32)row[v->held_index + h] ? (scalar)1 : (scalar)0;
    ns_apply_metric(at, h);
    PARAMETERS(ns_column_phase(v, row, h, slice, lane));
  }
}

// Projects and preconditions the gradient at the trial point; refreshes both stop figures.
ROUTINE void ns_precondition_trial(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  PARAMETERS(ns_free_phase(v, row, slice, lane));
  ns_apply_metric(at, (u32)row[v->control + NS_C_HELD]);
  PARAMETERS(ns_mask_phase(v, row, slice, lane));
  row[v->control + NS_C_EDM] = ns_solver_dot(v, row, v->trial_gradient, v->trial_preconditioned) / 2;
  OWNERS(4, ns_scaled_phase(v, at->metric, row, slice, lane));
  scalar largest = 0;
  for (u32 i = 0; i < 32; ++i) largest = row[v->partial + i] > largest ? row[v->partial + i] : largest;
  row[v->control + NS_C_SCALED] = largest;
}

// Stores the accepted step as a pair of the history, unless the set of free parameters changed or its
// curvature is bad.
ROUTINE void ns_remember_step(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  ROW scalar* control = row + v->control;
  OWNERS(4, ns_changed_phase(v, row, slice, lane));
  if (ns_solver_sum(v, row) != 0) {
    control[NS_C_PAIRS] = 0;
    return;
  }
  const u32 pair = control[NS_C_PAIRS] == 0 ? 0u : ((u32)control[NS_C_NEWEST] + 1u) % NS_HISTORY;
  PARAMETERS(ns_pair_phase(v, row, pair, slice, lane));
  const u32 width = v->slices * 8, s = v->steps + pair * width, y = v->changes + pair * width,
            p = v->preconditioned_changes + pair * width;
  const scalar sy = ns_solver_dot(v, row, s, y), yp = ns_solver_dot(v, row, y, p);
  if (!(sy > NS_CURVATURE * yp) || !(yp > 0)) {
    control[NS_C_PAIRS] = 0;
    return;
  }
  control[NS_C_NEWEST] = (scalar)pair;
  if (control[NS_C_PAIRS] < (scalar)NS_HISTORY) control[NS_C_PAIRS] += 1;
  for (u32 j = 0; j < (u32)control[NS_C_PAIRS]; ++j) {
    const u32 other = j * width;
    row[v->gram_sy + pair * NS_HISTORY + j] = ns_solver_dot(v, row, s, v->changes + other);
    row[v->gram_sy + j * NS_HISTORY + pair] = ns_solver_dot(v, row, v->steps + other, y);
    row[v->gram_yp + pair * NS_HISTORY + j] = row[v->gram_yp + j * NS_HISTORY + pair] =
        ns_solver_dot(v, row, v->changes + other, p);
  }
}

// The next direction; the history is dropped when it does not lead downhill.
ROUTINE void ns_next_direction(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  ROW scalar* control = row + v->control;
  const u32 width = v->slices * 8;
  for (;;) {
    const u32 pairs = (u32)control[NS_C_PAIRS];
    for (u32 j = 0; j < pairs; ++j) {
      row[v->dot_sg + j] = ns_solver_dot(v, row, v->steps + j * width, v->gradient);
      row[v->dot_pg + j] = ns_solver_dot(v, row, v->preconditioned_changes + j * width, v->gradient);
    }
    ns_direction_coefficients(v, row);
    PARAMETERS(ns_direction_phase(v, row, pairs, slice, lane));
    control[NS_C_SLOPE] = ns_solver_dot(v, row, v->gradient, v->direction);
    if (control[NS_C_SLOPE] < 0 || pairs == 0) return;
    control[NS_C_PAIRS] = 0;
  }
}

// Searches along the direction. True: the trial point is accepted (and evaluated).
ROUTINE u32 ns_search(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  ROW scalar* control = row + v->control;
  control[NS_C_STEP] = 1;
  control[NS_C_BACKTRACKS] = 0;
  for (;;) {
    PARAMETERS(ns_trial_phase(v, at->metric, row, slice, lane));
    const scalar value = ns_evaluate_trial(at);
    OWNERS(4, ns_dot_difference_phase(v, row, v->gradient, v->trial, v->x, slice, lane));
    const scalar slope = ns_solver_sum(v, row);
    scalar end_slope = 0;
    if (ns_is_near(v, row, slope)) {
      OWNERS(4, ns_dot_difference_phase(v, row, v->raw_gradient, v->trial, v->x, slice, lane));
      end_slope = ns_solver_sum(v, row);
    }
    const u32 verdict = ns_judge_step(v, at->stop, row, value, slope, end_slope);
    if (verdict == 1) control[NS_C_VALUE] = value;
    if (verdict != 0) return verdict == 1;
  }
}

// Evaluates the start, which stands as the trial point.
ROUTINE void ns_begin(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  ROW scalar* control = row + v->control;
  ns_make_held_columns(at);
  control[NS_C_VALUE] = ns_evaluate_trial(at);
  ns_precondition_trial(at);
  PARAMETERS(ns_accept_phase(v, row, slice, lane));
  const u32 finite = control[NS_C_VALUE] < NS_INFINITE && control[NS_C_EDM] < NS_INFINITE;
  control[NS_C_STATUS] = finite ? (scalar)NS_RUNNING : (scalar)NS_NOT_FINITE;
}

// One step, or the reason why there is none.
ROUTINE void ns_advance(HERE NsRowWork* at) {
  LAYOUT NsSolver* v = at->solver;
  ROW scalar* row = at->row;
  ROW scalar* control = row + v->control;
  if (control[NS_C_EDM] <= (scalar)at->stop->edm &&
      control[NS_C_SCALED] <= (scalar)at->stop->scaled_gradient) {
    control[NS_C_STATUS] = (scalar)NS_CONVERGED;
    return;
  }
  if (control[NS_C_SINCE_METRIC] >= (scalar)at->stop->steps_per_metric) {
    control[NS_C_STATUS] = (scalar)NS_WANTS_METRIC;
    return;
  }
  ns_next_direction(at);
  if (!ns_search(at)) {
    control[NS_C_STATUS] = (scalar)(control[NS_C_SINCE_METRIC] > 0 ? NS_WANTS_METRIC : NS_NO_DECREASE);
    return;
  }
  ns_precondition_trial(at);
  ns_remember_step(at);
  PARAMETERS(ns_accept_phase(v, row, slice, lane));
  control[NS_C_ITERATIONS] += 1;
  control[NS_C_SINCE_METRIC] += 1;
}

// A new row has no evaluations yet. Returns when the row has ended or its steps for this call are spent.
ROUTINE void ns_minimise_row(HERE NsRowWork* at) {
  ROW scalar* control = at->row + at->solver->control;
  if (control[NS_C_EVALUATIONS] == 0) ns_begin(at);
  for (u32 step = 0; step < at->stop->steps_per_call && control[NS_C_STATUS] == (scalar)NS_RUNNING; ++step)
    ns_advance(at);
}

#undef PARAMETERS

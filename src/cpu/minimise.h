// A whole minimisation of one row. Included by isa.cpp where lanes are indices of one row.
#define SCALAR_AT(p, i) ((p)[i])
#define OWNERS(slices, statement)                \
  for (u32 slice = 0; slice < (slices); ++slice) \
    for (u32 lane = 0; lane < 8; lane += LANE_STEP) statement
#include "kernels/solver.h"
//
#include "kernels/control.h"

#define PARAMETERS(statement) OWNERS(v->slices, statement)

// Sum of the 32 partial sums in the row, in the order of ns_total.
static scalar solver_sum(const NsSolver* v, const scalar* row) {
  const scalar* p = row + v->partial;
  scalar part[4];
  for (u32 i = 0; i < 4; ++i)
    part[i] =
        ((p[i] + p[i + 16]) + (p[i + 8] + p[i + 24])) + ((p[i + 4] + p[i + 20]) + (p[i + 12] + p[i + 28]));
  return (part[0] + part[2]) + (part[1] + part[3]);
}

static scalar solver_dot(const NsSolver* v, scalar* row, u32 a, u32 b) {
  OWNERS(4, ns_dot_phase(v, row, a, b, slice, lane));
  return solver_sum(v, row);
}

// NLL (without its constant) and gradient at the trial point.
static scalar evaluate_trial(const Minimisation* at) {
  const NsSolver* v = at->solver;
  const NsLayout* m = at->layout;
  for (u32 i = 0; i < v->n; ++i) at->model_row[m->x + i] = at->row[v->trial + i];
  evaluate(m, at->reals, at->indices, at->model_row, true);
  for (u32 i = 0; i < v->n; ++i) at->row[v->raw_gradient + i] = at->model_row[m->gradient + i];
  at->row[v->control + NS_C_EVALUATIONS] += 1;
  return at->model_row[m->nll];
}

// P^-1 times what stands as the trial gradient, without the first `held` held parameters.
static void apply_metric(const Minimisation* at, u32 held) {
  const NsSolver* v = at->solver;
  scalar* row = at->row;
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
static void make_held_columns(const Minimisation* at) {
  const NsSolver* v = at->solver;
  scalar* row = at->row;
  for (u32 h = 0; h < (u32)row[v->control + NS_C_HELD]; ++h) {
    for (u32 i = 0; i < v->n; ++i) row[v->trial_gradient + i] = i == (u32)row[v->held_index + h] ? 1 : 0;
    apply_metric(at, h);
    PARAMETERS(ns_column_phase(v, row, h, slice, lane));
  }
}

// Projects and preconditions the gradient at the trial point; refreshes both stop figures.
static void precondition_trial(const Minimisation* at) {
  const NsSolver* v = at->solver;
  scalar* row = at->row;
  PARAMETERS(ns_free_phase(v, row, slice, lane));
  apply_metric(at, (u32)row[v->control + NS_C_HELD]);
  PARAMETERS(ns_mask_phase(v, row, slice, lane));
  row[v->control + NS_C_EDM] = solver_dot(v, row, v->trial_gradient, v->trial_preconditioned) / 2;
  OWNERS(4, ns_scaled_phase(v, at->metric, row, slice, lane));
  scalar largest = 0;
  for (u32 i = 0; i < 32; ++i) largest = row[v->partial + i] > largest ? row[v->partial + i] : largest;
  row[v->control + NS_C_SCALED] = largest;
}

// Stores the accepted step as a pair of the history, unless the set of free parameters changed or its
// curvature is bad.
static void remember_step(const Minimisation* at) {
  const NsSolver* v = at->solver;
  scalar* row = at->row;
  scalar* control = row + v->control;
  OWNERS(4, ns_changed_phase(v, row, slice, lane));
  if (solver_sum(v, row) != 0) {
    control[NS_C_PAIRS] = 0;
    return;
  }
  const u32 pair = control[NS_C_PAIRS] == 0 ? 0 : ((u32)control[NS_C_NEWEST] + 1) % NS_HISTORY;
  PARAMETERS(ns_pair_phase(v, row, pair, slice, lane));
  const u32 width = v->slices * 8, s = v->steps + pair * width, y = v->changes + pair * width,
            p = v->preconditioned_changes + pair * width;
  const scalar sy = solver_dot(v, row, s, y), yp = solver_dot(v, row, y, p);
  if (!(sy > (scalar)1e-8 * yp) || !(yp > 0)) {
    control[NS_C_PAIRS] = 0;
    return;
  }
  control[NS_C_NEWEST] = (scalar)pair;
  if (control[NS_C_PAIRS] < (scalar)NS_HISTORY) control[NS_C_PAIRS] += 1;
  for (u32 j = 0; j < (u32)control[NS_C_PAIRS]; ++j) {
    const u32 other = j * width;
    row[v->gram_sy + pair * NS_HISTORY + j] = solver_dot(v, row, s, v->changes + other);
    row[v->gram_sy + j * NS_HISTORY + pair] = solver_dot(v, row, v->steps + other, y);
    row[v->gram_yp + pair * NS_HISTORY + j] = row[v->gram_yp + j * NS_HISTORY + pair] =
        solver_dot(v, row, v->changes + other, p);
  }
}

// The next direction; the history is dropped when it does not lead downhill.
static void next_direction(const Minimisation* at) {
  const NsSolver* v = at->solver;
  scalar* row = at->row;
  scalar* control = row + v->control;
  const u32 width = v->slices * 8;
  for (;;) {
    const u32 pairs = (u32)control[NS_C_PAIRS];
    for (u32 j = 0; j < pairs; ++j) {
      row[v->dot_sg + j] = solver_dot(v, row, v->steps + j * width, v->gradient);
      row[v->dot_pg + j] = solver_dot(v, row, v->preconditioned_changes + j * width, v->gradient);
    }
    ns_direction_coefficients(v, row);
    PARAMETERS(ns_direction_phase(v, row, pairs, slice, lane));
    control[NS_C_SLOPE] = solver_dot(v, row, v->gradient, v->direction);
    if (control[NS_C_SLOPE] < 0 || pairs == 0) return;
    control[NS_C_PAIRS] = 0;
  }
}

// Searches along the direction. True: the trial point is accepted (and evaluated).
static bool search(const Minimisation* at) {
  const NsSolver* v = at->solver;
  scalar* row = at->row;
  scalar* control = row + v->control;
  control[NS_C_STEP] = 1;
  control[NS_C_BACKTRACKS] = 0;
  for (;;) {
    PARAMETERS(ns_trial_phase(v, at->metric, row, slice, lane));
    const scalar value = evaluate_trial(at);
    OWNERS(4, ns_dot_difference_phase(v, row, v->gradient, v->trial, v->x, slice, lane));
    const u32 verdict = ns_judge_step(v, at->stop, row, value, solver_sum(v, row));
    if (verdict == 1) control[NS_C_VALUE] = value;
    if (verdict != 0) return verdict == 1;
  }
}

// Evaluates the start, which stands as the trial point.
static void begin(const Minimisation* at) {
  const NsSolver* v = at->solver;
  scalar* row = at->row;
  scalar* control = row + v->control;
  make_held_columns(at);
  control[NS_C_VALUE] = evaluate_trial(at);
  precondition_trial(at);
  PARAMETERS(ns_accept_phase(v, row, slice, lane));
  const bool finite = control[NS_C_VALUE] < (scalar)1e300 && control[NS_C_EDM] < (scalar)1e300;
  control[NS_C_STATUS] = finite ? (scalar)NS_RUNNING : (scalar)NS_NOT_FINITE;
}

// One step, or the reason why there is none.
static void advance(const Minimisation* at) {
  const NsSolver* v = at->solver;
  scalar* row = at->row;
  scalar* control = row + v->control;
  if (control[NS_C_EDM] <= at->stop->edm && control[NS_C_SCALED] <= at->stop->scaled_gradient) {
    control[NS_C_STATUS] = (scalar)NS_CONVERGED;
    return;
  }
  if (control[NS_C_SINCE_METRIC] >= at->stop->steps_per_metric) {
    control[NS_C_STATUS] = (scalar)NS_WANTS_METRIC;
    return;
  }
  next_direction(at);
  if (!search(at)) {
    control[NS_C_STATUS] = (scalar)(control[NS_C_SINCE_METRIC] > 0 ? NS_WANTS_METRIC : NS_NO_DECREASE);
    return;
  }
  precondition_trial(at);
  remember_step(at);
  PARAMETERS(ns_accept_phase(v, row, slice, lane));
  control[NS_C_ITERATIONS] += 1;
  control[NS_C_SINCE_METRIC] += 1;
}

// A new row has no evaluations yet. Returns when the row has ended or its steps for this call are spent.
static void minimise(const Minimisation* at) {
  const scalar* control = at->row + at->solver->control;
  if (control[NS_C_EVALUATIONS] == 0) begin(at);
  for (u32 step = 0; step < at->stop->steps_per_call && control[NS_C_STATUS] == (scalar)NS_RUNNING; ++step)
    advance(at);
}

#undef PARAMETERS
#undef OWNERS
#undef SCALAR_AT

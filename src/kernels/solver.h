// The vector work of a minimisation, in phases (dialect.md): projection on the bounds, metric, direction,
// trial point. The decisions between them are in control.h. The trial point and the gradient there stand in
// the model's row; x, the gradient there and everything else in the solver's.

// A parameter at its bound with the gradient pointing out of it is held there.
FN void ns_free_phase(LAYOUT NsSolver* v, LAYOUT NsLayout* m, ROW scalar* model_row, ROW scalar* row,
                      u32 slice, u32 lane) {
  real x = ROW_SLOT(model_row, m->x, slice);
  real g = ROW_SLOT(model_row, m->gradient, slice);
  real room_down = x > ROW_SLOT(row, v->low, slice) ? R(1.0) : R(0.0);
  real room_up = x < ROW_SLOT(row, v->high, slice) ? R(1.0) : R(0.0);
  real is_free = g > R(0.0) ? room_down : room_up;
  is_free = room_down + room_up > R(0.0) ? is_free : R(0.0);
  ROW_STORE(row, v->trial_free, slice, is_free);
  ROW_STORE(row, v->trial_gradient, slice, is_free > R(0.0) ? g : R(0.0));
}

FN real ns_metric_by_row(LAYOUT NsSolver* v, TABLE scalar* reals, u32 slice, u32 lane, offset i) {
  return TABLE_REAL(reals, v->by_row, slice * (offset)v->n + i);
}
FN real ns_metric_by_parameter(LAYOUT NsSolver* v, TABLE scalar* reals, u32 slice, u32 lane, offset r) {
  return TABLE_REAL(reals, v->by_parameter, slice * (offset)v->rank + r);
}

// One row of the metric times the gradient.
FN void ns_metric_row_phase(LAYOUT NsSolver* v, TABLE scalar* reals, ROW scalar* row, u32 slice, u32 lane) {
  real sum = R(0.0);
  for (offset i = 0; i < v->n; ++i)
    sum = sum +
          ns_metric_by_row(v, reals, slice, lane, i) * ROW_AT(row, SAME_INDEX(v->trial_gradient + (u32)i));
  ROW_STORE(row, v->product, slice, sum);
}

// P^-1 g of one parameter.
FN void ns_metric_phase(LAYOUT NsSolver* v, TABLE scalar* reals, ROW scalar* row, u32 slice, u32 lane) {
  real sum = TABLE_REAL(reals, v->diagonal, slice) * ROW_SLOT(row, v->trial_gradient, slice);
  for (offset r = 0; r < v->rank; ++r)
    sum =
        sum + ns_metric_by_parameter(v, reals, slice, lane, r) * ROW_AT(row, SAME_INDEX(v->product + (u32)r));
  ROW_STORE(row, v->trial_preconditioned, slice, sum);
}

// Takes a held parameter out of a product with P^-1. With its column c of P^-1 and v = P^-1 g:
//   (P of the others)^-1 g = v - c v_held / c_held
// v_held / c_held stands in the row. Without this the metric of the others would stay stretched by a POI that
// no longer moves.
FN void ns_release_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 held, u32 slice, u32 lane) {
  ROW_STORE(
      row, v->trial_preconditioned, slice,
      ROW_SLOT(row, v->trial_preconditioned, slice) -
          ROW_AT(row, SAME_INDEX(v->held_share)) * ROW_SLOT(row, v->held_column, held * v->slices + slice));
}

// Stores the product with P^-1 as the column of a held parameter.
FN void ns_column_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 held, u32 slice, u32 lane) {
  ROW_STORE(row, v->held_column, held * v->slices + slice, ROW_SLOT(row, v->trial_preconditioned, slice));
}

// Rows that move: a new pair of the history from the step, s = x' - x, y = g' - g, P^-1 y; then the trial
// point becomes the point.
FN void ns_move_phase(LAYOUT NsSolver* v, LAYOUT NsLayout* m, ROW scalar* model_row, ROW scalar* row,
                      u32 pair, u32 slice, u32 lane) {
  real x = ROW_SLOT(model_row, m->x, slice);
  real g = ROW_SLOT(row, v->trial_gradient, slice);
  real p = ROW_SLOT(row, v->trial_preconditioned, slice);
  ROW_STORE(row, v->change, slice, g - ROW_SLOT(row, v->gradient, slice));
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->steps, pair * v->slices + slice,
             x - ROW_SLOT(row, v->x, slice));
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->preconditioned_changes, pair * v->slices + slice,
             p - ROW_SLOT(row, v->preconditioned, slice));
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->x, slice, x);
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->free, slice, ROW_SLOT(row, v->trial_free, slice));
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->gradient, slice, g);
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->preconditioned, slice, p);
}

// A constrained factor of a bin has a wall at 0 (n log gamma): one step may not go all the way to it.
FN void ns_trial_phase(LAYOUT NsSolver* v, LAYOUT NsLayout* m, TABLE scalar* reals, ROW scalar* model_row,
                       ROW scalar* row, u32 slice, u32 lane) {
  real here = ROW_SLOT(row, v->x, slice);
  real shrink = TABLE_REAL(reals, v->shrink, slice);
  real low = ROW_SLOT(row, v->low, slice);
  real high = ROW_SLOT(row, v->high, slice);
  real wall = shrink > R(0.0) ? here * shrink : low;
  low = wall > low ? wall : low;
  real x = here + ROW_AT(row, SAME_INDEX(v->control + NS_C_STEP)) * ROW_SLOT(row, v->direction, slice);
  x = x < low ? low : x;
  ROW_STORE(model_row, m->x, slice, x > high ? high : x);
}

// Sums over parameters: the phases below work on slices 0 to 3, each on every fourth slice of the parameters,
// and leave 32 partial sums; ns_fold_phase and ns_folded add them up. Four sums can stand side by side.

// g . (x' - x) and g' . (x' - x) along the step.
FN void ns_slopes_phase(LAYOUT NsSolver* v, LAYOUT NsLayout* m, ROW scalar* model_row, ROW scalar* row,
                        u32 slice, u32 lane) {
  real begin = R(0.0);
  real end = R(0.0);
  for (u32 i = slice; i < v->slices; i += 4) {
    real step = ROW_SLOT(model_row, m->x, i) - ROW_SLOT(row, v->x, i);
    begin = begin + ROW_SLOT(row, v->gradient, i) * step;
    end = end + ROW_SLOT(model_row, m->gradient, i) * step;
  }
  ROW_STORE(row, v->partial, slice, begin);
  ROW_STORE(row, v->partial, 4 + slice, end);
}

// Keeps P^-1 g of the free parameters only. g . P^-1 g; how many parameters changed sides, free at one point
// and held at the other; max |g| sigma.
FN void ns_project_phase(LAYOUT NsSolver* v, TABLE scalar* reals, ROW scalar* row, u32 slice, u32 lane) {
  real product = R(0.0);
  real changed = R(0.0);
  real largest = R(0.0);
  for (u32 i = slice; i < v->slices; i += 4) {
    real is_free = ROW_SLOT(row, v->trial_free, i);
    real p = ROW_SLOT(row, v->trial_preconditioned, i);
    real g = ROW_SLOT(row, v->trial_gradient, i);
    p = is_free > R(0.0) ? p : R(0.0);
    ROW_STORE(row, v->trial_preconditioned, i, p);
    product = product + g * p;
    changed = changed + (ROW_SLOT(row, v->free, i) == is_free ? R(0.0) : R(1.0));
    g = g * TABLE_REAL(reals, v->sigma, i);
    g = g > R(0.0) ? g : -g;
    largest = g > largest ? g : largest;
  }
  ROW_STORE(row, v->partial, slice, product);
  ROW_STORE(row, v->partial, 4 + slice, changed);
  ROW_STORE(row, v->partial, 8 + slice, largest);
}

// d = -(P^-1 g - sum alpha P^-1 y + sum (alpha - beta) s), from the newest pair to the oldest; g . d.
FN void ns_direction_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 newest, u32 pairs, u32 slice, u32 lane) {
  real slope = R(0.0);
  for (u32 i = slice; i < v->slices; i += 4) {
    real sum = ROW_SLOT(row, v->preconditioned, i);
    for (u32 age = 0; age < pairs; ++age) {
      u32 slot = (newest + NS_HISTORY - age) % NS_HISTORY * v->slices + i;
      real alpha = ROW_AT(row, SAME_INDEX(v->alpha + age));
      real beta = ROW_AT(row, SAME_INDEX(v->beta + age));
      real next = sum - alpha * ROW_SLOT(row, v->preconditioned_changes, slot) +
                  (alpha - beta) * ROW_SLOT(row, v->steps, slot);
      sum = ROW_AT(row, SAME_INDEX(v->used + age)) > R(0.0) ? next : sum;
    }
    sum = ROW_SLOT(row, v->free, i) > R(0.0) ? -sum : R(0.0);
    ROW_STORE(row, v->direction, i, sum);
    slope = slope + ROW_SLOT(row, v->gradient, i) * sum;
  }
  ROW_STORE(row, v->partial, slice, slope);
}

// What a step has to know of one pair of the history: s.g, P^-1 y.g, s.y', P^-1 y.y'.
FN void ns_history_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 pair, u32 slice, u32 lane) {
  real sg = R(0.0);
  real pg = R(0.0);
  real sy = R(0.0);
  real py = R(0.0);
  for (u32 i = slice; i < v->slices; i += 4) {
    real s = ROW_SLOT(row, v->steps, pair * v->slices + i);
    real p = ROW_SLOT(row, v->preconditioned_changes, pair * v->slices + i);
    real g = ROW_SLOT(row, v->trial_gradient, i);
    real y = ROW_SLOT(row, v->change, i);
    sg = sg + s * g;
    pg = pg + p * g;
    sy = sy + s * y;
    py = py + p * y;
  }
  ROW_STORE(row, v->partial, slice, sg);
  ROW_STORE(row, v->partial, 4 + slice, pg);
  ROW_STORE(row, v->partial, 8 + slice, sy);
  ROW_STORE(row, v->partial, 12 + slice, py);
}

// 32 partial sums to 8; slices are the sums that stand side by side.
FN void ns_fold_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 slice, u32 lane) {
  real even = ROW_SLOT(row, v->partial, slice * 4) + ROW_SLOT(row, v->partial, slice * 4 + 2);
  real odd = ROW_SLOT(row, v->partial, slice * 4 + 1) + ROW_SLOT(row, v->partial, slice * 4 + 3);
  ROW_STORE(row, v->partial, slice * 4, even + odd);
}

// 8 partial sums to one.
FN real ns_folded(LAYOUT NsSolver* v, ROW scalar* row, u32 k) {
  u32 p = v->partial + k * 32;
  real a = ROW_AT(row, SAME_INDEX(p)) + ROW_AT(row, SAME_INDEX(p + 4));
  real b = ROW_AT(row, SAME_INDEX(p + 1)) + ROW_AT(row, SAME_INDEX(p + 5));
  real c = ROW_AT(row, SAME_INDEX(p + 2)) + ROW_AT(row, SAME_INDEX(p + 6));
  real d = ROW_AT(row, SAME_INDEX(p + 3)) + ROW_AT(row, SAME_INDEX(p + 7));
  return (a + c) + (b + d);
}

// The maximum of 32 partial ones, `k` of 4.
FN real ns_largest(LAYOUT NsSolver* v, ROW scalar* row, u32 k) {
  real largest = R(0.0);
  for (u32 i = 0; i < 32; ++i) {
    real x = ROW_AT(row, SAME_INDEX(v->partial + k * 32 + i));
    largest = x > largest ? x : largest;
  }
  return largest;
}

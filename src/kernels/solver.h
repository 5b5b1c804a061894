// The vector work of a minimisation, in phases (dialect.md): projection on the bounds, metric, direction,
// trial point. The decisions between them are in control.h.

// A parameter at its bound with the gradient pointing out of it is held there.
FN void ns_free_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 slice, u32 lane) {
  real x = ROW_SLOT(row, v->trial, slice);
  real g = ROW_SLOT(row, v->raw_gradient, slice);
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

// Keeps the free parameters only.
FN void ns_mask_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 slice, u32 lane) {
  real value = ROW_SLOT(row, v->trial_preconditioned, slice);
  ROW_STORE(row, v->trial_preconditioned, slice,
            ROW_SLOT(row, v->trial_free, slice) > R(0.0) ? value : R(0.0));
}

// Stores the product with P^-1 as the column of a held parameter.
FN void ns_column_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 held, u32 slice, u32 lane) {
  ROW_STORE(row, v->held_column, held * v->slices + slice, ROW_SLOT(row, v->trial_preconditioned, slice));
}

// A new pair of the history from the step of the rows that move: s = x' - x, y = g' - g, P^-1 y.
FN void ns_pair_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 pair, u32 slice, u32 lane) {
  ROW_STORE(row, v->change, slice,
            ROW_SLOT(row, v->trial_gradient, slice) - ROW_SLOT(row, v->gradient, slice));
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->steps, pair * v->slices + slice,
             ROW_SLOT(row, v->trial, slice) - ROW_SLOT(row, v->x, slice));
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->preconditioned_changes, pair * v->slices + slice,
             ROW_SLOT(row, v->trial_preconditioned, slice) - ROW_SLOT(row, v->preconditioned, slice));
}

// The trial point becomes the point of the rows that move.
FN void ns_accept_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 slice, u32 lane) {
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->x, slice, ROW_SLOT(row, v->trial, slice));
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->free, slice, ROW_SLOT(row, v->trial_free, slice));
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->gradient, slice, ROW_SLOT(row, v->trial_gradient, slice));
  ROW_UPDATE(row, v->control + NS_C_MOVES, v->preconditioned, slice,
             ROW_SLOT(row, v->trial_preconditioned, slice));
}

// d = -(P^-1 g - sum alpha P^-1 y + sum (alpha - beta) s), from the newest pair to the oldest.
FN void ns_direction_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 newest, u32 pairs, u32 slice, u32 lane) {
  real sum = ROW_SLOT(row, v->preconditioned, slice);
  for (u32 age = 0; age < pairs; ++age) {
    u32 slot = (newest + NS_HISTORY - age) % NS_HISTORY * v->slices + slice;
    real alpha = ROW_AT(row, SAME_INDEX(v->alpha + age));
    real beta = ROW_AT(row, SAME_INDEX(v->beta + age));
    real next = sum - alpha * ROW_SLOT(row, v->preconditioned_changes, slot) +
                (alpha - beta) * ROW_SLOT(row, v->steps, slot);
    sum = ROW_AT(row, SAME_INDEX(v->used + age)) > R(0.0) ? next : sum;
  }
  ROW_STORE(row, v->direction, slice, ROW_SLOT(row, v->free, slice) > R(0.0) ? -sum : R(0.0));
}

// A constrained factor of a bin has a wall at 0 (n log gamma): one step may not go all the way to it.
FN void ns_trial_phase(LAYOUT NsSolver* v, TABLE scalar* reals, ROW scalar* row, u32 slice, u32 lane) {
  real here = ROW_SLOT(row, v->x, slice);
  real shrink = TABLE_REAL(reals, v->shrink, slice);
  real low = ROW_SLOT(row, v->low, slice);
  real high = ROW_SLOT(row, v->high, slice);
  real wall = shrink > R(0.0) ? here * shrink : low;
  low = wall > low ? wall : low;
  real x = here + ROW_AT(row, SAME_INDEX(v->control + NS_C_STEP)) * ROW_SLOT(row, v->direction, slice);
  x = x < low ? low : x;
  ROW_STORE(row, v->trial, slice, x > high ? high : x);
}

// Sums over parameters: 32 strided partial sums, folded by ns_fold_phase and ns_folded. `k` of 4 that can
// stand side by side.
FN void ns_dot_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 k, u32 a, u32 b, u32 slice, u32 lane) {
  real sum = R(0.0);
  for (u32 i = slice; i < v->slices; i += 4) sum = sum + ROW_SLOT(row, a, i) * ROW_SLOT(row, b, i);
  ROW_STORE(row, v->partial, k * 4 + slice, sum);
}

// a . (b - c)
FN void ns_dot_difference_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 k, u32 a, u32 b, u32 c, u32 slice,
                                u32 lane) {
  real sum = R(0.0);
  for (u32 i = slice; i < v->slices; i += 4)
    sum = sum + ROW_SLOT(row, a, i) * (ROW_SLOT(row, b, i) - ROW_SLOT(row, c, i));
  ROW_STORE(row, v->partial, k * 4 + slice, sum);
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

// max |g| sigma; the order does not matter for a maximum.
FN void ns_scaled_phase(LAYOUT NsSolver* v, TABLE scalar* reals, ROW scalar* row, u32 slice, u32 lane) {
  real largest = R(0.0);
  for (u32 i = slice; i < v->slices; i += 4) {
    real g = ROW_SLOT(row, v->trial_gradient, i) * TABLE_REAL(reals, v->sigma, i);
    g = g > R(0.0) ? g : -g;
    largest = g > largest ? g : largest;
  }
  ROW_STORE(row, v->partial, slice, largest);
}

FN real ns_largest(LAYOUT NsSolver* v, ROW scalar* row) {
  real largest = R(0.0);
  for (u32 i = 0; i < 32; ++i) {
    real x = ROW_AT(row, SAME_INDEX(v->partial + i));
    largest = x > largest ? x : largest;
  }
  return largest;
}

// Number of free parameters that changed sides: free at one point, held at the other.
FN void ns_changed_phase(LAYOUT NsSolver* v, ROW scalar* row, u32 k, u32 slice, u32 lane) {
  real changed = R(0.0);
  for (u32 i = slice; i < v->slices; i += 4)
    changed = changed + (ROW_SLOT(row, v->free, i) == ROW_SLOT(row, v->trial_free, i) ? R(0.0) : R(1.0));
  ROW_STORE(row, v->partial, k * 4 + slice, changed);
}

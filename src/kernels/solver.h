// The vector work of a minimization, in phases (dialect.md): projection on the bounds, metric, direction,
// trial point. The decisions between them are in control.h. The trial point and the gradient there stand in
// the model's row; x, the gradient there and everything else in the solver's.

// A parameter at its bound with the gradient pointing out of it is held there.
FN void ns_free_phase(LAYOUT NsSolver* v, LAYOUT NsLayout* m, NsRow model_row, NsRow row, offset place) {
  real x = ns_get(model_row, m->x + place);
  real g = ns_far_get(model_row, m->gradient + place);
  real room_down = SELECT(x > ns_far_get(row, v->low + place), R(1.0), R(0.0));
  real room_up = SELECT(x < ns_far_get(row, v->high + place), R(1.0), R(0.0));
  real is_free = SELECT(g > R(0.0), room_down, room_up);
  is_free = SELECT(room_down + room_up > R(0.0), is_free, R(0.0));
  ns_far_put(row, v->trial_free + place, is_free);
  ns_put(row, v->trial_gradient + place, SELECT(is_free > R(0.0), g, R(0.0)));
}

// Where the entries of one owner in the metric begin; they stand 8 apart.
FN offset ns_metric_by_row(LAYOUT NsSolver* v, offset place) {
  return v->by_row + place / 8 * 8 * (offset)v->n + place % 8;
}
FN offset ns_metric_by_parameter(LAYOUT NsSolver* v, offset place) {
  return v->by_parameter + place / 8 * 8 * (offset)v->rank + place % 8;
}

// One row of the metric times the gradient.
FN void ns_metric_row_phase(LAYOUT NsSolver* v, TABLE scalar* reals, NsRow row, offset place) {
  offset entries = ns_metric_by_row(v, place);
  real sum;
  QUARTERS(sum, i, v->n, ns_table(reals, entries + i * 8) * ns_same(row, v->trial_gradient + (u32)i));
  ns_keep(row, v->product + place, sum);
}

// P^-1 g of one parameter.
FN void ns_metric_phase(LAYOUT NsSolver* v, TABLE scalar* reals, NsRow row, offset place) {
  offset entries = ns_metric_by_parameter(v, place);
  real sum;
  QUARTERS(sum, i, v->rank, ns_table(reals, entries + i * 8) * ns_same(row, v->product + (u32)i));
  ns_far_keep(row, v->trial_preconditioned + place,
              ns_table(reals, v->diagonal + place) * ns_get(row, v->trial_gradient + place) + sum);
}

// Takes a held parameter out of a product with P^-1. With its column c of P^-1 and v = P^-1 g:
//   (P of the others)^-1 g = v - c v_held / c_held
// v_held / c_held stands in the row.
// Without this, a POI that no longer moves would keep the metric of the others stretched.
FN void ns_release_phase(LAYOUT NsSolver* v, NsRow row, u32 held, offset place) {
  ns_far_put(
      row, v->trial_preconditioned + place,
      ns_far_get(row, v->trial_preconditioned + place) -
          ns_same(row, v->held_share) * ns_far_get(row, v->held_column + held * v->slices * 8 + place));
}

// Stores the product with P^-1 as the column of a held parameter, for rows that begin.
FN void ns_column_phase(LAYOUT NsSolver* v, NsRow row, u32 held, offset place) {
  ns_far_update(row, v->control + NS_C_BEGINS, v->held_column + held * v->slices * 8 + place,
                ns_far_get(row, v->trial_preconditioned + place));
}

// Rows that move: a new pair of the history from the step, s = x' - x, y = g' - g, P^-1 y, of the free
// parameters; then the trial point becomes the point.
FN void ns_move_phase(LAYOUT NsSolver* v, LAYOUT NsLayout* m, NsRow model_row, NsRow row, u32 pair,
                      offset place) {
  real x = ns_get(model_row, m->x + place);
  real g = ns_get(row, v->trial_gradient + place);
  real is_free = ns_far_get(row, v->trial_free + place);
  real p = SELECT(is_free > R(0.0), ns_far_get(row, v->trial_preconditioned + place), R(0.0));
  ns_far_put(row, v->change + place, g - ns_far_get(row, v->gradient + place));
  ns_far_update(row, v->control + NS_C_MOVES, v->steps + pair * v->slices * 8 + place,
                x - ns_far_get(row, v->x + place));
  ns_far_update(row, v->control + NS_C_MOVES, v->preconditioned_changes + pair * v->slices * 8 + place,
                p - ns_far_get(row, v->preconditioned + place));
  ns_far_update(row, v->control + NS_C_MOVES, v->x + place, x);
  ns_far_update(row, v->control + NS_C_MOVES, v->gradient + place, g);
  ns_far_update(row, v->control + NS_C_MOVES, v->preconditioned + place, p);
}

// A constrained factor of a bin has a wall at 0 (n log gamma): one step may not go all the way to it.
FN void ns_trial_phase(LAYOUT NsSolver* v, LAYOUT NsLayout* m, TABLE scalar* reals, NsRow model_row,
                       NsRow row, offset place) {
  real here = ns_far_get(row, v->x + place);
  real shrink = ns_table(reals, v->shrink + place);
  real low = ns_far_get(row, v->low + place);
  real high = ns_far_get(row, v->high + place);
  real wall = SELECT(shrink > R(0.0), here * shrink, low);
  low = SELECT(wall > low, wall, low);
  real x = here + ns_same(row, v->control + NS_C_STEP) * ns_far_get(row, v->direction + place);
  x = SELECT(x < low, low, x);
  ns_put(model_row, m->x + place, SELECT(x > high, high, x));
}

// Where the pair of an age stands in the history; the newest has age 0.
FN u32 ns_slot_of_age(u32 newest, u32 age) { return (newest + NS_HISTORY - age) % NS_HISTORY; }

// d = -(P^-1 g - sum alpha P^-1 y + sum (alpha - beta) s), from the newest pair to the oldest.
FN void ns_direction_phase(LAYOUT NsSolver* v, NsRow row, u32 newest, u32 pairs, offset place) {
  real sum = ns_far_get(row, v->preconditioned + place);
  UNROLLED(2) for (u32 age = 0; age < pairs; ++age) {
    offset pair = ns_slot_of_age(newest, age) * v->slices * 8 + place;
    real alpha = ns_same(row, v->alpha + age);
    real beta = ns_same(row, v->beta + age);
    real next = sum - alpha * ns_far_get(row, v->preconditioned_changes + pair) +
                (alpha - beta) * ns_far_get(row, v->steps + pair);
    sum = SELECT(ns_same(row, v->used + age) > R(0.0), next, sum);
  }
  ns_far_update(row, v->control + NS_C_MOVES, v->free + place, ns_far_get(row, v->trial_free + place));
  ns_far_put(row, v->direction + place, SELECT(ns_far_get(row, v->free + place) > R(0.0), -sum, R(0.0)));
}

// Sums over parameters, in 32 parts (FOR_PARTS): part k has every 32nd parameter from k on.

// g . (x' - x) and g' . (x' - x) along the step.
FN NsFour ns_slope_sums(LAYOUT NsSolver* v, LAYOUT NsLayout* m, NsRow model_row, NsRow row, offset part) {
  NsFour four = {R(0.0), R(0.0), R(0.0), R(0.0)};
  UNROLLED(2) for (offset i = part; i < v->slices * 8; i += 32) {
    real step = ns_get(model_row, m->x + i) - ns_far_get(row, v->x + i);
    four.a = four.a + ns_far_get(row, v->gradient + i) * step;
    four.b = four.b + ns_far_get(model_row, m->gradient + i) * step;
  }
  return four;
}

// g . P^-1 g, where g is 0 unless a parameter is free; and how many parameters changed sides:
// free at one point and held at the other.
FN NsFour ns_stop_sums(LAYOUT NsSolver* v, NsRow row, offset part) {
  NsFour four = {R(0.0), R(0.0), R(0.0), R(0.0)};
  UNROLLED(2) for (offset i = part; i < v->slices * 8; i += 32) {
    real g = ns_get(row, v->trial_gradient + i);
    four.a = four.a + g * ns_far_get(row, v->trial_preconditioned + i);
    four.b =
        four.b + SELECT(ns_far_get(row, v->free + i) == ns_far_get(row, v->trial_free + i), R(0.0), R(1.0));
  }
  return four;
}

// max |g| sigma, in 32 parts.
FN real ns_scaled_largest(LAYOUT NsSolver* v, TABLE scalar* reals, NsRow row, offset part) {
  real largest = R(0.0);
  UNROLLED(2) for (offset i = part; i < v->slices * 8; i += 32) {
    real g = ns_get(row, v->trial_gradient + i) * ns_table(reals, v->sigma + i);
    g = SELECT(g > R(0.0), g, -g);
    largest = SELECT(g > largest, g, largest);
  }
  return largest;
}

// g . d
FN NsFour ns_direction_sums(LAYOUT NsSolver* v, NsRow row, offset part) {
  NsFour four = {R(0.0), R(0.0), R(0.0), R(0.0)};
  UNROLLED(2)
  for (offset i = part; i < v->slices * 8; i += 32)
    four.a = four.a + ns_far_get(row, v->gradient + i) * ns_far_get(row, v->direction + i);
  return four;
}

// What a step has to know of one pair of the history: s.g, P^-1 y.g, s.y', P^-1 y.y'.
FN NsFour ns_history_sums(LAYOUT NsSolver* v, NsRow row, u32 pair, offset part) {
  NsFour four = {R(0.0), R(0.0), R(0.0), R(0.0)};
  UNROLLED(2) for (offset i = part; i < v->slices * 8; i += 32) {
    real s = ns_far_get(row, v->steps + pair * v->slices * 8 + i);
    real p = ns_far_get(row, v->preconditioned_changes + pair * v->slices * 8 + i);
    real g = ns_get(row, v->trial_gradient + i);
    real y = ns_far_get(row, v->change + i);
    four.a = four.a + s * g;
    four.b = four.b + p * g;
    four.c = four.c + s * y;
    four.d = four.d + p * y;
  }
  return four;
}

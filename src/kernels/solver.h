// The vector work of a minimization, in phases (dialect.md): projection on the bounds, metric, direction,
// trial point. The decisions between them are in control.h. The trial point and the gradient there stand in
// the model's row; x, the gradient there and everything else in the solver's.

// A parameter at its bound with the gradient pointing out of it is held there.
FN void ns_free_phase(LAYOUT NsSolver* v, LAYOUT NsLayout* m, NsRow model_row, NsRow row, u32 slice,
                      u32 lane) {
  real x = ROW_SLOT(model_row, m->x, slice);
  real g = FAR_SLOT(model_row, m->gradient, slice);
  real room_down = SELECT(x > FAR_SLOT(row, v->low, slice), R(1.0), R(0.0));
  real room_up = SELECT(x < FAR_SLOT(row, v->high, slice), R(1.0), R(0.0));
  real is_free = SELECT(g > R(0.0), room_down, room_up);
  is_free = SELECT(room_down + room_up > R(0.0), is_free, R(0.0));
  FAR_STORE(row, v->trial_free, slice, is_free);
  ROW_STORE(row, v->trial_gradient, slice, SELECT(is_free > R(0.0), g, R(0.0)));
}

FN real ns_metric_by_row(LAYOUT NsSolver* v, TABLE scalar* reals, u32 slice, u32 lane, offset i) {
  return TABLE_REAL(reals, v->by_row, slice * (offset)v->n + i);
}
FN real ns_metric_by_parameter(LAYOUT NsSolver* v, TABLE scalar* reals, u32 slice, u32 lane, offset r) {
  return TABLE_REAL(reals, v->by_parameter, slice * (offset)v->rank + r);
}

// One row of the metric times the gradient.
FN void ns_metric_row_phase(LAYOUT NsSolver* v, TABLE scalar* reals, NsRow row, u32 slice, u32 lane) {
  real sum;
  QUARTERS(sum, v->n,
           ns_metric_by_row(v, reals, slice, lane, i) * ROW_AT(row, SAME_INDEX(v->trial_gradient + (u32)i)));
  LIST_STORE(row, v->product, slice, sum);
}

// P^-1 g of one parameter.
FN void ns_metric_phase(LAYOUT NsSolver* v, TABLE scalar* reals, NsRow row, u32 slice, u32 lane) {
  real sum;
  QUARTERS(sum, v->rank,
           ns_metric_by_parameter(v, reals, slice, lane, i) * ROW_AT(row, SAME_INDEX(v->product + (u32)i)));
  LIST_STORE_FAR(row, v->trial_preconditioned, slice,
                 TABLE_REAL(reals, v->diagonal, slice) * ROW_SLOT(row, v->trial_gradient, slice) + sum);
}

// Takes a held parameter out of a product with P^-1. With its column c of P^-1 and v = P^-1 g:
//   (P of the others)^-1 g = v - c v_held / c_held
// v_held / c_held stands in the row.
// Without this, a POI that no longer moves would keep the metric of the others stretched.
FN void ns_release_phase(LAYOUT NsSolver* v, NsRow row, u32 held, u32 slice, u32 lane) {
  FAR_STORE(
      row, v->trial_preconditioned, slice,
      FAR_SLOT(row, v->trial_preconditioned, slice) -
          ROW_AT(row, SAME_INDEX(v->held_share)) * FAR_SLOT(row, v->held_column, held * v->slices + slice));
}

// Stores the product with P^-1 as the column of a held parameter, for rows that begin.
FN void ns_column_phase(LAYOUT NsSolver* v, NsRow row, u32 held, u32 slice, u32 lane) {
  FAR_UPDATE(row, v->control + NS_C_BEGINS, v->held_column, held * v->slices + slice,
             FAR_SLOT(row, v->trial_preconditioned, slice));
}

// Rows that move: a new pair of the history from the step, s = x' - x, y = g' - g, P^-1 y, of the free
// parameters; then the trial point becomes the point.
FN void ns_move_phase(LAYOUT NsSolver* v, LAYOUT NsLayout* m, NsRow model_row, NsRow row, u32 pair, u32 slice,
                      u32 lane) {
  real x = ROW_SLOT(model_row, m->x, slice);
  real g = ROW_SLOT(row, v->trial_gradient, slice);
  real is_free = FAR_SLOT(row, v->trial_free, slice);
  real p = SELECT(is_free > R(0.0), FAR_SLOT(row, v->trial_preconditioned, slice), R(0.0));
  FAR_STORE(row, v->change, slice, g - FAR_SLOT(row, v->gradient, slice));
  FAR_UPDATE(row, v->control + NS_C_MOVES, v->steps, pair * v->slices + slice,
             x - FAR_SLOT(row, v->x, slice));
  FAR_UPDATE(row, v->control + NS_C_MOVES, v->preconditioned_changes, pair * v->slices + slice,
             p - FAR_SLOT(row, v->preconditioned, slice));
  FAR_UPDATE(row, v->control + NS_C_MOVES, v->x, slice, x);
  FAR_UPDATE(row, v->control + NS_C_MOVES, v->free, slice, is_free);
  FAR_UPDATE(row, v->control + NS_C_MOVES, v->gradient, slice, g);
  FAR_UPDATE(row, v->control + NS_C_MOVES, v->preconditioned, slice, p);
}

// A constrained factor of a bin has a wall at 0 (n log gamma): one step may not go all the way to it.
FN void ns_trial_phase(LAYOUT NsSolver* v, LAYOUT NsLayout* m, TABLE scalar* reals, NsRow model_row,
                       NsRow row, u32 slice, u32 lane) {
  real here = FAR_SLOT(row, v->x, slice);
  real shrink = TABLE_REAL(reals, v->shrink, slice);
  real low = FAR_SLOT(row, v->low, slice);
  real high = FAR_SLOT(row, v->high, slice);
  real wall = SELECT(shrink > R(0.0), here * shrink, low);
  low = SELECT(wall > low, wall, low);
  real x = here + ROW_AT(row, SAME_INDEX(v->control + NS_C_STEP)) * FAR_SLOT(row, v->direction, slice);
  x = SELECT(x < low, low, x);
  ROW_STORE(model_row, m->x, slice, SELECT(x > high, high, x));
}

// d = -(P^-1 g - sum alpha P^-1 y + sum (alpha - beta) s), from the newest pair to the oldest.
FN void ns_direction_phase(LAYOUT NsSolver* v, NsRow row, u32 newest, u32 pairs, u32 slice, u32 lane) {
  real sum = FAR_SLOT(row, v->preconditioned, slice);
  UNROLLED(4) for (u32 age = 0; age < pairs; ++age) {
    u32 slot = (newest + NS_HISTORY - age) % NS_HISTORY * v->slices + slice;
    real alpha = ROW_AT(row, SAME_INDEX(v->alpha + age));
    real beta = ROW_AT(row, SAME_INDEX(v->beta + age));
    real next = sum - alpha * FAR_SLOT(row, v->preconditioned_changes, slot) +
                (alpha - beta) * FAR_SLOT(row, v->steps, slot);
    sum = SELECT(ROW_AT(row, SAME_INDEX(v->used + age)) > R(0.0), next, sum);
  }
  FAR_STORE(row, v->direction, slice, SELECT(FAR_SLOT(row, v->free, slice) > R(0.0), -sum, R(0.0)));
}

// Sums over parameters (TOTALS of loops.h): each of the slices 0 to 3 works on every fourth parameter slice.

// g . (x' - x) and g' . (x' - x) along the step.
FN NsFour ns_slope_sums(LAYOUT NsSolver* v, LAYOUT NsLayout* m, NsRow model_row, NsRow row, u32 slice,
                        u32 lane) {
  NsFour four = {R(0.0), R(0.0), R(0.0), R(0.0)};
  UNROLLED(4) for (u32 i = slice; i < v->slices; i += 4) {
    real step = ROW_SLOT(model_row, m->x, i) - FAR_SLOT(row, v->x, i);
    four.a = four.a + FAR_SLOT(row, v->gradient, i) * step;
    four.b = four.b + FAR_SLOT(model_row, m->gradient, i) * step;
  }
  return four;
}

// g . P^-1 g, where g is 0 unless a parameter is free; and how many parameters changed sides:
// free at one point and held at the other.
FN NsFour ns_stop_sums(LAYOUT NsSolver* v, NsRow row, u32 slice, u32 lane) {
  NsFour four = {R(0.0), R(0.0), R(0.0), R(0.0)};
  UNROLLED(4) for (u32 i = slice; i < v->slices; i += 4) {
    real g = ROW_SLOT(row, v->trial_gradient, i);
    four.a = four.a + g * FAR_SLOT(row, v->trial_preconditioned, i);
    four.b = four.b + SELECT(FAR_SLOT(row, v->free, i) == FAR_SLOT(row, v->trial_free, i), R(0.0), R(1.0));
  }
  return four;
}

// max |g| sigma, in 32 parts.
FN real ns_scaled_largest(LAYOUT NsSolver* v, TABLE scalar* reals, NsRow row, u32 slice, u32 lane) {
  real largest = R(0.0);
  UNROLLED(4) for (u32 i = slice; i < v->slices; i += 4) {
    real g = ROW_SLOT(row, v->trial_gradient, i) * TABLE_REAL(reals, v->sigma, i);
    g = SELECT(g > R(0.0), g, -g);
    largest = SELECT(g > largest, g, largest);
  }
  return largest;
}

// g . d
FN NsFour ns_direction_sums(LAYOUT NsSolver* v, NsRow row, u32 slice, u32 lane) {
  NsFour four = {R(0.0), R(0.0), R(0.0), R(0.0)};
  UNROLLED(4)
  for (u32 i = slice; i < v->slices; i += 4)
    four.a = four.a + FAR_SLOT(row, v->gradient, i) * FAR_SLOT(row, v->direction, i);
  return four;
}

// What a step has to know of one pair of the history: s.g, P^-1 y.g, s.y', P^-1 y.y'.
FN NsFour ns_history_sums(LAYOUT NsSolver* v, NsRow row, u32 pair, u32 slice, u32 lane) {
  NsFour four = {R(0.0), R(0.0), R(0.0), R(0.0)};
  UNROLLED(4) for (u32 i = slice; i < v->slices; i += 4) {
    real s = FAR_SLOT(row, v->steps, pair * v->slices + i);
    real p = FAR_SLOT(row, v->preconditioned_changes, pair * v->slices + i);
    real g = ROW_SLOT(row, v->trial_gradient, i);
    real y = FAR_SLOT(row, v->change, i);
    four.a = four.a + s * g;
    four.b = four.b + p * g;
    four.c = four.c + s * y;
    four.d = four.d + p * y;
  }
  return four;
}

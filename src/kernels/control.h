// The decisions of a minimization, one row at a time: plain scalars and branches.

// What stands in a row: its control values (NS_C_*), its sums (NS_S_*), products of the pair in a slot (NS_D_*), products of pairs.
FN ROW scalar* ns_control(LAYOUT NsSolver* v, NsRow row, u32 which) {
  return ns_scalar(row, v->control + which);
}
FN ROW scalar* ns_sum(LAYOUT NsSolver* v, NsRow row, u32 which) { return ns_scalar(row, v->sums + which); }
FN ROW scalar* ns_dot(LAYOUT NsSolver* v, NsRow row, u32 slot, u32 which) {
  return ns_scalar(row, v->dots + slot * NS_D_SIZE + which);
}
FN ROW scalar* ns_gram_sy(LAYOUT NsSolver* v, NsRow row, u32 i, u32 j) {
  return ns_scalar(row, v->gram_sy + i * NS_HISTORY + j);
}
FN ROW scalar* ns_gram_yp(LAYOUT NsSolver* v, NsRow row, u32 i, u32 j) {
  return ns_scalar(row, v->gram_yp + i * NS_HISTORY + j);
}

#if REAL_BITS == 64
#define NS_NOISE ((scalar)1e-15)    /* of the NLL: a change below it is rounding */
#define NS_NEAR ((scalar)1e-11)     /* of the NLL: a step that promises less is judged by slopes */
#define NS_INFINITE ((scalar)1e300) /* beyond this a number counts as infinite */
#else
#define NS_NOISE (1e-7f)
#define NS_NEAR (1e-5f)
#define NS_INFINITE (1e38f)
#endif
#define NS_SHORTEST ((scalar)1 / (scalar)10) /* least and most part of a step that the next try takes */
#define NS_LONGEST ((scalar)1 / (scalar)2)
#define NS_FLATTER \
  ((scalar)9 /     \
   (scalar)10) /* part of the slope that may be left, upwards, at the end of a step that is near */
#define NS_SUFFICIENT ((scalar)1 / (scalar)10000) /* part of the promised decrease that a step must bring */
#define NS_CURVATURE \
  ((scalar)1 / (scalar)100000000) /* s.y below this part of y.P^-1 y is not worth keeping */

// Close to the minimum the NLL no longer tells steps apart, while its gradient still does.
FN u32 ns_is_near(LAYOUT NsSolver* v, NsRow row, scalar slope) {
  scalar before = *ns_control(v, row, NS_C_VALUE);
  scalar size = before > 0 ? before : -before;
  return -slope < NS_NEAR * (size + 1);
}

// After the trial point was evaluated. Returns
//   0  try the shorter step now in the row
//   1  accept the point
//   2  give the search up
//
//   slope     = g . (x' - x), so that clipping at bounds is accounted for
//   end_slope = g' . (x' - x), which only a step that is near needs
FN u32 ns_judge_step(LAYOUT NsSolver* v, LAYOUT NsStop* stop, NsRow row, scalar value, scalar slope,
                     scalar end_slope) {
  scalar before = *ns_control(v, row, NS_C_VALUE);
  scalar size = before > 0 ? before : -before;
  u32 near = ns_is_near(v, row, slope);
  if (value <= before + NS_SUFFICIENT * slope + NS_NOISE * (size + 1)) return 1;
  if (near && value <= before + NS_NEAR * (size + 1) && end_slope <= -slope * NS_FLATTER) return 1;
  *ns_control(v, row, NS_C_BACKTRACKS) += 1;
  if (*ns_control(v, row, NS_C_BACKTRACKS) > (scalar)stop->backtracks) return 2;
  // The parabola through both values and the slope, or through both slopes; value may be infinite.
  scalar curvature = near ? (end_slope - slope) / 2 : value - before - slope;
  scalar factor = curvature < NS_INFINITE ? -slope / (2 * curvature) : NS_SHORTEST;
  factor = factor > NS_SHORTEST ? factor : NS_SHORTEST;
  factor = factor < NS_LONGEST ? factor : NS_LONGEST;
  *ns_control(v, row, NS_C_STEP) *= factor;
  return 0;
}

// v_held / c_held of ns_release_phase; rows that hold fewer parameters release nothing.
FN void ns_held_share(LAYOUT NsSolver* v, NsRow row, u32 h) {
  scalar share = 0;
  if (h < (u32)*ns_control(v, row, NS_C_HELD)) {
    u32 place = (u32)*ns_scalar(row, v->held_index + h);
    share = *ns_far_scalar(row, v->trial_preconditioned + place) /
            *ns_far_scalar(row, v->held_column + h * v->slices * 8 + place);
  }
  *ns_scalar(row, v->held_share) = share;
}

// The unit vector of a held parameter as the gradient.
FN void ns_unit_gradient(LAYOUT NsSolver* v, NsRow row, u32 h) {
  u32 place = (u32)*ns_scalar(row, v->held_index + h);
  UNROLLED(1)
  for (u32 i = 0; i < v->n; ++i) *ns_scalar(row, v->trial_gradient + i) = i == place ? (scalar)1 : (scalar)0;
}

// The trial point of one row was evaluated: does the row move there?
FN void ns_judge_row(LAYOUT NsSolver* v, LAYOUT NsStop* stop, NsRow row, scalar value) {
  *ns_control(v, row, NS_C_MOVES) = 0;
  if (*ns_control(v, row, NS_C_STATUS) != (scalar)NS_RUNNING) return;
  u32 verdict = 1;
  if (*ns_control(v, row, NS_C_EVALUATIONS) > 0)
    verdict =
        ns_judge_step(v, stop, row, value, *ns_sum(v, row, NS_S_STEP_SLOPE), *ns_sum(v, row, NS_S_END_SLOPE));
  *ns_control(v, row, NS_C_EVALUATIONS) += 1;
  if (verdict == 1) {
    *ns_control(v, row, NS_C_VALUE) = value;
    *ns_control(v, row, NS_C_MOVES) = 1;
  }
  if (verdict == 2)
    *ns_control(v, row, NS_C_STATUS) =
        (scalar)(*ns_control(v, row, NS_C_SINCE_METRIC) > 0 ? NS_WANTS_METRIC : NS_NO_DECREASE);
}

// Whether a row that moved joins its step to the history: not when the set of free parameters changed or its
// curvature is bad; then there is no history any more. The products with this step stand in `dots`.
FN void ns_remember_row(LAYOUT NsSolver* v, NsRow row, u32 slot) {
  *ns_control(v, row, NS_C_NEWEST) = (scalar)slot;
  if (*ns_control(v, row, NS_C_MOVES) == 0) return;
  scalar sy = *ns_dot(v, row, slot, NS_D_SY);
  scalar yp = *ns_dot(v, row, slot, NS_D_PY);
  if (*ns_control(v, row, NS_C_EVALUATIONS) == 1 || *ns_sum(v, row, NS_S_CHANGED) != 0 ||
      !(sy > NS_CURVATURE * yp) || !(yp > 0)) {
    *ns_control(v, row, NS_C_PAIRS) = 0;
    return;
  }
  if (*ns_control(v, row, NS_C_PAIRS) < (scalar)NS_HISTORY) *ns_control(v, row, NS_C_PAIRS) += 1;
}

// The products of a row that moved join those of its history; a thread has the pairs of NS_AGES ages.
FN void ns_remember_products(LAYOUT NsSolver* v, NsRow row, u32 slot) {
  if (*ns_control(v, row, NS_C_MOVES) == 0) return;
  u32 pairs = (u32)*ns_control(v, row, NS_C_PAIRS);
  UNROLLED(1) for (u32 a = 0; a < (u32)NS_AGES; ++a) {
    if (!(ns_age(a) < pairs)) continue;
    u32 other = ns_slot_of_age(slot, ns_age(a));
    *ns_gram_sy(v, row, other, slot) = *ns_dot(v, row, other, NS_D_SY);
    *ns_gram_yp(v, row, slot, other) = *ns_dot(v, row, other, NS_D_PY);
    *ns_gram_yp(v, row, other, slot) = *ns_dot(v, row, other, NS_D_PY);
  }
}

// A row that moved: has it arrived?
FN void ns_settle_row(LAYOUT NsSolver* v, LAYOUT NsStop* stop, NsRow row) {
  if (*ns_control(v, row, NS_C_MOVES) == 0) return;
  scalar edm = *ns_sum(v, row, NS_S_EDM) / 2;
  scalar scaled = *ns_sum(v, row, NS_S_SCALED);
  *ns_control(v, row, NS_C_EDM) = edm;
  *ns_control(v, row, NS_C_SCALED) = scaled;
  u32 status = NS_RUNNING;
  if (*ns_control(v, row, NS_C_EVALUATIONS) == 1) {
    if (!(*ns_control(v, row, NS_C_VALUE) < NS_INFINITE && edm < NS_INFINITE)) status = NS_NOT_FINITE;
  } else {
    *ns_control(v, row, NS_C_ITERATIONS) += 1;
    *ns_control(v, row, NS_C_SINCE_METRIC) += 1;
  }
  if (status == NS_RUNNING && *ns_control(v, row, NS_C_SINCE_METRIC) >= (scalar)stop->steps_per_metric)
    status = NS_WANTS_METRIC;
  if (status != NS_NOT_FINITE && edm <= (scalar)stop->edm && scaled <= (scalar)stop->scaled_gradient)
    status = NS_CONVERGED;
  *ns_control(v, row, NS_C_STATUS) = (scalar)status;
  if (status != NS_RUNNING) *ns_control(v, row, NS_C_MOVES) = 0;
  *ns_control(v, row, NS_C_STEP) = 1;
  *ns_control(v, row, NS_C_BACKTRACKS) = 0;
}

// The two loops of L-BFGS on coefficients: they need s_i.y_j, y_i.P^-1 y_j, s_i.g and P^-1 y_i.g, no vectors.
//   q = g - sum alpha_i y_i,  r = P^-1 q + sum (alpha_i - beta_i) s_i
// Sums run in the order in which their terms become known, so pairs may work side by side: a thread has the
// pairs of NS_AGES ages (ns_age), and hands a coefficient that is known to the others (ns_of_age).
FN void ns_direction_coefficients(LAYOUT NsSolver* v, NsRow row) {
  u32 moves = *ns_control(v, row, NS_C_MOVES) > 0;
  u32 pairs = (u32)*ns_control(v, row, NS_C_PAIRS);
  u32 newest = (u32)*ns_control(v, row, NS_C_NEWEST);
  u32 most = ns_ages(moves ? pairs : 0);
  u32 here = NS_AGES > 1 && most < (u32)NS_AGES ? most : (u32)NS_AGES;
  u32 slots[NS_AGES];
  scalar sum[NS_AGES], curvature[NS_AGES], alpha[NS_AGES], beta[NS_AGES], with[NS_AGES];
  for (u32 a = 0; a < here; ++a) {
    slots[a] = ns_slot_of_age(newest, ns_age(a));
    curvature[a] = *ns_gram_sy(v, row, slots[a], slots[a]);
    sum[a] = *ns_dot(v, row, slots[a], NS_D_SG);
    alpha[a] = 0;
    beta[a] = 0;
  }
  UNROLLED(1) for (u32 l = 0; l < most; ++l) { /* newest first */
    u32 slot = ns_slot_of_age(newest, l);
    for (u32 a = 0; a < here; ++a) {
      with[a] = *ns_gram_sy(v, row, slots[a], slot);
      alpha[a] = ns_age(a) == l ? sum[a] / curvature[a] : alpha[a];
    }
    scalar known = ns_of_age(alpha, l);
    for (u32 a = 0; a < here; ++a) sum[a] = l < ns_age(a) ? sum[a] - known * with[a] : sum[a];
  }
  for (u32 a = 0; a < here; ++a) sum[a] = *ns_dot(v, row, slots[a], NS_D_PG);
  UNROLLED(1) for (u32 l = 0; l < most; ++l) {
    u32 slot = ns_slot_of_age(newest, l);
    scalar known = ns_of_age(alpha, l);
    for (u32 a = 0; a < here; ++a)
      sum[a] = l < pairs ? sum[a] - known * *ns_gram_yp(v, row, slots[a], slot) : sum[a];
  }
  UNROLLED(1) for (u32 l = most; l-- > 0;) { /* oldest first */
    u32 slot = ns_slot_of_age(newest, l);
    for (u32 a = 0; a < here; ++a) {
      with[a] = *ns_gram_sy(v, row, slot, slots[a]);
      beta[a] = ns_age(a) == l ? sum[a] / curvature[a] : beta[a];
    }
    scalar known = ns_of_age(alpha, l) - ns_of_age(beta, l);
    for (u32 a = 0; a < here; ++a) sum[a] = l < pairs && ns_age(a) < l ? sum[a] + known * with[a] : sum[a];
  }
  if (!moves) return;
  for (u32 a = 0; a < NS_AGES; ++a) {
    u32 age = ns_age(a);
    if (age < NS_HISTORY) *ns_scalar(row, v->used + age) = (scalar)(age < pairs ? 1 : 0);
    if (age >= pairs) continue;
    *ns_scalar(row, v->alpha + age) = alpha[a];
    *ns_scalar(row, v->beta + age) = beta[a];
  }
}

// A direction that does not lead downhill is made again without history.
FN void ns_check_direction(LAYOUT NsSolver* v, NsRow row) {
  u32 uphill = *ns_control(v, row, NS_C_MOVES) > 0 && *ns_control(v, row, NS_C_PAIRS) > 0 &&
               !(*ns_control(v, row, NS_C_SLOPE) < 0);
  *ns_control(v, row, NS_C_TURNS) = (scalar)(uphill ? 1 : 0);
  if (uphill) *ns_control(v, row, NS_C_PAIRS) = 0;
}

// Whether any of the rows side by side has more than 0 at a place; the largest value there.
FN u32 ns_any_row(NsRow rows, u32 place) {
  u32 any = 0;
  for (u32 r = 0; r < NS_ROWS; ++r) any |= *ns_scalar(ns_one(rows, r), place) > 0;
  return any;
}
FN u32 ns_most_of(NsRow rows, u32 place) {
  scalar most = 0;
  for (u32 r = 0; r < NS_ROWS; ++r) {
    scalar x = *ns_scalar(ns_one(rows, r), place);
    most = x > most ? x : most;
  }
  return (u32)most;
}

// Moves every pair of one row's history, and its products, to the next slot.
FN void ns_turn_history(LAYOUT NsSolver* v, NsRow row) {
  u32 width = v->slices * 8;
  FOR_ITEMS (i, v->n * 2) {
    u32 base = i < v->n ? v->steps + i : v->preconditioned_changes + i - v->n;
    scalar last = *ns_far_scalar(row, base + (NS_HISTORY - 1) * width);
    UNROLLED(1)
    for (u32 slot = NS_HISTORY - 1; slot > 0; --slot)
      *ns_far_scalar(row, base + slot * width) = *ns_far_scalar(row, base + (slot - 1) * width);
    *ns_far_scalar(row, base) = last;
  }
  // Products (i, j) move to (i + 1, j + 1): along diagonals, each closed in itself.
  FOR_ITEMS (diagonal, 2 * NS_HISTORY) {
    u32 gram = diagonal < NS_HISTORY ? v->gram_sy : v->gram_yp, d = diagonal % NS_HISTORY;
    scalar last = *ns_scalar(row, gram + (NS_HISTORY - 1) * NS_HISTORY + (NS_HISTORY - 1 + d) % NS_HISTORY);
    UNROLLED(1)
    for (u32 i = NS_HISTORY - 1; i > 0; --i)
      *ns_scalar(row, gram + i * NS_HISTORY + (i + d) % NS_HISTORY) =
          *ns_scalar(row, gram + (i - 1) * NS_HISTORY + (i - 1 + d) % NS_HISTORY);
    *ns_scalar(row, gram + d) = last;
  }
}

// Rows side by side keep their newest pair in the same slot: those that do not move while others do turn their
// history to the slot that the others fill now. Returns whether any did.
FN u32 ns_keep_pace(LAYOUT NsSolver* v, NsRow rows) {
  u32 turned = 0;
  UNROLLED(1) for (u32 r = 0; NS_ROWS > 1 && r < NS_ROWS; ++r) {
    NsRow row = ns_one(rows, r);
    if (*ns_control(v, row, NS_C_MOVES) > 0 || *ns_control(v, row, NS_C_STATUS) != (scalar)NS_RUNNING)
      continue;
    if (!(*ns_control(v, row, NS_C_PAIRS) > 0)) continue;
    ns_turn_history(v, row);
    turned = 1;
  }
  return turned;
}

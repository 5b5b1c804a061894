// The decisions of a minimization, one row at a time: plain scalars and branches.
// SCALAR_AT(row, i) is that row's value at position i.

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
  scalar before = SCALAR_AT(row, v->control + NS_C_VALUE);
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
  scalar before = SCALAR_AT(row, v->control + NS_C_VALUE);
  scalar size = before > 0 ? before : -before;
  u32 near = ns_is_near(v, row, slope);
  if (value <= before + NS_SUFFICIENT * slope + NS_NOISE * (size + 1)) return 1;
  if (near && value <= before + NS_NEAR * (size + 1) && end_slope <= -slope * NS_FLATTER) return 1;
  SCALAR_AT(row, v->control + NS_C_BACKTRACKS) += 1;
  if (SCALAR_AT(row, v->control + NS_C_BACKTRACKS) > (scalar)stop->backtracks) return 2;
  // The parabola through both values and the slope, or through both slopes; value may be infinite.
  scalar curvature = near ? (end_slope - slope) / 2 : value - before - slope;
  scalar factor = curvature < NS_INFINITE ? -slope / (2 * curvature) : NS_SHORTEST;
  factor = factor > NS_SHORTEST ? factor : NS_SHORTEST;
  factor = factor < NS_LONGEST ? factor : NS_LONGEST;
  SCALAR_AT(row, v->control + NS_C_STEP) *= factor;
  return 0;
}

// v_held / c_held of ns_release_phase; rows that hold fewer parameters release nothing.
FN void ns_held_share(LAYOUT NsSolver* v, NsRow row, u32 h) {
  scalar share = 0;
  if (h < (u32)SCALAR_AT(row, v->control + NS_C_HELD)) {
    u32 place = (u32)SCALAR_AT(row, v->held_index + h);
    share = FAR_SCALAR_AT(row, v->trial_preconditioned + place) /
            FAR_SCALAR_AT(row, v->held_column + h * v->slices * 8 + place);
  }
  SCALAR_AT(row, v->held_share) = share;
}

// The unit vector of a held parameter as the gradient.
FN void ns_unit_gradient(LAYOUT NsSolver* v, NsRow row, u32 h) {
  u32 place = (u32)SCALAR_AT(row, v->held_index + h);
  UNROLLED(1)
  for (u32 i = 0; i < v->n; ++i) SCALAR_AT(row, v->trial_gradient + i) = i == place ? (scalar)1 : (scalar)0;
}

// The trial point of one row was evaluated: does the row move there?
FN void ns_judge_row(LAYOUT NsSolver* v, LAYOUT NsStop* stop, NsRow row, scalar value) {
  u32 control = v->control;
  SCALAR_AT(row, control + NS_C_MOVES) = 0;
  if (SCALAR_AT(row, control + NS_C_STATUS) != (scalar)NS_RUNNING) return;
  u32 verdict = 1;
  if (SCALAR_AT(row, control + NS_C_EVALUATIONS) > 0)
    verdict = ns_judge_step(v, stop, row, value, SCALAR_AT(row, v->sums + NS_S_STEP_SLOPE),
                            SCALAR_AT(row, v->sums + NS_S_END_SLOPE));
  SCALAR_AT(row, control + NS_C_EVALUATIONS) += 1;
  if (verdict == 1) {
    SCALAR_AT(row, control + NS_C_VALUE) = value;
    SCALAR_AT(row, control + NS_C_MOVES) = 1;
  }
  if (verdict == 2)
    SCALAR_AT(row, control + NS_C_STATUS) =
        (scalar)(SCALAR_AT(row, control + NS_C_SINCE_METRIC) > 0 ? NS_WANTS_METRIC : NS_NO_DECREASE);
}

// Whether a row that moved joins its step to the history: not when the set of free parameters changed or its
// curvature is bad; then there is no history any more. The products with this step stand in `dots`.
FN void ns_remember_row(LAYOUT NsSolver* v, NsRow row, u32 slot) {
  u32 control = v->control;
  SCALAR_AT(row, control + NS_C_NEWEST) = (scalar)slot;
  if (SCALAR_AT(row, control + NS_C_MOVES) == 0) return;
  scalar sy = SCALAR_AT(row, v->dots + slot * 4 + 2);
  scalar yp = SCALAR_AT(row, v->dots + slot * 4 + 3);
  if (SCALAR_AT(row, control + NS_C_EVALUATIONS) == 1 || SCALAR_AT(row, v->sums + NS_S_CHANGED) != 0 ||
      !(sy > NS_CURVATURE * yp) || !(yp > 0)) {
    SCALAR_AT(row, control + NS_C_PAIRS) = 0;
    return;
  }
  if (SCALAR_AT(row, control + NS_C_PAIRS) < (scalar)NS_HISTORY) SCALAR_AT(row, control + NS_C_PAIRS) += 1;
  u32 pairs = (u32)SCALAR_AT(row, control + NS_C_PAIRS);
  UNROLLED(1) for (u32 age = 0; age < pairs; ++age) {
    u32 other = (slot + NS_HISTORY - age) % NS_HISTORY;
    SCALAR_AT(row, v->gram_sy + other * NS_HISTORY + slot) = SCALAR_AT(row, v->dots + other * 4 + 2);
    SCALAR_AT(row, v->gram_yp + slot * NS_HISTORY + other) = SCALAR_AT(row, v->dots + other * 4 + 3);
    SCALAR_AT(row, v->gram_yp + other * NS_HISTORY + slot) = SCALAR_AT(row, v->dots + other * 4 + 3);
  }
}

// A row that moved: has it arrived?
FN void ns_settle_row(LAYOUT NsSolver* v, LAYOUT NsStop* stop, NsRow row) {
  u32 control = v->control;
  if (SCALAR_AT(row, control + NS_C_MOVES) == 0) return;
  scalar edm = SCALAR_AT(row, v->sums + NS_S_EDM) / 2;
  scalar scaled = SCALAR_AT(row, v->sums + NS_S_SCALED);
  SCALAR_AT(row, control + NS_C_EDM) = edm;
  SCALAR_AT(row, control + NS_C_SCALED) = scaled;
  u32 status = NS_RUNNING;
  if (SCALAR_AT(row, control + NS_C_EVALUATIONS) == 1) {
    if (!(SCALAR_AT(row, control + NS_C_VALUE) < NS_INFINITE && edm < NS_INFINITE)) status = NS_NOT_FINITE;
  } else {
    SCALAR_AT(row, control + NS_C_ITERATIONS) += 1;
    SCALAR_AT(row, control + NS_C_SINCE_METRIC) += 1;
  }
  if (status == NS_RUNNING && SCALAR_AT(row, control + NS_C_SINCE_METRIC) >= (scalar)stop->steps_per_metric)
    status = NS_WANTS_METRIC;
  if (status != NS_NOT_FINITE && edm <= (scalar)stop->edm && scaled <= (scalar)stop->scaled_gradient)
    status = NS_CONVERGED;
  SCALAR_AT(row, control + NS_C_STATUS) = (scalar)status;
  if (status != NS_RUNNING) SCALAR_AT(row, control + NS_C_MOVES) = 0;
  SCALAR_AT(row, control + NS_C_STEP) = 1;
  SCALAR_AT(row, control + NS_C_BACKTRACKS) = 0;
}

// The two loops of L-BFGS on coefficients: they need s_i.y_j, y_i.P^-1 y_j, s_i.g and P^-1 y_i.g, no vectors.
//   q = g - sum alpha_i y_i,  r = P^-1 q + sum (alpha_i - beta_i) s_i
// Sums run in the order in which their terms become known: the pairs may work side by side.
FN void ns_direction_coefficients(LAYOUT NsSolver* v, NsRow row) {
  if (SCALAR_AT(row, v->control + NS_C_MOVES) == 0) return;
  u32 pairs = (u32)SCALAR_AT(row, v->control + NS_C_PAIRS);
  u32 newest = (u32)SCALAR_AT(row, v->control + NS_C_NEWEST);
  for (u32 k = 0; k < pairs; ++k) { /* newest first */
    u32 i = (newest + NS_HISTORY - k) % NS_HISTORY;
    scalar sum = SCALAR_AT(row, v->dots + i * 4);
    for (u32 l = 0; l < k; ++l) {
      u32 j = (newest + NS_HISTORY - l) % NS_HISTORY;
      sum -= SCALAR_AT(row, v->alpha + l) * SCALAR_AT(row, v->gram_sy + i * NS_HISTORY + j);
    }
    SCALAR_AT(row, v->alpha + k) = sum / SCALAR_AT(row, v->gram_sy + i * NS_HISTORY + i);
  }
  for (u32 k = pairs; k-- > 0;) { /* oldest first */
    u32 i = (newest + NS_HISTORY - k) % NS_HISTORY;
    scalar sum = SCALAR_AT(row, v->dots + i * 4 + 1);
    for (u32 l = 0; l < pairs; ++l) {
      u32 j = (newest + NS_HISTORY - l) % NS_HISTORY;
      sum -= SCALAR_AT(row, v->alpha + l) * SCALAR_AT(row, v->gram_yp + i * NS_HISTORY + j);
    }
    for (u32 l = pairs; l-- > k + 1;) {
      u32 j = (newest + NS_HISTORY - l) % NS_HISTORY;
      sum += (SCALAR_AT(row, v->alpha + l) - SCALAR_AT(row, v->beta + l)) *
             SCALAR_AT(row, v->gram_sy + j * NS_HISTORY + i);
    }
    SCALAR_AT(row, v->beta + k) = sum / SCALAR_AT(row, v->gram_sy + i * NS_HISTORY + i);
  }
  for (u32 k = 0; k < NS_HISTORY; ++k) SCALAR_AT(row, v->used + k) = (scalar)(k < pairs ? 1 : 0);
}

// A direction that does not lead downhill is made again without history.
FN void ns_check_direction(LAYOUT NsSolver* v, NsRow row) {
  u32 uphill = SCALAR_AT(row, v->control + NS_C_MOVES) > 0 && SCALAR_AT(row, v->control + NS_C_PAIRS) > 0 &&
               !(SCALAR_AT(row, v->control + NS_C_SLOPE) < 0);
  SCALAR_AT(row, v->control + NS_C_TURNS) = (scalar)(uphill ? 1 : 0);
  if (uphill) SCALAR_AT(row, v->control + NS_C_PAIRS) = 0;
}

// The decisions of a minimisation, one row at a time: plain scalars and branches. SCALAR_AT(row, i) is one
// row's value at position i.

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
FN u32 ns_is_near(LAYOUT NsSolver* v, ROW scalar* row, scalar slope) {
  scalar before = SCALAR_AT(row, v->control + NS_C_VALUE);
  scalar size = before > 0 ? before : -before;
  return -slope < NS_NEAR * (size + 1);
}

// After the trial point was evaluated: 1 = accept it, 0 = try the shorter step now in the row, 2 = give the
// search up. `slope` = g . (x' - x), so that clipping at bounds is accounted for; `end_slope` = g' . (x' -
// x), which only a step that is near needs.
FN u32 ns_judge_step(LAYOUT NsSolver* v, LAYOUT NsStop* stop, ROW scalar* row, scalar value, scalar slope,
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

// The two loops of L-BFGS on coefficients: with s_i.y_j, y_i.P^-1 y_j, s_i.g and P^-1 y_i.g at hand, no
// vector is needed.
//   q = g - sum alpha_i y_i,  r = P^-1 q + sum (alpha_i - beta_i) s_i
FN void ns_direction_coefficients(LAYOUT NsSolver* v, ROW scalar* row) {
  u32 pairs = (u32)SCALAR_AT(row, v->control + NS_C_PAIRS);
  u32 newest = (u32)SCALAR_AT(row, v->control + NS_C_NEWEST);
  for (u32 k = 0; k < pairs; ++k) { /* newest first */
    u32 i = (newest + NS_HISTORY - k) % NS_HISTORY;
    scalar sum = SCALAR_AT(row, v->dot_sg + i);
    for (u32 l = 0; l < k; ++l) {
      u32 j = (newest + NS_HISTORY - l) % NS_HISTORY;
      sum -= SCALAR_AT(row, v->alpha + j) * SCALAR_AT(row, v->gram_sy + i * NS_HISTORY + j);
    }
    SCALAR_AT(row, v->alpha + i) = sum / SCALAR_AT(row, v->gram_sy + i * NS_HISTORY + i);
  }
  for (u32 k = pairs; k-- > 0;) { /* oldest first */
    u32 i = (newest + NS_HISTORY - k) % NS_HISTORY;
    scalar sum = SCALAR_AT(row, v->dot_pg + i);
    for (u32 l = 0; l < pairs; ++l) {
      u32 j = (newest + NS_HISTORY - l) % NS_HISTORY;
      sum -= SCALAR_AT(row, v->alpha + j) * SCALAR_AT(row, v->gram_yp + i * NS_HISTORY + j);
      if (l > k)
        sum += (SCALAR_AT(row, v->alpha + j) - SCALAR_AT(row, v->beta + j)) *
               SCALAR_AT(row, v->gram_sy + j * NS_HISTORY + i);
    }
    SCALAR_AT(row, v->beta + i) = sum / SCALAR_AT(row, v->gram_sy + i * NS_HISTORY + i);
  }
}

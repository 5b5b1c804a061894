// All kernels in loops over one row or as many as a real has lanes. Included once per instantiation by isa.cpp, inside a
// namespace that defines the dialect's types and functions for tables and rows.
#include "kernels/math.h"
//
#include "kernels/interpolation.h"
//
#include "kernels/loops.h"
//
#include "kernels/forward.h"
//
#include "kernels/backward.h"

// Whether any normsys parameter of these rows lies beyond its polynomial.
static u32 ns_any_beyond(const NsLayout* m, NsIndices indices, NsRow row) {
  u64 seen = {};
  FOR_OWNERS (place, m->norm_of_parameter.slices) seen |= AS_BITS(ns_norm_excess(m, indices, row, place));
  u32 any = 0;
  for (u32 i = 0; i < LANES; ++i) any |= LANE_OF(seen, i) != 0;
  return any;
}

#include "kernels/evaluate_row.h"

static void evaluate(const NsLayout* layout, const scalar* reals, const u32* indices, scalar* rows,
                     bool gradient) {
  for (u32 first = 0; first < NS_ALL_ROWS; first += NS_ROWS)
    ns_evaluate_row(layout, reals, indices, rows + first, gradient);
}

#include "kernels/solver.h"
//
#include "kernels/control.h"
//
#include "cpu/metric_by_four.h"
//
#include "kernels/minimize_row.h"

static NsRowWork work_of(const Minimization* at) {
  return {at->layout, at->solver, at->stop, at->reals, at->indices, at->metric, at->model_row, at->row};
}

// All kernels in loops over one row or 8 rows. Included once per instantiation by isa.cpp, inside a namespace
// that defines the dialect's types and macros; OWNERS(n, phase) runs a phase for every owner of n slices.
#include "kernels/math.h"
//
#include "kernels/interpolation.h"
//
#define OWNERS(slices, statement)                \
  for (u32 slice = 0; slice < (slices); ++slice) \
    for (u32 lane = 0; lane < 8; lane += LANE_STEP) statement

typedef scalar* NsRow;
typedef const u32* NsIndices;
#include "kernels/loops.h"
//
#include "kernels/forward.h"
//
#include "kernels/backward.h"

// Whether any normsys parameter of these rows lies beyond its polynomial.
static u32 ns_any_beyond(const NsLayout* m, const scalar* row) {
  u64 seen = {};
  OWNERS(m->norm_of_parameter.slices, seen |= AS_BITS(ROW_SLOT(row, m->norm_excess, slice)));
  u32 any = 0;
  for (u32 i = 0; i < sizeof(real) / sizeof(scalar); ++i) any |= LANE_OF(seen, i) != 0;
  return any;
}

#define ANY_BEYOND(m, row) ns_any_beyond(m, row)
#include "kernels/evaluate_row.h"

static void evaluate(const NsLayout* layout, const scalar* reals, const u32* indices, scalar* rows,
                     bool gradient) {
  for (scalar* row = rows; row < rows + 8; row += ROW_STEP)
    ns_evaluate_row(layout, reals, indices, row, gradient);
}

#include "kernels/solver.h"
//
#include "kernels/control.h"
//
#include "cpu/metric_by_four.h"

#define METRIC_OWNERS(slices, phase)                                                               \
  {                                                                                                \
    u32 slice = 0;                                                                                 \
    for (; slice + SLICES_OF_4 <= (slices); slice += SLICES_OF_4)                                  \
      for (u32 lane = 0; lane < 8; lane += LANES_OF_4) phase##_4(v, at->metric, row, slice, lane); \
    for (; slice < (slices); ++slice)                                                              \
      for (u32 lane = 0; lane < 8; lane += LANE_STEP) phase(v, at->metric, row, slice, lane);      \
  }
#include "cpu/side_by_side.h"
//
#include "kernels/minimize_row.h"

static NsRowWork work_of(const Minimization* at) {
  return {at->layout, at->solver, at->stop, at->reals, at->indices, at->metric, at->model_row, at->row};
}
#undef METRIC_OWNERS

#undef ANY_BEYOND
#undef OWNERS

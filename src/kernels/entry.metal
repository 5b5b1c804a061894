// The kernels in MSL (dialect.md), f32: the language has no double, so toys are drawn on the host. Build with
// -I src and fast-math off.
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

#define FN static inline
#define ROUTINE static
#define HERE thread
#define LAYOUT constant
#define TABLE device const
#define ROW device
#define REAL_BITS 32

#include "kernels/layout.h"
//
#include "kernels/solver_layout.h"

namespace {

typedef unsigned int u32;
typedef u32 index;
typedef u32 offset;
typedef u32 u64;  // the bit pattern of a real
typedef float real;
typedef real scalar;

#define R(x) (x##f)
#define U(x) (static_cast<u64>(x))
#define AS_BITS(x) (as_type<u32>(x))
#define FROM_BITS(u) (as_type<float>(u))

typedef device scalar* NsRow;
typedef device const u32* NsIndices;

#include "kernels/math.h"
//
#include "kernels/interpolation.h"
//
#include "kernels/plain_rows.h"
//
#include "kernels/loops.h"
//
#include "kernels/forward.h"
//
#include "kernels/backward.h"
//
#include "kernels/evaluate_row.h"
//
#include "kernels/solver.h"
//
#include "kernels/control.h"
//
#include "kernels/counts.h"
//
#include "kernels/load_row.h"
//
#include "kernels/minimize_row.h"

}  // namespace

// One thread evaluates one row: rows[row][position].
kernel void evaluate_row(constant NsLayout* layout [[buffer(0)]], device const float* reals [[buffer(1)]],
                         device const u32* indices [[buffer(2)]], device float* rows [[buffer(3)]],
                         constant u32& gradient [[buffer(4)]], u32 row [[thread_position_in_grid]]) {
  ns_evaluate_row(layout, reals, indices, rows + row * layout->row_size, gradient);
}

// One thread brings one row to its end: model_rows[row][position], rows[row][position].
kernel void minimize_row(constant NsLayout* layout [[buffer(0)]], constant NsSolver* solver [[buffer(1)]],
                         constant NsStop* stop [[buffer(2)]], device const float* reals [[buffer(3)]],
                         device const u32* indices [[buffer(4)]], device const float* metric [[buffer(5)]],
                         device float* model_rows [[buffer(6)]], device float* rows [[buffer(7)]],
                         u32 row [[thread_position_in_grid]]) {
  NsRowWork work = {layout,  solver, stop, reals, indices, metric, model_rows + row * layout->row_size,
                    rows + row * solver->row_size};
  ns_minimize_row(&work);
}

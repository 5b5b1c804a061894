// The kernels in OpenCL C 1.2 (dialect.md). Build with -I src -DREAL_BITS=64 (or 32) and
// -cl-fp32-correctly-rounded-divide-sqrt; never with -cl-fast-relaxed-math or -cl-mad-enable.
#pragma OPENCL FP_CONTRACT OFF

#define FN static inline
#define ROUTINE static
#define HERE
#define LAYOUT __constant
#define TABLE __global const
#define ROW __global

#if REAL_BITS == 64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef ulong u64;
typedef ulong wide;
#define R(x) (x)
#define U(x) ((ulong)(x))
#define AS_BITS(x) as_ulong(x)
#define FROM_BITS(u) as_double(u)
#else
typedef float real;
typedef uint u64;
#define R(x) (x##f)
#define U(x) ((uint)(x))
#define AS_BITS(x) as_uint(x)
#define FROM_BITS(u) as_float(u)
#endif

typedef uint u32;
typedef uint index;
typedef uint offset;
typedef real scalar;

typedef __global scalar* NsRow;

#define TABLE_REAL(p, base, slot) ((p)[(base) + (slot)*8 + lane])
#define TABLE_INDEX(p, base, slot) ((p)[(base) + (slot)*8 + lane])
#define TRIPS(p, list, slice) ((p)[(list).length + (slice)*8 + lane])
#define SAME_INDEX(i) (i)
#define SCALAR_AT(p, i) ((p)[i])
#define ROW_AT(p, i) ((p)[i])
#define ROW_SLOT(p, base, slot) ((p)[(base) + (slot)*8 + lane])
#define ROW_STORE(p, base, slot, v) ((p)[(base) + (slot)*8 + lane] = (v))
#define ROW_UPDATE(p, flag, base, slot, v) ROW_STORE(p, base, slot, v)
#define EACH_ROW(decision) decision
#define ONE(p) (p)
#define ANY_ROW(p, i) ((p)[i] > 0)
#define MOST_OF(p, i) ((u32)(p)[i])
#define KEEP_PACE(v, row)
#define OWNERS(slices, statement)                \
  for (u32 slice = 0; slice < (slices); ++slice) \
    for (u32 lane = 0; lane < 8; ++lane) statement
#define ANY_BEYOND(m, row) 1
#define STORE_TOTAL(p, i, v) ((p)[i] = (v))

#include "kernels/layout.h"
//
#include "kernels/solver_layout.h"
//
#include "kernels/draw_layout.h"
//
#include "kernels/math.h"
//
#include "kernels/interpolation.h"
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
#include "kernels/minimise_row.h"

#if REAL_BITS == 64
#include "kernels/random.h"
//
#include "kernels/normal.h"
//
#include "kernels/draw.h"
#endif

// One work-item evaluates one row: rows[row][position].
__kernel void evaluate_row(__constant NsLayout* layout, __global const scalar* reals,
                           __global const uint* indices, __global scalar* rows, uint gradient) {
  ns_evaluate_row(layout, reals, indices, rows + get_global_id(0) * (ulong)layout->row_size, gradient);
}

// One work-item brings one row to its end: model_rows[row][position], rows[row][position].
__kernel void minimise_row(__constant NsLayout* layout, __constant NsSolver* solver, __constant NsStop* stop,
                           __global const scalar* reals, __global const uint* indices,
                           __global const scalar* metric, __global scalar* model_rows, __global scalar* rows) {
  NsRowWork work = {layout,  solver, stop,
                    reals,   indices, metric,
                    model_rows + get_global_id(0) * (ulong)layout->row_size,
                    rows + get_global_id(0) * (ulong)solver->row_size};
  ns_minimise_row(&work);
}

#if REAL_BITS == 64
// One work-item draws two neighbouring data of one toy: values[toy][datum], toys counted from `first`.
__kernel void draw_pair(__global const NsDatum* data, __global const real* reals,
                        __global const wide* thresholds, __global const uint* guide, __global real* values,
                        uint n_data, wide seed, uint hypothesis, wide first) {
  const NsDrawTables tables = {data, n_data, reals, thresholds, guide};
  const size_t toy = get_global_id(1);
  ns_draw_pair(&tables, ns_toy(seed, hypothesis, first + toy), get_global_id(0), values + toy * n_data);
}
#endif

// The kernels in OpenCL C 1.2 (dialect.md). Build with -I src -DREAL_BITS=64 (or 32) and
// -cl-fp32-correctly-rounded-divide-sqrt; never with -cl-fast-relaxed-math or -cl-mad-enable.
#pragma OPENCL FP_CONTRACT OFF

#define FN static inline
#define ROUTINE static __attribute__((noinline))
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
typedef __global const u32* NsIndices;

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

#if REAL_BITS == 64
#include "kernels/random.h"
//
#include "kernels/normal.h"
//
#include "kernels/draw.h"
//
#include "kernels/factorial.h"
#endif

// --- entry points; arguments.md lists what they are given. A work-item works on one row at a time. ---------

static void clear(__global scalar* values, uint count) {
  for (uint i = 0; i < count; ++i) values[i] = 0;
}

__kernel void evaluate(__constant NsLayout* layout, __global const scalar* reals,
                       __global const uint* indices, __global const scalar* parameters,
                       __global const scalar* data, __global const uint* data_of_row,
                       __global scalar* scratch, __global scalar* nll, __global scalar* gradient,
                       __global scalar* rates, __global scalar* terms, uint rows, uint wanted) {
  __global scalar* row = scratch + get_global_id(0) * (ulong)layout->row_size;
  clear(row, layout->row_size);
  const uint n = layout->n_parameters, bins = layout->n_bins, n_terms = layout->term_slices * 8;
  for (size_t r = get_global_id(0); r < rows; r += get_global_size(0)) {
    ns_load_data(layout, row, data + data_of_row[r] * (ulong)layout->n_data);
    ns_load_point(layout, row, parameters + r * n);
    ns_evaluate_row(layout, reals, indices, row, wanted & 1);
    ns_unload_evaluation(layout, row, wanted, nll + r, gradient + r * n, rates + r * bins, terms + r * n_terms);
  }
}

__kernel void minimize(__constant NsLayout* layout, __constant NsSolver* solver, __constant NsStop* stop,
                       __global const scalar* reals, __global const uint* indices,
                       __global const scalar* metric, __global const scalar* data,
                       __global const scalar* starts, __global const scalar* bounds,
                       __global const uint* held, __global const uint* rows, __global scalar* scratch,
                       volatile __global uint* next, __global scalar* points, __global scalar* figures,
                       uint count) {
  const uint n = solver->n, size = layout->row_size + solver->row_size;
  __global scalar* model_row = scratch + get_global_id(0) * (ulong)size;
  __global scalar* row = model_row + layout->row_size;
  clear(model_row, size);
  NsRowWork work = {layout, solver, stop, reals, indices, metric, model_row, row};
  for (uint r = atomic_inc(next); r < count; r = atomic_inc(next)) {
    __global const uint* numbers = rows + r * (ulong)4;
    __global const scalar* start = starts + numbers[1] * (ulong)n;
    ns_load_data(layout, model_row, data + numbers[0] * (ulong)layout->n_data);
    ns_load_point(layout, model_row, start);
    ns_load_row(solver, row, start, bounds + numbers[2] * (ulong)(2 * n), held + numbers[2] * (ulong)4);
    ns_minimize_row(&work);
    ns_unload_row(solver, row, points + r * (ulong)n, figures + r * (ulong)NS_F_SIZE);
  }
}

#if REAL_BITS == 64
__kernel void draw(__global const NsDatum* data, __global const real* reals, __global const wide* thresholds,
                   __global const uint* guide, __global real* values, uint n_data, wide seed, uint hypothesis,
                   wide first, uint count) {
  const NsDrawTables tables = {data, n_data, reals, thresholds, guide};
  const uint pairs = (n_data + 1) / 2;
  for (ulong i = get_global_id(0); i < (ulong)count * pairs; i += get_global_size(0)) {
    const ulong toy = i / pairs;
    ns_draw_pair(&tables, ns_toy(seed, hypothesis, first + toy), (uint)(i % pairs), values + toy * n_data);
  }
}

__kernel void constants(__global real* values, uint n_data, __global const uint* places, uint n_counts,
                        __global const real* normals, uint n_normals, __global const real* known, uint count) {
  for (ulong toy = get_global_id(0); toy < count; toy += get_global_size(0))
    values[(ulong)count * n_data + toy] =
        ns_constant_of(values + toy * n_data, places, n_counts, normals, n_normals, known);
}
#endif

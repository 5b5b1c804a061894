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

typedef __global const u32* NsIndices;
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
#include "kernels/minimize_row.h"

#if REAL_BITS == 64
#include "kernels/random.h"
//
#include "kernels/normal.h"
//
#include "kernels/draw.h"
#endif

// --- entry points; arguments.md lists what they are given. A work-item works on one row at a time. ---------

static void clear(__global scalar* values, uint count) {
  for (uint i = 0; i < count; ++i) values[i] = 0;
}

// Constants and data of a row, which was clear before.
static void fill_data(__constant NsLayout* m, __global const scalar* data, __global scalar* row) {
  row[1] = 1;
  for (uint i = 0; i < m->n_data; ++i) {
    const uint place = i < m->n_bins ? i : i + m->auxiliary_gap;
    const scalar n = data[i];
    row[m->data + place] = n;
    row[m->inverse_data + place] = n > 0 ? 1 / n : 0;
  }
}

static void copy(__global const scalar* from, __global scalar* to, uint count) {
  for (uint i = 0; i < count; ++i) to[i] = from[i];
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
    fill_data(layout, data + data_of_row[r] * (ulong)layout->n_data, row);
    copy(parameters + r * n, row + layout->x, n);
    ns_evaluate_row(layout, reals, indices, row, wanted & 1);
    nll[r] = row[layout->nll];
    if (wanted & 1) copy(row + layout->gradient, gradient + r * n, n);
    if (wanted & 2) copy(row + layout->bin_rate, rates + r * bins, bins);
    if (wanted & 4) copy(row + layout->term, terms + r * n_terms, n_terms);
  }
}

// Writes a row's start, bounds and held parameters over those of the row before it.
static void begin_row(__constant NsSolver* v, __global const scalar* start, __global const scalar* bounds,
                      __global const uint* held, __global scalar* row) {
  copy(start, row + v->x, v->n);
  copy(bounds, row + v->low, v->n);
  copy(bounds + v->n, row + v->high, v->n);
  clear(row + v->control, NS_C_SIZE);
  row[v->control + NS_C_HELD] = (scalar)held[0];
  for (uint h = 0; h < held[0]; ++h) row[v->held_index + h] = (scalar)held[1 + h];
}

static void end_row(__constant NsSolver* v, __global const scalar* row, __global scalar* point,
                    __global scalar* figures) {
  __global const scalar* control = row + v->control;
  copy(row + v->x, point, v->n);
  figures[NS_F_STATUS] = control[NS_C_STATUS];
  figures[NS_F_VALUE] = control[NS_C_VALUE];
  figures[NS_F_EDM] = control[NS_C_EDM];
  figures[NS_F_SCALED] = control[NS_C_SCALED];
  figures[NS_F_ITERATIONS] = control[NS_C_ITERATIONS];
  figures[NS_F_EVALUATIONS] = control[NS_C_EVALUATIONS];
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
    fill_data(layout, data + numbers[0] * (ulong)layout->n_data, model_row);
    copy(start, model_row + layout->x, n);
    begin_row(solver, start, bounds + numbers[2] * (ulong)(2 * n), held + numbers[2] * (ulong)4, row);
    ns_minimize_row(&work);
    end_row(solver, row, points + r * (ulong)n, figures + r * (ulong)NS_F_SIZE);
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
#endif

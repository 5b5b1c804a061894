// The kernels in CUDA C++ (dialect.md). Build with -I src -DREAL_BITS=64 (or 32) -fmad=false; never with
// --use_fast_math.
#define FN static __device__ __forceinline__
#define ROUTINE static __device__ __noinline__
#define HERE
#define LAYOUT const
#define TABLE const
#define ROW

#include "kernels/layout.h"
//
#include "kernels/solver_layout.h"
//
#include "kernels/draw_layout.h"

namespace {  // `index` is also a function of the C library

typedef unsigned int u32;
typedef u32 index;
typedef u32 offset;

#if REAL_BITS == 64
typedef double real;
typedef unsigned long long u64;
typedef unsigned long long wide;
#define R(x) (x)
#define U(x) (static_cast<u64>(x))
#define AS_BITS(x) (static_cast<u64>(__double_as_longlong(x)))
#define FROM_BITS(u) (__longlong_as_double(static_cast<long long>(u)))
#else
typedef float real;
typedef u32 u64;
#define R(x) (x##f)
#define U(x) (static_cast<u64>(x))
#define AS_BITS(x) (__float_as_uint(x))
#define FROM_BITS(u) (__uint_as_float(u))
#endif

typedef real scalar;

typedef scalar* NsRow;

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

}  // namespace

// One thread evaluates one row: rows[row][position].
extern "C" __global__ void evaluate_row(NsLayout layout, const scalar* reals, const u32* indices,
                                        scalar* rows, u32 count, u32 gradient) {
  const u32 row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < count) ns_evaluate_row(&layout, reals, indices, rows + size_t(row) * layout.row_size, gradient);
}

// One thread brings one row to its end: model_rows[row][position], rows[row][position].
extern "C" __global__ void minimise_row(NsLayout layout, NsSolver solver, NsStop stop, const scalar* reals,
                                        const u32* indices, const scalar* metric, scalar* model_rows,
                                        scalar* rows, u32 count) {
  const u32 row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= count) return;
  NsRowWork work = {&layout,
                    &solver,
                    &stop,
                    reals,
                    indices,
                    metric,
                    model_rows + size_t(row) * layout.row_size,
                    rows + size_t(row) * solver.row_size};
  ns_minimise_row(&work);
}

#if REAL_BITS == 64
// One thread draws two neighbouring data of one toy: values[toy][datum], toys counted from `first`. Pairs of
// data are counted in y: a grid is long in x only.
extern "C" __global__ void draw_pair(const NsDatum* data, const real* reals, const wide* thresholds,
                                     const u32* guide, real* values, u32 n_data, wide seed, u32 hypothesis,
                                     wide first, u32 count) {
  const u32 toy = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 pair = blockIdx.y * blockDim.y + threadIdx.y;
  if (toy >= count || pair >= (n_data + 1) / 2) return;
  const NsDrawTables tables = {data, n_data, reals, thresholds, guide};
  ns_draw_pair(&tables, ns_toy(seed, hypothesis, first + toy), pair, values + size_t(toy) * n_data);
}
#endif

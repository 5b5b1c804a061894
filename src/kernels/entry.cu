// The kernels in CUDA C++ (dialect.md, arguments.md).
// Build with -I src -DREAL_BITS=64 (or 32) -fmad=false; never with --use_fast_math.
//
// A block works on 1 or 2 rows at a time: entries of the tables are loaded once for all of them.
// Near values stand in shared memory, or, for models that are too large for it (the kernels ..._0),
// in device memory like far ones. The whole minimization is one launch: when a row ends, its place
// takes the next one from a counter.
#define FN static __device__ __forceinline__
#define ROUTINE static __device__ __forceinline__
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
typedef u32 offset;

#if REAL_BITS == 64
typedef double scalar;
typedef double2 scalar_pair;
typedef unsigned long long scalar_bits;
#define SCALAR_AS_BITS(x) (static_cast<scalar_bits>(__double_as_longlong(x)))
#define SCALAR_FROM_BITS(u) (__longlong_as_double(static_cast<long long>(u)))
#else
typedef float scalar;
typedef float2 scalar_pair;
typedef u32 scalar_bits;
#define SCALAR_AS_BITS(x) (__float_as_uint(x))
#define SCALAR_FROM_BITS(u) (__uint_as_float(u))
#endif

#define NS_NONE 0xffffffffu

struct EvaluateArguments {
  const scalar* reals;
  const u32* indices;
  const scalar *parameters, *data;
  const u32* data_of_row;
  scalar *scratch, *nll, *gradient, *rates, *terms;
  u32 rows, wanted;
};

struct MinimizeArguments {
  const scalar* reals;
  const u32* indices;
  const scalar *metric, *data, *starts, *bounds;
  const u32 *held, *rows;
  scalar* scratch;
  u32* next;
  scalar *points, *figures;
  u32 count, near_size;
};

}  // namespace

// Places and counters (NS_PLACES_BYTES), begins of lists, near values; as large as the launch says.
extern __shared__ scalar_pair near_memory[];

namespace {

#include "kernels/cuda/cuda_lanes.h"
//
#include "kernels/cuda/cuda_loops.h"

namespace rows_1 {
#define NS_ROWS 1
#include "kernels/cuda/block.h"
#undef NS_ROWS
}  // namespace rows_1
namespace rows_2 {
#define NS_ROWS 2
#include "kernels/cuda/block.h"
#undef NS_ROWS
}  // namespace rows_2

}  // namespace

#define EVALUATE(...) EVALUATE_KERNEL(__VA_ARGS__)
#define EVALUATE_KERNEL(name, threads, blocks, rows_n, near, begins)                              \
  extern "C" __global__ void __launch_bounds__(threads, blocks)                                   \
      name(const __grid_constant__ NsLayout m, const scalar* reals, const u32* indices,           \
           const scalar* parameters, const scalar* data, const u32* data_of_row, scalar* scratch, \
           scalar* nll, scalar* gradient, scalar* rates, scalar* terms, u32 rows, u32 wanted) {   \
    const EvaluateArguments a = {reals, indices,  parameters, data,  data_of_row, scratch,        \
                                 nll,   gradient, rates,      terms, rows,        wanted};        \
    rows_n::evaluate_rows(m, a, near, begins);                                                    \
  }
#define MINIMIZE(...) MINIMIZE_KERNEL(__VA_ARGS__)
#define MINIMIZE_KERNEL(name, threads, blocks, rows_n, near, begins, far)                                 \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(                                     \
      const __grid_constant__ NsLayout m, const __grid_constant__ NsSolver v,                             \
      const __grid_constant__ NsStop stop, const scalar* reals, const u32* indices, const scalar* metric, \
      const scalar* data, const scalar* starts, const scalar* bounds, const u32* held, const u32* rows,   \
      scalar* scratch, u32* next, scalar* points, scalar* figures, u32 count, u32 near_size) {            \
    const MinimizeArguments a = {reals, indices, metric, data,   starts,  bounds, held,                   \
                                 rows,  scratch, next,   points, figures, count,  near_size};             \
    rows_n::minimize_rows(m, v, stop, a, near, far, begins);                                              \
  }
// Begins of lists are padded to whole pairs.
#define BEGINS_SHARED (reinterpret_cast<u32*>(near_memory) + NS_PLACES_BYTES / sizeof(u32))
#define NEAR_SHARED (reinterpret_cast<scalar*>(BEGINS_SHARED + m.begins_size)), BEGINS_SHARED

EVALUATE(evaluate_0, 512, 1, rows_1,
         (scratch + size_t(gridDim.x) * (m.row_size - m.near_size) + size_t(blockIdx.x) * m.near_size),
         nullptr)
EVALUATE(evaluate_1, 512, 2, rows_1, NEAR_SHARED)
EVALUATE(evaluate_2, 256, 4, rows_2, NEAR_SHARED)
#define FAR_OF_BLOCK(rows_n) (scratch + blockIdx.x * rows_n::far_reals(m, v))
MINIMIZE(minimize_0, 512, 1, rows_1,
         (scratch + gridDim.x * rows_1::far_reals(m, v) + size_t(blockIdx.x) * near_size), nullptr,
         FAR_OF_BLOCK(rows_1))
MINIMIZE(minimize_1, 512, 2, rows_1, NEAR_SHARED, FAR_OF_BLOCK(rows_1))
MINIMIZE(minimize_2, 256, 4, rows_2, NEAR_SHARED, FAR_OF_BLOCK(rows_2))
// Few rows have room for everything in shared memory: each is done sooner.
MINIMIZE(minimize_shared, 512, 2, rows_1, NEAR_SHARED,
         (reinterpret_cast<scalar*>(BEGINS_SHARED + m.begins_size) + near_size))

#if REAL_BITS == 64
namespace {
typedef double real;
typedef unsigned long long u64;
typedef unsigned long long wide;
namespace drawing {
#undef R
#undef U
#undef SELECT
#undef AS_BITS
#undef FROM_BITS
#define SELECT(condition, yes, no) ((condition) ? (yes) : (no))
#define AS_BITS(x) SCALAR_AS_BITS(x)
#define FROM_BITS(u) SCALAR_FROM_BITS(u)
#define R(x) (x)
#define U(x) (static_cast<u64>(x))
#include "kernels/math.h"
//
#include "kernels/random.h"
//
#include "kernels/normal.h"
//
#include "kernels/draw.h"
//
#include "kernels/counts.h"
//
#include "kernels/factorial.h"
}  // namespace drawing
}  // namespace

// One thread draws two neighboring data of one toy: values[toy][datum], toys counted from `first`. Pairs of
// data are counted in y: a grid is long in x only.
extern "C" __global__ void draw(const NsDatum* data, const real* reals, const wide* thresholds,
                                const u32* guide, real* values, u32 n_data, wide seed, u32 hypothesis,
                                wide first, u32 count) {
  const u32 toy = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 pair = blockIdx.y * blockDim.y + threadIdx.y;
  if (toy >= count || pair >= (n_data + 1) / 2) return;
  const drawing::NsDrawTables tables = {data, n_data, reals, thresholds, guide};
  drawing::ns_draw_pair(&tables, drawing::ns_toy(seed, hypothesis, first + toy), pair,
                        values + size_t(toy) * n_data);
}

// One thread sums the constant of one toy, behind the values of all.
extern "C" __global__ void constants(real* values, u32 n_data, const u32* places, u32 n_counts,
                                     const real* normals, u32 n_normals, const real* known, u32 count) {
  const u32 toy = blockIdx.x * blockDim.x + threadIdx.x;
  if (toy >= count) return;
  values[size_t(count) * n_data + toy] =
      drawing::ns_constant_of(values + size_t(toy) * n_data, places, n_counts, normals, n_normals, known);
}
#endif

// What a block does: evaluates or minimizes rows, NS_ROWS at a time. Included by entry.cu, once per number of
// rows, in a namespace of its own.

typedef Lanes<NS_ROWS> real;
typedef Bits<NS_ROWS> u64;
#include "kernels/cuda/rows.h"
//
#include "kernels/math.h"
//
#include "kernels/interpolation.h"
//
#include "kernels/loops.h"
//
#include "kernels/cuda/totals.h"
//
#include "kernels/forward.h"
//
#include "kernels/backward.h"

FN u32 ns_any_beyond(const NsLayout* m, const NsIndices& indices, const NsRow& row) {
  int seen = 0;
  FOR_OWNERS (place, m->norm_of_parameter.slices) seen |= any_lane(ns_norm_excess(m, indices, row, place));
  return __syncthreads_or(seen);
}

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

// Where the rows of this block stand.
static __device__ __forceinline__ NsRow rows_of_block(const NsLayout& m, scalar* near, u32 near_size,
                                                      scalar* far) {
  return {near, far - size_t(m.near_size) * NS_ROWS, near_size * 2u};
}

static __device__ void clear(scalar* values, size_t count) {
  UNROLLED(1) for (size_t i = threadIdx.x; i < count; i += blockDim.x) values[i] = 0;
}

// The counters of slices, and the begins of lists where they are kept near.
static __device__ NsIndices prepare_lists(const NsLayout& m, const u32* indices, u32* begins) {
  if (threadIdx.x < 2) NS_DRAWN(threadIdx.x) = 0;
  if (begins == nullptr) return {indices, indices};
  FOR_ITEMS (i, m.begins_size) begins[i] = indices[i];
  return {indices, begins};
}

static __device__ void evaluate_rows(const NsLayout& m, const EvaluateArguments& a, scalar* near,
                                     u32* begins) {
  const NsIndices indices = prepare_lists(m, a.indices, begins);
  const size_t far_size = size_t(m.row_size - m.near_size) * NS_ROWS;
  scalar* far = a.scratch + blockIdx.x * far_size;
  const NsRow rows = rows_of_block(m, near, m.near_size, far);
  clear(near, size_t(m.near_size) * NS_ROWS);
  clear(far, far_size);
  UNROLLED(1) for (u32 first = blockIdx.x * NS_ROWS; first < a.rows; first += gridDim.x * NS_ROWS) {
    __syncthreads();
    // Without gradients nothing else clears the counter of the forward lists.
    if (threadIdx.x == 0) NS_DRAWN(0) = 0;
    UNROLLED(1) for (u32 r = 0; r < NS_ROWS; ++r) {
      const u32 number = first + r < a.rows ? first + r : a.rows - 1;
      const NsRow row = ns_one(rows, r);
      ns_load_data(&m, row, a.data + size_t(a.data_of_row[number]) * m.n_data);
      ns_load_point(&m, row, a.parameters + size_t(number) * m.n_parameters);
    }
    __syncthreads();
    ns_evaluate_row(&m, a.reals, indices, rows, a.wanted & 1u);
    __syncthreads();
    UNROLLED(1) for (u32 r = 0; r < NS_ROWS && first + r < a.rows; ++r) {
      const size_t number = first + r;
      ns_unload_evaluation(&m, ns_one(rows, r), a.wanted, a.nll + number,
                           a.gradient + number * m.n_parameters, a.rates + number * m.n_bins,
                           a.terms + number * m.term_slices * 8u);
    }
  }
}

// Rows change places rarely. Within the code of a sweep these two would take registers from its phases.
static __device__ __noinline__ void unload_row(const NsSolver& v, const MinimizeArguments& a,
                                               const NsRow& row, size_t number) {
  ns_unload_row(&v, row, a.points + number * v.n, a.figures + number * NS_F_SIZE);
}
static __device__ __noinline__ void load_row(const NsLayout& m, const NsSolver& v, const MinimizeArguments& a,
                                             const NsRow& model_row, const NsRow& row, size_t number) {
  const u32* which = a.rows + number * 4;
  const scalar* start = a.starts + size_t(which[1]) * v.n;
  ns_load_data(&m, model_row, a.data + size_t(which[0]) * m.n_data);
  ns_load_point(&m, model_row, start);
  ns_load_row(&v, row, start, a.bounds + size_t(which[2]) * 2u * v.n, a.held + size_t(which[2]) * 4);
}

// Far values of a block.
static __device__ __forceinline__ size_t far_reals(const NsLayout& m, const NsSolver& v) {
  return size_t(m.row_size - m.near_size + v.row_size - v.near_size) * NS_ROWS;
}

// Which row stands in each place, and what becomes of it.
struct Places {
  u32 row[NS_ROWS];    // its number; none: NS_NONE
  u32 left[NS_ROWS];   // the row that ended here and is to be handed over
  u32 since[NS_ROWS];  // the sweep that it began with
};
static_assert(sizeof(Places) + 8 <= NS_PLACES_BYTES, "places have room before the near values");

// Whether a row stands in a place and goes on there.
static __device__ __forceinline__ bool goes_on(const NsSolver& v, const NsStop& stop, const NsRow& rows,
                                               const Places& places, u32 r, u32 sweep) {
  return places.row[r] != NS_NONE && *ns_control(&v, ns_one(rows, r), NS_C_STATUS) == scalar(NS_RUNNING) &&
         sweep - places.since[r] < stop.sweeps_per_call;
}

// Rows that ended are noted and the next ones drawn, a thread per place. A place that got none stays empty.
static __device__ __forceinline__ void change_places(const NsSolver& v, const NsStop& stop,
                                                     const MinimizeArguments& a, const NsRow& rows,
                                                     Places& places, u32 sweep) {
  const u32 r = threadIdx.x;
  if (r >= NS_ROWS) return;
  places.left[r] = NS_NONE;
  if (goes_on(v, stop, rows, places, r, sweep)) return;
  places.left[r] = places.row[r];
  const u32 next = places.row[r] == NS_NONE && sweep > 0 ? a.count : atomicAdd(a.next, 1u);
  places.row[r] = next < a.count ? next : NS_NONE;
  places.since[r] = sweep;
}

static __device__ void minimize_rows(const NsLayout& m, const NsSolver& v, const NsStop& stop,
                                     const MinimizeArguments& a, scalar* near, scalar* far, u32* begins) {
  const size_t far_size = far_reals(m, v);
  Places& places = *reinterpret_cast<Places*>(near_memory);
  const NsRow model_rows = rows_of_block(m, near, a.near_size, far);
  const NsRow rows = {near, far + (size_t(m.row_size - m.near_size) - v.near_size) * NS_ROWS,
                      a.near_size * 2u};
  NsRowWork work = {&m, &v, &stop, a.reals, prepare_lists(m, a.indices, begins), a.metric, model_rows, rows};
  clear(near, size_t(a.near_size) * NS_ROWS);
  clear(far, far_size);
  if (threadIdx.x < NS_ROWS) places.row[threadIdx.x] = NS_NONE;
  __syncthreads();
  for (u32 sweep = 0;; ++sweep) {
    bool ended = sweep == 0;
    UNROLLED(1)
    for (u32 r = 0; r < NS_ROWS; ++r)
      ended = ended || (places.row[r] != NS_NONE && !goes_on(v, stop, rows, places, r, sweep));
    if (ended) {
      ns_barrier();
      change_places(v, stop, a, rows, places, sweep);
      ns_barrier();
      bool any = false;
      UNROLLED(1) for (u32 r = 0; r < NS_ROWS; ++r) {
        const NsRow row = ns_one(rows, r);
        if (places.left[r] != NS_NONE) unload_row(v, a, row, places.left[r]);
        if (places.row[r] == NS_NONE && threadIdx.x == 0) *ns_control(&v, row, NS_C_STATUS) = NS_CONVERGED;
        any = any || places.row[r] != NS_NONE;
      }
      if (!any) return;
      ns_barrier();
      UNROLLED(1) for (u32 r = 0; r < NS_ROWS; ++r) {
        if (threadIdx.x == 0) *ns_control(&v, ns_one(rows, r), NS_C_BEGINS) = 0;
        if (places.row[r] != NS_NONE && places.since[r] == sweep)
          load_row(m, v, a, ns_one(model_rows, r), ns_one(rows, r), places.row[r]);
      }
      ns_barrier();
      ns_make_held_columns(&work);
    }
    ns_sweep(&work);
  }
}

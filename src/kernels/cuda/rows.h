// The rows of a block, and what its threads find out together. Included by block.h, once per number of rows.
//
// Near values stand in shared memory, two rows side by side ([pair of rows][position][2], so that
// neighboring threads touch neighboring banks); far ones in device memory, [position][row].

// The model's indices, and a nearer copy of their first ones: where the lists of each slice begin.
struct NsIndices {
  const u32* table;
  const u32* begins;
};

struct NsRow {
  scalar* near;
  scalar* far;  // of position 0, were it far: positions count from the start of the row
  u32 half;     // from one pair of rows to the next
};

static __device__ __forceinline__ real load_near(const NsRow& row, u32 i) {
  real x;
#if NS_ROWS == 1
  x.v[0] = row.near[i];
#else
#pragma unroll
  for (int pair = 0; pair < NS_ROWS / 2; ++pair) {
    const scalar_pair two = *reinterpret_cast<const scalar_pair*>(row.near + pair * row.half + i * 2);
    x.v[pair * 2] = two.x;
    x.v[pair * 2 + 1] = two.y;
  }
#endif
  return x;
}
static __device__ __forceinline__ void store_near(const NsRow& row, u32 i, const real& x) {
#if NS_ROWS == 1
  row.near[i] = x.v[0];
#else
#pragma unroll
  for (int pair = 0; pair < NS_ROWS / 2; ++pair)
    *reinterpret_cast<scalar_pair*>(row.near + pair * row.half + i * 2) = {x.v[pair * 2], x.v[pair * 2 + 1]};
#endif
}
static __device__ __forceinline__ real load_far(const NsRow& row, u32 i) {
  real x;
#if NS_ROWS == 1
  x.v[0] = row.far[i];
#else
#pragma unroll
  for (int pair = 0; pair < NS_ROWS / 2; ++pair) {
    const scalar_pair two = *reinterpret_cast<const scalar_pair*>(row.far + size_t(i) * NS_ROWS + pair * 2);
    x.v[pair * 2] = two.x;
    x.v[pair * 2 + 1] = two.y;
  }
#endif
  return x;
}
static __device__ __forceinline__ void store_far(const NsRow& row, u32 i, const real& x) {
#if NS_ROWS == 1
  row.far[i] = x.v[0];
#else
#pragma unroll
  for (int pair = 0; pair < NS_ROWS / 2; ++pair)
    *reinterpret_cast<scalar_pair*>(row.far + size_t(i) * NS_ROWS + pair * 2) = {x.v[pair * 2],
                                                                                 x.v[pair * 2 + 1]};
#endif
}
// One of the rows: its values stand NS_STRIDE apart near, NS_ROWS apart far.
static __device__ __forceinline__ NsRow ns_one(const NsRow& row, u32 r) {
  return {row.near + r / 2 * row.half + r % 2, row.far + r, 0};
}

// --- tables and rows, as dialect.md lists them -------------------------------------------------------------

FN void ns_barrier() {
#ifdef NS_BARRIER  // a build that measures them
  NS_BARRIER;
#else
  __syncthreads();
#endif
}

FN real ns_table(const scalar* reals, offset at) { return splat<NS_ROWS>(__ldg(reals + at)); }
FN index ns_index(const NsIndices& indices, offset at) { return __ldg(indices.table + at); }
FN offset ns_list_begin(const NsIndices& indices, const NsList* list, u32 place) {
  return indices.begins[list->begin + place / 8u];
}
// The same for all lanes: threads of a warp stay together, and padding has no effect.
FN offset ns_list_size(const NsIndices& indices, const NsList* list, u32 place) {
  return indices.begins[list->begin + place / 8u + 1u] - indices.begins[list->begin + place / 8u];
}
FN real ns_at(const NsRow& row, index i) { return load_near(row, i); }
FN real ns_same(const NsRow& row, u32 i) { return load_near(row, i); }
FN real ns_get(const NsRow& row, offset at) { return load_near(row, at); }
FN void ns_put(const NsRow& row, offset at, const real& x) { store_near(row, at, x); }
FN real ns_far_at(const NsRow& row, index i) { return load_far(row, i); }
FN real ns_far_get(const NsRow& row, offset at) { return load_far(row, at); }
FN void ns_far_put(const NsRow& row, offset at, const real& x) { store_far(row, at, x); }
FN void ns_far_update(const NsRow& row, u32 flag, offset at, const real& x) {
  store_far(row, at, NS_ROWS == 1 ? x : select(load_near(row, flag) > R(0.0), x, load_far(row, at)));
}
// Of the four threads that share a list, one.
FN bool ns_keeps_list() { return NS_PART == 0; }
FN scalar* ns_scalar(const NsRow& row, offset at) { return row.near + at * NS_STRIDE; }
FN scalar* ns_far_scalar(const NsRow& row, offset at) { return row.far + size_t(at) * NS_ROWS; }

// --- what the threads of a warp and of a block find out together -------------------------------------------

// The next slice of a counter, the same for all threads of a warp, and this thread's owner in it.
static __device__ __forceinline__ u32 next_drawn(u32 which) {
  u32 number = 0;
  if (threadIdx.x % 32u == 0) number = atomicAdd(&NS_DRAWN(which), 1u);
  return __shfl_sync(0xffffffffu, number, 0) * 8u + threadIdx.x % 8u;
}
// One counter is cleared while the other is in use.
static __device__ __forceinline__ u32 ns_first_drawn(u32 which) {
  if (threadIdx.x == 0) NS_DRAWN(1 - which) = 0;
  return next_drawn(which);
}

static __device__ __forceinline__ u32 ns_any_beyond(const NsLayout* m, const NsRow& row) {
  ns_barrier();
  int seen = 0;
  FOR_ITEMS (i, m->norm_of_parameter.slices * 8u) {
    const real excess = load_near(row, m->norm_excess + i);
#pragma unroll
    for (int r = 0; r < NS_ROWS; ++r) seen |= excess.v[r] != 0;
  }
  return __syncthreads_or(seen);
}

// A thread has one pair of the history: coefficients go from thread to thread.
enum { NS_AGES = 1 };
FN u32 ns_ages(u32) { return NS_HISTORY; }
// Threads beyond the rows have no pair: an age that no pair has.
FN u32 ns_age(u32) {
  return threadIdx.x % NS_HISTORY + (threadIdx.x < NS_HISTORY * NS_ROWS ? 0 : NS_HISTORY);
}
FN scalar ns_of_age(const scalar* values, u32 age) {
  return __shfl_sync(0xffffffffu, values[0], int(threadIdx.x / NS_HISTORY % NS_ROWS * NS_HISTORY + age));
}

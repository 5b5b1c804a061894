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

// A place in a row: what a thread reads from a table, and what is the same for all.
struct index {
  u32 at, plus;
};
static __device__ __forceinline__ index operator+(const index& i, u32 more) { return {i.at, i.plus + more}; }

// A slot of a list: `ahead` is known when the code is compiled.
struct NsSlot {
  u32 first, ahead;
};

static __device__ __forceinline__ scalar of_row(const real& x, u32 r) {
  return r == 0 ? x.v[0] : x.v[NS_ROWS - 1];
}

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
// Far positions are bytes of 32 bits behind a common address.
static __device__ __forceinline__ scalar* far_place(const NsRow& row, u32 i) {
  return reinterpret_cast<scalar*>(reinterpret_cast<char*>(row.far) + i * u32(NS_ROWS * sizeof(scalar)));
}
static __device__ __forceinline__ real load_far(const NsRow& row, u32 i) {
  real x;
#if NS_ROWS == 1
  x.v[0] = *far_place(row, i);
#else
  const scalar_pair two = *reinterpret_cast<const scalar_pair*>(far_place(row, i));
  x.v[0] = two.x;
  x.v[1] = two.y;
#endif
  return x;
}
static __device__ __forceinline__ void store_far(const NsRow& row, u32 i, const real& x) {
#if NS_ROWS == 1
  *far_place(row, i) = x.v[0];
#else
  *reinterpret_cast<scalar_pair*>(far_place(row, i)) = {x.v[0], x.v[1]};
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

FN void ns_warp_barrier() { __syncwarp(); }

FN real ns_table(const scalar* reals, offset at) { return splat<NS_ROWS>(__ldg(reals + at)); }
FN index ns_index(const NsIndices& indices, offset at) { return {__ldg(indices.table + at), 0}; }
FN offset ns_list_begin(const NsIndices& indices, const NsList* list, u32 place) {
  return indices.begins[list->begin + place / 8u];
}
// The same for all lanes: threads of a warp stay together, and padding has no effect.
FN offset ns_list_size(const NsIndices& indices, const NsList* list, u32 place) {
  return indices.begins[list->begin + place / 8u + 1u] - indices.begins[list->begin + place / 8u];
}
FN real ns_at(const NsRow& row, const index& i) {
  const NsRow from = {row.near + size_t(i.plus) * NS_STRIDE, row.far, row.half};
  return load_near(from, i.at);
}
FN real ns_same(const NsRow& row, u32 i) { return load_near(row, i); }
FN real ns_get(const NsRow& row, offset at) { return load_near(row, at); }
FN void ns_put(const NsRow& row, offset at, const real& x) { store_near(row, at, x); }
FN real ns_far_at(const NsRow& row, const index& i) { return load_far(row, i.at + i.plus); }
FN real ns_far_get(const NsRow& row, offset at) { return load_far(row, at); }
FN void ns_far_put(const NsRow& row, offset at, const real& x) { store_far(row, at, x); }
FN void ns_far_update(const NsRow& row, u32 flag, offset at, const real& x) {
  store_far(row, at, NS_ROWS == 1 ? x : select(load_near(row, flag) > R(0.0), x, load_far(row, at)));
}
// The four parts of a list, joined: (0 with 1) with (2 with 3). Of two rows, the first thread keeps the first and the second one
// the second, so that half of the exchanges do.
#define NS_PARTS(name, join)                                                       \
  static __device__ __forceinline__ real name(const real& part) {                  \
    const bool second = NS_ROWS > 1 && NS_PART % 2u == 1;                          \
    const scalar mine = second ? part.v[NS_ROWS - 1] : part.v[0];                  \
    const scalar given = NS_ROWS == 1 || second ? part.v[0] : part.v[NS_ROWS - 1]; \
    scalar x = mine join __shfl_xor_sync(0xffffffffu, given, 8);                   \
    x = x join __shfl_xor_sync(0xffffffffu, x, 16);                                \
    return splat<NS_ROWS>(x);                                                      \
  }
NS_PARTS(sum_of_parts, +)
NS_PARTS(product_of_parts, *)
#undef NS_PARTS

// What a list gives: of the four threads that share it, the first has it for the first row, the second for the second one.
FN void ns_keep(const NsRow& row, offset at, const real& x) {
  if (NS_PART < NS_ROWS) row.near[at * NS_STRIDE + NS_PART] = of_row(x, NS_PART);
}
FN void ns_keep_times(const NsRow& row, offset at, const real& x) {
  if (NS_PART < NS_ROWS) row.near[at * NS_STRIDE + NS_PART] *= of_row(x, NS_PART);
}
FN void ns_far_keep(const NsRow& row, offset at, const real& x) {
  if (NS_PART < NS_ROWS) far_place(row, at)[NS_PART] = of_row(x, NS_PART);
}
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

// A thread has one pair of the history: coefficients go from thread to thread.
enum { NS_AGES = 1 };
FN u32 ns_ages(u32 pairs) {
  if (NS_ROWS == 1) return pairs;
  const u32 other = __shfl_xor_sync(0xffffffffu, pairs, NS_HISTORY);
  return pairs > other ? pairs : other;
}
// Threads beyond the rows have no pair: an age that no pair has.
FN u32 ns_age(u32) {
  return threadIdx.x % NS_HISTORY + (threadIdx.x % 32u < NS_HISTORY * NS_ROWS ? 0 : NS_HISTORY);
}
FN scalar ns_of_age(const scalar* values, u32 age) {
  return __shfl_sync(0xffffffffu, values[0], int(threadIdx.x / NS_HISTORY % NS_ROWS * NS_HISTORY + age));
}

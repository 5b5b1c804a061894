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
static __device__ __forceinline__ NsRow row_alone(const NsRow& row, u32 r) {
  return {row.near + r / 2 * row.half + r % 2, row.far + r, 0};
}

// The total of 32 partial sums, one per thread of a warp: the tree of ns_fold_phase and ns_folded.
static __device__ __forceinline__ real warp_total(real x) {
  UNROLLED(1) for (int mask = 16; mask > 0; mask /= 2) x = x + from_neighbor(x, mask);
  return x;
}
static __device__ __forceinline__ real warp_largest(real x) {
  UNROLLED(1) for (int mask = 16; mask > 0; mask /= 2) {
    const real y = from_neighbor(x, mask);
    x = select(y > x, y, x);
  }
  return x;
}
// The next number of a counter, the same for all threads of a warp.
static __device__ __forceinline__ u32 draw_slice(u32* counter) {
  u32 number = 0;
  if (threadIdx.x % 32u == 0) number = atomicAdd(counter, 1u);
  return __shfl_sync(0xffffffffu, number, 0);
}

static __device__ __forceinline__ u32 any_beyond(const NsLayout* m, const NsRow& row) {
  __syncthreads();
  int seen = 0;
  UNROLLED(1) for (u32 i = threadIdx.x; i < m->norm_of_parameter.slices * 8u; i += blockDim.x) {
    const real excess = load_near(row, m->norm_excess + i);
#pragma unroll
    for (int r = 0; r < NS_ROWS; ++r) seen |= excess.v[r] != 0;
  }
  return __syncthreads_or(seen);
}
static __device__ __forceinline__ bool any_row(const NsRow& row, u32 place) {
  __syncthreads();
  bool any = false;
#pragma unroll
  for (u32 r = 0; r < NS_ROWS; ++r) any = any || SCALAR_AT(row_alone(row, r), place) > 0;
  return any;
}
static __device__ __forceinline__ u32 most_of(const NsRow& row, u32 place) {
  __syncthreads();
  scalar most = 0;
#pragma unroll
  for (u32 r = 0; r < NS_ROWS; ++r) {
    const scalar x = SCALAR_AT(row_alone(row, r), place);
    most = x > most ? x : most;
  }
  return u32(most);
}
// Moves every pair of one row's history, and its products, to the next slot.
static __device__ void turn_history(const NsSolver* v, const NsRow& row) {
  const u32 width = v->slices * 8u;
  UNROLLED(1) for (u32 i = threadIdx.x; i < v->n * 2u; i += blockDim.x) {
    const u32 base = i < v->n ? v->steps + i : v->preconditioned_changes + i - v->n;
    const scalar last = FAR_SCALAR_AT(row, base + (NS_HISTORY - 1) * width);
    UNROLLED(1)
    for (u32 slot = NS_HISTORY - 1; slot > 0; --slot)
      FAR_SCALAR_AT(row, base + slot * width) = FAR_SCALAR_AT(row, base + (slot - 1) * width);
    FAR_SCALAR_AT(row, base) = last;
  }
  // One warp holds both tables, two entries of each per thread.
  if (NS_WARP == 0) {
    scalar held[4];
    for (u32 k = 0; k < 4; ++k)
      held[k] = SCALAR_AT(row, (k < 2 ? v->gram_sy : v->gram_yp) + threadIdx.x + k % 2 * 32u);
    __syncwarp();
    for (u32 k = 0; k < 4; ++k) {
      const u32 entry = threadIdx.x + k % 2 * 32u, i = entry / NS_HISTORY, j = entry % NS_HISTORY;
      SCALAR_AT(row, (k < 2 ? v->gram_sy : v->gram_yp) + (i + 1) % NS_HISTORY * NS_HISTORY +
                         (j + 1) % NS_HISTORY) = held[k];
    }
  }
}

// Rows that do not move while others do: their newest pair goes to the slot that the others fill now.
static __device__ __forceinline__ void keep_pace(const NsSolver* v, const NsRow& rows) {
  __syncthreads();
  UNROLLED(1) for (u32 r = 0; r < NS_ROWS; ++r) {
    const NsRow row = row_alone(rows, r);
    if (SCALAR_AT(row, v->control + NS_C_MOVES) > 0 ||
        SCALAR_AT(row, v->control + NS_C_STATUS) != scalar(NS_RUNNING))
      continue;
    if (SCALAR_AT(row, v->control + NS_C_PAIRS) > 0) turn_history(v, row);
  }
}

static __device__ __forceinline__ scalar from_thread(scalar x, u32 thread) {
  return __shfl_sync(0xffffffffu, x, int(thread));
}

// ns_direction_coefficients by one warp: thread k + 8 r works on the pair of age k of row r, and every step
// hands one coefficient to the others.
static __device__ __forceinline__ void direction_coefficients(const NsSolver* v, const NsRow& rows) {
  __syncthreads();
  if (NS_WARP != 0) return;
  const u32 k = threadIdx.x % NS_HISTORY, r = threadIdx.x / NS_HISTORY % NS_ROWS, first = r * NS_HISTORY;
  const bool writes = threadIdx.x < NS_HISTORY * NS_ROWS;
  const NsRow row = row_alone(rows, r);
  const bool moves = SCALAR_AT(row, v->control + NS_C_MOVES) > 0;
  const u32 pairs = u32(SCALAR_AT(row, v->control + NS_C_PAIRS));
  const u32 newest = u32(SCALAR_AT(row, v->control + NS_C_NEWEST)),
            i = (newest + NS_HISTORY - k) % NS_HISTORY;
  const scalar curvature = SCALAR_AT(row, v->gram_sy + i * NS_HISTORY + i);
  scalar alpha = 0, beta = 0;
  scalar sum = SCALAR_AT(row, v->dots + i * 4);
  UNROLLED(1) for (u32 l = 0; l < NS_HISTORY; ++l) {
    const scalar mine = sum / curvature;
    alpha = k == l ? mine : alpha;
    const scalar theirs = from_thread(mine, first + l);
    const u32 j = (newest + NS_HISTORY - l) % NS_HISTORY;
    const scalar next = sum - theirs * SCALAR_AT(row, v->gram_sy + i * NS_HISTORY + j);
    sum = l < k ? next : sum;
  }
  sum = SCALAR_AT(row, v->dots + i * 4 + 1);
  UNROLLED(1) for (u32 l = 0; l < NS_HISTORY; ++l) {
    const u32 j = (newest + NS_HISTORY - l) % NS_HISTORY;
    const scalar theirs = from_thread(alpha, first + l);
    const scalar next = sum - theirs * SCALAR_AT(row, v->gram_yp + i * NS_HISTORY + j);
    sum = l < pairs ? next : sum;
  }
  UNROLLED(1) for (u32 l = NS_HISTORY; l-- > 0;) {
    const scalar mine = sum / curvature;
    beta = k == l ? mine : beta;
    const u32 j = (newest + NS_HISTORY - l) % NS_HISTORY;
    const scalar theirs = from_thread(alpha, first + l) - from_thread(mine, first + l);
    const scalar next = sum + theirs * SCALAR_AT(row, v->gram_sy + j * NS_HISTORY + i);
    sum = l < pairs && k < l ? next : sum;
  }
  if (!writes || !moves) return;
  if (k < pairs) {
    SCALAR_AT(row, v->alpha + k) = alpha;
    SCALAR_AT(row, v->beta + k) = beta;
  }
  SCALAR_AT(row, v->used + k) = k < pairs ? 1 : 0;
}

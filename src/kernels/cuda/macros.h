// The macros of the dialect (dialect.md) where the threads of a block share the work on NS_ROWS rows, one row
// per lane of a real. The functions they call stand in rows.h.
#pragma once

#define NS_OWN_LOOPS

#define R(x) (splat<NS_ROWS>(static_cast<scalar>(x)))
#define U(x) (splat_bits<NS_ROWS>(static_cast<scalar_bits>(x)))
#define SELECT(condition, yes, no) select(condition, yes, no)
#define AS_BITS(x) bits_of(x)
#define FROM_BITS(u) from_bits(u)

// The code of a kernel has to fit its cache: bodies are copied only where several loads have to be in flight.
#define NS_PRAGMA(text) _Pragma(#text)
#define UNROLLED(copies) NS_PRAGMA(unroll copies)

// From one position of a row to the next, near.
#define NS_STRIDE (NS_ROWS == 1 ? 1 : 2)
#define TABLE_REAL(p, base, slot) (splat<NS_ROWS>(__ldg((p) + (base) + (slot)*8 + lane)))
#define TABLE_INDEX(p, base, slot) (__ldg((p).table + (base) + (slot)*8 + lane))
// Pairs stand side by side (gpu/device_model.h): one load for both, half as many lines of the cache.
#define TABLE_PAIR(first, second, p, base, k)                                    \
  const scalar_pair first##_pair =                                               \
      __ldg(reinterpret_cast<const scalar_pair*>((p) + (base)) + (k)*8u + lane); \
  const real first = splat<NS_ROWS>(first##_pair.x), second = splat<NS_ROWS>(first##_pair.y)
#define LIST_BEGIN(p, list, slice) ((p).begins[(list).begin + (slice)])
// The same for all lanes: threads of a warp stay together, and padding has no effect.
#define TRIPS(p, list, slice) (LIST_BEGIN(p, list, (slice) + 1) - LIST_BEGIN(p, list, slice))
#define SAME_INDEX(i) (i)
#define SCALAR_AT(p, i) ((p).near[(i)*NS_STRIDE])
#define FAR_SCALAR_AT(p, i) ((p).far[size_t(i) * NS_ROWS])
#define ROW_AT(p, i) load_near(p, i)
#define ROW_SLOT(p, base, slot) load_near(p, (base) + (slot)*8 + lane)
#define ROW_STORE(p, base, slot, v) store_near(p, (base) + (slot)*8 + lane, v)
#define FAR_AT(p, i) load_far(p, i)
#define FAR_SLOT(p, base, slot) load_far(p, (base) + (slot)*8 + lane)
#define FAR_STORE(p, base, slot, v) store_far(p, (base) + (slot)*8 + lane, v)
#define FAR_UPDATE(p, flag, base, slot, v) \
  FAR_STORE(p, base, slot,                 \
            (NS_ROWS == 1 ? (v) : select(ROW_AT(p, flag) > R(0.0), v, FAR_SLOT(p, base, slot))))

// Counters of LISTS_BEGIN, after the places of rows.
#define NS_DRAWN(which) (reinterpret_cast<u32*>(near_memory)[NS_PLACES_BYTES / 4 - 2 + (which)])

// Between phases. A build that measures them has its own.
#ifndef NS_BARRIER
#define NS_BARRIER __syncthreads()
#endif

#define NS_WARP (threadIdx.x / 32u)
#define NS_WARPS (blockDim.x / 32u)
#define NS_PART (threadIdx.x / 8u % 4u)

#define ALSO(slices, statement)                                                         \
  UNROLLED(1) for (u32 owner = threadIdx.x; owner < (slices)*8u; owner += blockDim.x) { \
    const u32 slice = owner / 8u, lane = owner % 8u;                                    \
    statement;                                                                          \
  }
#define OWNERS(slices, statement) \
  {                               \
    NS_BARRIER;                   \
    ALSO(slices, statement)       \
  }
// A warp shares the lists of 8 owners: part k of each owner's list is that of thread k * 8 + owner.
#define LISTS(slices, statement)                                                 \
  {                                                                              \
    NS_BARRIER;                                                                  \
    UNROLLED(1) for (u32 slice = NS_WARP; slice < (slices); slice += NS_WARPS) { \
      const u32 lane = threadIdx.x % 8u;                                         \
      statement;                                                                 \
    }                                                                            \
  }
// Warps draw slices from a counter, so that none waits while another has a long list and more to come. One
// counter is cleared while the other is in use.
#define LISTS_BEGIN(which)                           \
  {                                                  \
    NS_BARRIER;                                      \
    if (threadIdx.x == 0) NS_DRAWN(1 - (which)) = 0; \
    const u32 lane = threadIdx.x % 8u;               \
    for (;;) {                                       \
      u32 slice = draw_slice(&NS_DRAWN(which))
#define LIST_OF(slices, statement) \
  if (slice < (slices)) {          \
    statement;                     \
    continue;                      \
  }                                \
  slice -= (slices)
#define LISTS_END \
  break;          \
  }               \
  }
#define LIST_STORE(row, base, slot, v) \
  if (NS_PART == 0) ROW_STORE(row, base, slot, v)
#define LIST_STORE_FAR(row, base, slot, v) \
  if (NS_PART == 0) FAR_STORE(row, base, slot, v)
// Some entries at a time: their loads do not wait for each other. The last ones may be none. No more copies
// of the term than that: the code of a kernel has to fit its cache too.
#define FOUR_PARTS(result, begin, end, ahead, none, join, term)                              \
  {                                                                                          \
    real part = R(none);                                                                     \
    const offset last = (end);                                                               \
    UNROLLED(1) for (offset first = (begin) + NS_PART; first < last; first += 4 * (ahead)) { \
      _Pragma("unroll") for (offset n = 0; n < (ahead); ++n) {                               \
        const bool is_there = first + n * 4 < last;                                          \
        const offset slot = is_there ? first + n * 4 : first;                                \
        const real next = part join(term);                                                   \
        part = is_there ? next : part;                                                       \
      }                                                                                      \
    }                                                                                        \
    part = part join from_neighbor(part, 8);                                                 \
    result = part join from_neighbor(part, 16);                                              \
  }
#define SUM_OVER(sum, begin, end, ahead, term) FOUR_PARTS(sum, begin, end, ahead, 0.0, +, term)
#define PRODUCT_OVER(product, begin, end, ahead, term) FOUR_PARTS(product, begin, end, ahead, 1.0, *, term)
#define QUARTERS(sum, count, term)                                          \
  {                                                                         \
    real part = R(0.0);                                                     \
    const offset size = ((count) + 3u) / 4u, first = size * NS_PART;        \
    const offset last = first + size < (count) ? first + size : (count);    \
    UNROLLED(8) for (offset i = first; i < last; ++i) part = part + (term); \
    part = part + from_neighbor(part, 8);                                   \
    sum = part + from_neighbor(part, 16);                                   \
  }

#define NS_STORE_FOUR(count, n, to, field)                          \
  if ((count) > (n)) {                                              \
    const real total = warp_total(four.field);                      \
    if (threadIdx.x % 32u == 0) store_near(row, (to) + (n), total); \
  }
#define TOTALS(many, k, count, to, sums)                           \
  {                                                                \
    NS_BARRIER;                                                    \
    UNROLLED(1) for (u32 k = NS_WARP; k < (many); k += NS_WARPS) { \
      const u32 slice = NS_PART, lane = threadIdx.x % 8u;          \
      const NsFour four = sums;                                    \
      NS_STORE_FOUR(count, 0, to, a)                               \
      NS_STORE_FOUR(count, 1, to, b)                               \
      NS_STORE_FOUR(count, 2, to, c)                               \
      NS_STORE_FOUR(count, 3, to, d)                               \
    }                                                              \
  }
#define LARGEST(to, part)                                     \
  if (NS_WARP == NS_WARPS - 1) {                              \
    const u32 slice = NS_PART, lane = threadIdx.x % 8u;       \
    const real largest = warp_largest(part);                  \
    if (threadIdx.x % 32u == 0) store_near(row, to, largest); \
  }
#define STORE_TOTAL(row, i, v)                   \
  {                                              \
    NS_BARRIER;                                  \
    if (threadIdx.x == 0) store_near(row, i, v); \
  }

#define ANY_BEYOND(m, row) any_beyond(m, row)

// Decisions: a thread per row.
#define EACH_ROW(decision)     \
  {                            \
    NS_BARRIER;                \
    const u32 r = threadIdx.x; \
    if (r < NS_ROWS) {         \
      decision;                \
    }                          \
  }
#define ONE(p) row_alone(p, r)
#define ANY_ROW(row, place) any_row(row, place)
#define MOST_OF(row, place) most_of(row, place)
#define COEFFICIENTS(v, row) direction_coefficients(v, row)
#define KEEP_PACE(v, row) \
  if (NS_ROWS > 1) keep_pace(v, row)

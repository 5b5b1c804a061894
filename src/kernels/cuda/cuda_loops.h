// The macros of the dialect (dialect.md) where the threads of a block share the work on NS_ROWS rows, one row
// per lane of a real. The functions stand in rows.h.
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

// Counters of FOR_DRAWN, after the places of rows.
#define NS_DRAWN(which) (reinterpret_cast<u32*>(near_memory)[NS_PLACES_BYTES / 4 - 2 + (which)])

#define NS_WARP (threadIdx.x / 32u)
#define NS_WARPS (blockDim.x / 32u)
#define NS_PART (threadIdx.x / 8u % 4u)

#define FOR_OWNERS(place, slices) FOR_ITEMS (place, (slices)*8u)
#define FOR_ITEMS(i, count) UNROLLED(1) for (u32 i = threadIdx.x; i < (count); i += blockDim.x)
// A warp shares the lists of 8 owners: part k of each owner's list is that of thread k * 8 + owner.
#define FOR_LISTS(place, slices) \
  UNROLLED(1)                    \
  for (u32 place = NS_WARP * 8u + threadIdx.x % 8u; place < (slices)*8u; place += NS_WARPS * 8u)
// Warps draw slices from a counter, so that none waits while another has a long list and more to come.
#define FOR_DRAWN(place, counter, end) UNROLLED(1) for (; place < (end); place = next_drawn(counter))
#define FOR_SUMS(k, many) UNROLLED(1) for (u32 k = NS_WARP; k < (many); k += NS_WARPS)
// A thread has one of the 32 parts.
#define FOR_PARTS(part) for (u32 part = threadIdx.x % 32u; part < 32u; part += 32u)
// Decisions: a thread per row.
#define FOR_ROWS(r) for (u32 r = threadIdx.x; r < NS_ROWS; r += NS_ROWS)
// Thread k + 8 r of the first warp has the pair of age k of row r.
#define FOR_ROWS_BY_AGE(r) \
  for (u32 r = NS_WARP == 0 ? threadIdx.x / NS_HISTORY % NS_ROWS : NS_ROWS; r < NS_ROWS; r += NS_ROWS)

// Some entries at a time: their loads do not wait for each other. The last ones may be none. No more copies
// of the term than that: the code of a kernel has to fit its cache too.
#define NS_FOUR_PARTS(result, slot, begin, end, ahead, none, join, term)                     \
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
#define SUM_OVER(sum, slot, begin, end, ahead, term) NS_FOUR_PARTS(sum, slot, begin, end, ahead, 0.0, +, term)
#define PRODUCT_OVER(product, slot, begin, end, ahead, term) \
  NS_FOUR_PARTS(product, slot, begin, end, ahead, 1.0, *, term)
#define QUARTERS(sum, i, count, term)                                       \
  {                                                                         \
    real part = R(0.0);                                                     \
    const offset size = ((count) + 3u) / 4u, first = size * NS_PART;        \
    const offset last = first + size < (count) ? first + size : (count);    \
    UNROLLED(8) for (offset i = first; i < last; ++i) part = part + (term); \
    part = part + from_neighbor(part, 8);                                   \
    sum = part + from_neighbor(part, 16);                                   \
  }

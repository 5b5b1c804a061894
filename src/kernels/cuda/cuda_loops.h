// The macros of the dialect (dialect.md) where the threads of a block share the work on NS_ROWS rows, one row
// per lane of a real. The functions stand in rows.h.
#pragma once

#define NS_OWN_LOOPS

#define R(x) (splat<NS_ROWS>(static_cast<scalar>(x)))
#define U(x) (splat_bits<NS_ROWS>(static_cast<scalar_bits>(x)))
#define SELECT(condition, yes, no) select(condition, yes, no)
#define AS_BITS(x) bits_of(x)
#define FROM_BITS(u) from_bits(u)

#define NS_EACH_ROW _Pragma("unroll") for (u32 r = 0; r < NS_ROWS; ++r)

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
// Warps counted from the last: owners begin with the first warps, what few threads do with the last.
#define NS_WARPS_BEHIND (NS_WARPS - 1u - NS_WARP)

#define FOR_OWNERS(place, slices) FOR_ITEMS (place, (slices)*8u)
#define FOR_OWNERS_FROM_LAST(place, slices) \
  UNROLLED(1) for (u32 place = blockDim.x - 1u - threadIdx.x; place < (slices)*8u; place += blockDim.x)
#define FOR_ITEMS(i, count) UNROLLED(1) for (u32 i = threadIdx.x; i < (count); i += blockDim.x)
// A warp shares the lists of 8 owners: part k of each owner's list is that of thread k * 8 + owner.
#define FOR_LISTS(place, slices) \
  UNROLLED(1)                    \
  for (u32 place = NS_WARP * 8u + threadIdx.x % 8u; place < (slices)*8u; place += NS_WARPS * 8u)
// Warps draw slices from a counter, so that none waits while another has a long list and more to come.
#define FOR_DRAWN(place, counter, end) UNROLLED(1) for (; place < (end); place = next_drawn(counter))
#define FOR_SUMS(k, many) UNROLLED(1) for (u32 k = NS_WARPS_BEHIND; k < (many); k += NS_WARPS)
// A thread has one of the 32 parts.
#define FOR_PARTS(part) for (u32 part = threadIdx.x % 32u; part < 32u; part += 32u)
// Decisions: a thread per row, of the warp that has the first sum.
#define FOR_ROWS(r) \
  for (u32 r = NS_WARPS_BEHIND == 0 ? threadIdx.x % 32u : NS_ROWS; r < NS_ROWS; r += NS_ROWS)
// Thread k + 8 r of the same warp has the pair of age k of row r.
#define FOR_ROWS_BY_AGE(r) \
  for (u32 r = NS_WARPS_BEHIND == 0 ? threadIdx.x / NS_HISTORY % NS_ROWS : NS_ROWS; r < NS_ROWS; r += NS_ROWS)

// Some entries at a time: their loads do not wait for each other. Where fewer are left, two at a time, of which the last may be
// none: another is read in its place, and not used. No more copies of a term than that: each takes registers, and a loop that
// has to put values aside waits for them.
#define NS_FOUR_PARTS(result, slot, begin, end, ahead, none, join, join_if, total, term) \
  {                                                                                      \
    real part = R(none);                                                                 \
    const offset last = (end);                                                           \
    offset first = (begin);                                                              \
    if ((ahead) > 2) {                                                                   \
      UNROLLED(1) for (; first + 4 * (ahead) <= last; first += 4 * (ahead)) {            \
        _Pragma("unroll") for (offset n = 0; n < (ahead); ++n) {                         \
          const NsSlot slot = {first + NS_PART, n * 4};                                  \
          part = part join(term);                                                        \
        }                                                                                \
      }                                                                                  \
    }                                                                                    \
    UNROLLED(1) for (; first < last; first += 4 * NS_AT_MOST_2(ahead)) {                 \
      _Pragma("unroll") for (offset n = 0; n < NS_AT_MOST_2(ahead); ++n) {               \
        const offset own = first + NS_PART + n * 4;                                      \
        const NsSlot slot = {own < last ? own : last - 1u, 0};                           \
        join_if(own < last, part, term);                                                 \
      }                                                                                  \
    }                                                                                    \
    result = total(part);                                                                \
  }
#define NS_AT_MOST_2(ahead) ((ahead) > 2 ? 2 : (ahead))
#define SUM_OVER(sum, slot, begin, end, ahead, term) \
  NS_FOUR_PARTS(sum, slot, begin, end, ahead, 0.0, +, add_if, sum_of_parts, term)
#define PRODUCT_OVER(product, slot, begin, end, ahead, term) \
  NS_FOUR_PARTS(product, slot, begin, end, ahead, 1.0, *, multiply_if, product_of_parts, term)
#define PRODUCT_AND_SUM_OVER(product, sum, slot, begin, end, term)                 \
  {                                                                                \
    real part = R(1.0), summand = R(0.0);                                          \
    const offset last = (end);                                                     \
    UNROLLED(1) for (offset first = (begin) + NS_PART; first < last; first += 4) { \
      const NsSlot slot = {first, 0};                                              \
      const NsPair two = (term);                                                   \
      part = part * two.first;                                                     \
      summand = summand + two.second;                                              \
    }                                                                              \
    product = product_of_parts(part);                                              \
    sum = sum_of_parts(summand);                                                   \
  }
#define QUARTERS(sum, i, count, term)                                       \
  {                                                                         \
    real part = R(0.0);                                                     \
    const offset size = ((count) + 3u) / 4u, first = size * NS_PART;        \
    const offset last = first + size < (count) ? first + size : (count);    \
    UNROLLED(4) for (offset i = first; i < last; ++i) part = part + (term); \
    sum = sum_of_parts(part);                                               \
  }

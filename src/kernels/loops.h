// The loops around phases where one thread works on whole rows, unless an entry file that defines OWNERS
// defines them otherwise (dialect.md lists them).
// A device that spreads a row over threads has its own: cuda/macros.h.

// A row has a near part, which phases gather from, and a far part, which only the owner of a place touches:
// a device may keep it in slower memory.
// FAR_AT, FAR_SLOT, FAR_STORE, FAR_UPDATE and FAR_SCALAR_AT reach the far part.
#ifndef FAR_SLOT
#define FAR_AT(row, i) ROW_AT(row, i)
#define FAR_SLOT(row, base, slot) ROW_SLOT(row, base, slot)
#define FAR_STORE(row, base, slot, v) ROW_STORE(row, base, slot, v)
#define FAR_UPDATE(row, flag, base, slot, v) ROW_UPDATE(row, flag, base, slot, v)
#define FAR_SCALAR_AT(row, i) SCALAR_AT(row, i)
#endif

// Two entries of a table that are used together: 2 k and 2 k + 1. A device may store them side by side.
#ifndef TABLE_PAIR
#define TABLE_PAIR(first, second, p, base, k)      \
  real first = TABLE_REAL(p, base, (offset)(k)*2); \
  real second = TABLE_REAL(p, base, (offset)(k)*2 + 1)
#endif

// A hint: copies of a loop's body that are worth their room.
#ifndef UNROLLED
#define UNROLLED(copies)
#endif

// Partial sums that are made side by side.
typedef struct {
  real a, b, c, d;
} NsFour;

#ifndef ALSO
#define ALSO(slices, statement) OWNERS(slices, statement)
#define LISTS(slices, statement) OWNERS(slices, statement)
#define LISTS_BEGIN(which)
#define LIST_OF(slices, statement) OWNERS(slices, statement)
#define LISTS_END
#define LIST_BEGIN(indices, list, slice) ((indices)[(list).begin + (slice)])
#define LIST_STORE(row, base, slot, v) ROW_STORE(row, base, slot, v)
#define LIST_STORE_FAR(row, base, slot, v) FAR_STORE(row, base, slot, v)

// Sums over a list: four partial sums, of every fourth entry each, so that additions need not wait for each
// other. `term` is an expression in `slot`. Entries of padding add 0 and change no bit: a sum is never -0.
#define FOUR_PARTS(result, begin, end, none, join, term) \
  {                                                      \
    real part0 = R(none);                                \
    real part1 = R(none);                                \
    real part2 = R(none);                                \
    real part3 = R(none);                                \
    offset slot = (begin);                               \
    for (; slot + 4 <= (end); ++slot) {                  \
      part0 = part0 join(term);                          \
      ++slot;                                            \
      part1 = part1 join(term);                          \
      ++slot;                                            \
      part2 = part2 join(term);                          \
      ++slot;                                            \
      part3 = part3 join(term);                          \
    }                                                    \
    if (slot < (end)) part0 = part0 join(term);          \
    ++slot;                                              \
    if (slot < (end)) part1 = part1 join(term);          \
    ++slot;                                              \
    if (slot < (end)) part2 = part2 join(term);          \
    result = (part0 join part1)join(part2 join part3);   \
  }
#define SUM_OVER(sum, begin, end, ahead, term) FOUR_PARTS(sum, begin, end, 0.0, +, term)
#define PRODUCT_OVER(product, begin, end, ahead, term) FOUR_PARTS(product, begin, end, 1.0, *, term)

// The sum of `term`, an expression in `i`, for i < count: the sums of the four quarters of the range.
#define QUARTERS(sum, count, term)                                                                 \
  {                                                                                                \
    real quarter[4];                                                                               \
    const offset size = ((offset)(count) + 3) / 4;                                                 \
    offset i = 0;                                                                                  \
    for (u32 q = 0; q < 4; ++q) {                                                                  \
      real part = R(0.0);                                                                          \
      for (offset end = size * (q + 1); i < end && i < (offset)(count); ++i) part = part + (term); \
      quarter[q] = part;                                                                           \
    }                                                                                              \
    sum = (quarter[0] + quarter[1]) + (quarter[2] + quarter[3]);                                   \
  }

#define TOTALS(many, k, count, to, sums)                                   \
  for (u32 k = 0; k < (many); ++k) {                                       \
    OWNERS(4, {                                                            \
      const NsFour four = sums;                                            \
      ROW_STORE(row, NS_PARTIAL, slice, four.a);                           \
      if ((count) > 1) ROW_STORE(row, NS_PARTIAL + 32, slice, four.b);     \
      if ((count) > 2) ROW_STORE(row, NS_PARTIAL + 64, slice, four.c);     \
      if ((count) > 3) ROW_STORE(row, NS_PARTIAL + 96, slice, four.d);     \
    })                                                                     \
    OWNERS(count, ns_fold_phase(row, NS_PARTIAL, slice, lane));            \
    for (u32 sum = 0; sum < (count); ++sum)                                \
      STORE_TOTAL(row, (to) + sum, ns_folded(row, NS_PARTIAL + sum * 32)); \
  }

// The largest of `part`, a real of (slice, lane) for slices 0 to 3, none of it negative or NaN.
#define LARGEST(to, part)                               \
  {                                                     \
    OWNERS(4, ROW_STORE(row, NS_PARTIAL, slice, part)); \
    STORE_TOTAL(row, to, ns_largest(row, NS_PARTIAL));  \
  }
#endif

#ifndef NS_OWN_LOOPS
FN real ns_largest(NsRow row, u32 partial) {
  real largest = R(0.0);
  for (u32 i = 0; i < 32; ++i) {
    real x = ROW_AT(row, SAME_INDEX(partial + i));
    largest = SELECT(x > largest, x, largest);
  }
  return largest;
}

// 32 partial sums (4 slices) to 8; slices are the sums that stand side by side.
FN void ns_fold_phase(NsRow row, u32 partial, u32 slice, u32 lane) {
  real even = ROW_SLOT(row, partial, slice * 4) + ROW_SLOT(row, partial, slice * 4 + 2);
  real odd = ROW_SLOT(row, partial, slice * 4 + 1) + ROW_SLOT(row, partial, slice * 4 + 3);
  ROW_STORE(row, partial, slice * 4, even + odd);
}

// 8 partial sums to one.
FN real ns_folded(NsRow row, u32 partial) {
  real a = ROW_AT(row, SAME_INDEX(partial)) + ROW_AT(row, SAME_INDEX(partial + 4));
  real b = ROW_AT(row, SAME_INDEX(partial + 1)) + ROW_AT(row, SAME_INDEX(partial + 5));
  real c = ROW_AT(row, SAME_INDEX(partial + 2)) + ROW_AT(row, SAME_INDEX(partial + 6));
  real d = ROW_AT(row, SAME_INDEX(partial + 3)) + ROW_AT(row, SAME_INDEX(partial + 7));
  return (a + c) + (b + d);
}
#endif

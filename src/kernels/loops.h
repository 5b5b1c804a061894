// Loops over owners, lists, sums and rows where one thread works on whole rows (dialect.md lists them), on top of the entry
// file's functions for tables and rows. A device that spreads a row over threads has its own: NS_OWN_LOOPS, cuda/cuda_loops.h.

// Two entries of a table that are used together.
typedef struct {
  real first, second;
} NsPair;

// Partial sums that are made side by side.
typedef struct {
  real a, b, c, d;
} NsFour;

#ifndef NS_OWN_LOOPS
#define UNROLLED(copies)
#define FOR_OWNERS(place, slices) for (offset place = 0; place < (offset)(slices)*8; place += NS_LANE_STEP)
#define FOR_OWNERS_FROM_LAST(place, slices) FOR_OWNERS (place, slices)
#define FOR_LISTS(place, slices) FOR_OWNERS (place, slices)
#define FOR_DRAWN(place, counter, end) for (; place < (end); place += NS_LANE_STEP)
#define FOR_SUMS(k, many) for (u32 k = 0; k < (many); ++k)
#define FOR_PARTS(part) FOR_OWNERS (part, 4)
#define FOR_ITEMS(i, count) for (u32 i = 0; i < (count); ++i)
#define FOR_ROWS(r) for (u32 r = 0; r < NS_ROWS; ++r)
#define FOR_ROWS_BY_AGE(r) FOR_ROWS (r)

FN void ns_barrier(void) {}
FN void ns_warp_barrier(void) {}
FN u32 ns_first_drawn(u32 counter) { return 0; }

// One thread has the pairs of all ages.
enum { NS_AGES = NS_HISTORY };
FN u32 ns_ages(u32 pairs) { return pairs; }
FN u32 ns_age(u32 a) { return a; }
FN scalar ns_of_age(const HERE scalar* values, u32 age) { return values[age]; }

// A slot of a list.
typedef offset NsSlot;

// Sums over a list: four partial sums, of every fourth entry each, so that additions need not wait for each
// other. `term` is an expression in `slot`. Entries of padding add 0 and change no bit: a sum is never -0.
#define NS_FOUR_PARTS(result, slot, begin, end, none, join, term) \
  {                                                               \
    real part0 = R(none);                                         \
    real part1 = R(none);                                         \
    real part2 = R(none);                                         \
    real part3 = R(none);                                         \
    offset slot = (begin);                                        \
    for (; slot + 4 <= (end); ++slot) {                           \
      part0 = part0 join(term);                                   \
      ++slot;                                                     \
      part1 = part1 join(term);                                   \
      ++slot;                                                     \
      part2 = part2 join(term);                                   \
      ++slot;                                                     \
      part3 = part3 join(term);                                   \
    }                                                             \
    if (slot < (end)) part0 = part0 join(term);                   \
    ++slot;                                                       \
    if (slot < (end)) part1 = part1 join(term);                   \
    ++slot;                                                       \
    if (slot < (end)) part2 = part2 join(term);                   \
    result = (part0 join part1)join(part2 join part3);            \
  }
#define SUM_OVER(sum, slot, begin, end, ahead, term) NS_FOUR_PARTS(sum, slot, begin, end, 0.0, +, term)
#define PRODUCT_OVER(product, slot, begin, end, ahead, term) \
  NS_FOUR_PARTS(product, slot, begin, end, 1.0, *, term)

// A product and a sum at once, in the same four parts: `term` gives the factor and the summand.
#define NS_JOIN_BOTH(product, sum, term) \
  {                                      \
    const NsPair both = term;            \
    product = product * both.first;      \
    sum = sum + both.second;             \
  }
#define PRODUCT_AND_SUM_OVER(product, sum, slot, begin, end, term) \
  {                                                                \
    real product0 = R(1.0), sum0 = R(0.0);                         \
    real product1 = R(1.0), sum1 = R(0.0);                         \
    real product2 = R(1.0), sum2 = R(0.0);                         \
    real product3 = R(1.0), sum3 = R(0.0);                         \
    NsSlot slot = (begin);                                         \
    for (; slot + 4 <= (end); ++slot) {                            \
      NS_JOIN_BOTH(product0, sum0, term)                           \
      ++slot;                                                      \
      NS_JOIN_BOTH(product1, sum1, term)                           \
      ++slot;                                                      \
      NS_JOIN_BOTH(product2, sum2, term)                           \
      ++slot;                                                      \
      NS_JOIN_BOTH(product3, sum3, term)                           \
    }                                                              \
    if (slot < (end)) NS_JOIN_BOTH(product0, sum0, term)           \
    ++slot;                                                        \
    if (slot < (end)) NS_JOIN_BOTH(product1, sum1, term)           \
    ++slot;                                                        \
    if (slot < (end)) NS_JOIN_BOTH(product2, sum2, term)           \
    product = (product0 * product1) * (product2 * product3);       \
    sum = (sum0 + sum1) + (sum2 + sum3);                           \
  }

// The sum of `term`, an expression in `i`, for i < count: the sums of the four quarters of the range.
#define QUARTERS(sum, i, count, term)                                                              \
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

FN void ns_keep(NsRow row, offset at, real x) { ns_put(row, at, x); }
FN void ns_keep_times(NsRow row, offset at, real x) { ns_put(row, at, x * ns_get(row, at)); }
FN void ns_far_keep(NsRow row, offset at, real x) { ns_put(row, at, x); }

// Far values stand with the near ones.
FN real ns_far_at(NsRow row, index i) { return ns_at(row, i); }
FN real ns_far_get(NsRow row, offset at) { return ns_get(row, at); }
FN void ns_far_put(NsRow row, offset at, real x) { ns_put(row, at, x); }
FN void ns_far_update(NsRow row, u32 flag, offset at, real x) { ns_update(row, flag, at, x); }
FN ROW scalar* ns_far_scalar(NsRow row, offset at) { return ns_scalar(row, at); }

FN offset ns_list_begin(NsIndices indices, LAYOUT NsList* list, offset place) {
  return indices[list->begin + place / 8];
}

// Numbers of an entry of a list: the index, or the pair of reals, with number `which` of so many that it has.
FN index ns_entry_index(NsIndices indices, offset base, NsSlot slot, u32 width, u32 which, u32 lane) {
  return ns_index(indices, base + (slot * width + which) * 8 + lane);
}
FN NsPair ns_entry_pair(TABLE scalar* reals, offset base, NsSlot slot, u32 width, u32 which, u32 lane) {
  const offset at = base + (slot * width + which) * 16 + lane;
  NsPair pair = {ns_table(reals, at), ns_table(reals, at + 8)};
  return pair;
}

// 32 parts of up to four sums, 32 places apart; then their totals, in the order of a tree.
FN void ns_keep_part(NsRow row, u32 partial, offset part, u32 count, u32 to, NsFour four) {
  ns_put(row, partial + part, four.a);
  if (count > 1) ns_put(row, partial + 32 + part, four.b);
  if (count > 2) ns_put(row, partial + 64 + part, four.c);
  if (count > 3) ns_put(row, partial + 96 + part, four.d);
}
FN void ns_keep_totals(NsRow row, u32 partial, u32 count, u32 to) {
  FOR_OWNERS (place, count) {
    offset first = partial + place / 8 * 32 + place % 8;
    real even = ns_get(row, first) + ns_get(row, first + 16);
    real odd = ns_get(row, first + 8) + ns_get(row, first + 24);
    ns_put(row, first, even + odd);
  }
  for (u32 sum = 0; sum < count; ++sum) {
    u32 first = partial + sum * 32;
    real a = ns_same(row, first) + ns_same(row, first + 4);
    real b = ns_same(row, first + 1) + ns_same(row, first + 5);
    real c = ns_same(row, first + 2) + ns_same(row, first + 6);
    real d = ns_same(row, first + 3) + ns_same(row, first + 7);
    ns_put_same(row, to + sum, (a + c) + (b + d));
  }
}

// The same for the largest of 32 parts, none of them negative or NaN.
FN void ns_keep_largest_part(NsRow row, u32 partial, offset part, u32 to, real x) {
  ns_put(row, partial + part, x);
}
FN void ns_keep_largest(NsRow row, u32 partial, u32 to) {
  real largest = R(0.0);
  for (u32 i = 0; i < 32; ++i) {
    real x = ns_same(row, partial + i);
    largest = SELECT(x > largest, x, largest);
  }
  ns_put_same(row, to, largest);
}
#endif

// Entries of lists, and totals of 32 parts. Included by block.h after loops.h,
// once per number of rows.

// Entries of lists. What is known when the code is compiled is added last: it becomes part of the load.
FN index ns_entry_index(const NsIndices& indices, offset base, const NsSlot& slot, u32 width, u32 which,
                        u32 lane) {
  const u32* first = indices.table + (base + slot.first * width * 8u + lane);
  return {__ldg(first + (slot.ahead * width + which) * 8u), 0};
}
// Pairs stand side by side (gpu/device_model.h): one load for both, half as many lines of the cache.
FN NsPair ns_entry_pair(const scalar* reals, offset base, const NsSlot& slot, u32 width, u32 which,
                        u32 lane) {
  const scalar_pair* first =
      reinterpret_cast<const scalar_pair*>(reals + base) + (slot.first * width * 8u + lane);
  const scalar_pair two = __ldg(first + (slot.ahead * width + which) * 8u);
  return {splat<NS_ROWS>(two.x), splat<NS_ROWS>(two.y)};
}

// Totals of 32 parts: the tree of ns_keep_totals in loops.h. Where a thread has several values, of sums and rows, it keeps one
// half of them in each step and gives the other half away: a third of the exchanges.
static __device__ __forceinline__ scalar joined(scalar a, scalar b, bool largest) {
  return largest ? (b > a ? b : a) : a + b;
}
template <u32 Count>
static __device__ __forceinline__ void keep_totals_of(const NsRow& row, u32 to,
                                                      scalar (&values)[Count * NS_ROWS], bool largest) {
  constexpr u32 kValues = Count * NS_ROWS;
  u32 have = kValues;
#pragma unroll
  for (u32 mask = 16; mask > 0; mask /= 2) {
    if (have == 1) {
      values[0] = joined(values[0], __shfl_xor_sync(0xffffffffu, values[0], int(mask)), largest);
      continue;
    }
    have /= 2;
    const bool upper = (threadIdx.x & mask) != 0;
#pragma unroll
    for (u32 i = 0; i < have; ++i) {
      const scalar mine = upper ? values[have + i] : values[i], other = upper ? values[i] : values[have + i];
      values[i] = joined(mine, __shfl_xor_sync(0xffffffffu, other, int(mask)), largest);
    }
  }
  const u32 lane = threadIdx.x % 32u, which = lane / (32u / kValues);
  if (lane % (32u / kValues) == 0) row.near[(to + which % Count) * NS_STRIDE + which / Count] = values[0];
}
FN void ns_keep_part(const NsRow& row, u32, u32, u32 count, u32 to, const NsFour& four) {
  if (count == 1) {
    scalar values[NS_ROWS];
    NS_EACH_ROW values[r] = four.a.v[r];
    keep_totals_of<1>(row, to, values, false);
  } else if (count == 2) {
    scalar values[2 * NS_ROWS];
    NS_EACH_ROW values[r * 2] = four.a.v[r], values[r * 2 + 1] = four.b.v[r];
    keep_totals_of<2>(row, to, values, false);
  } else {
    scalar values[4 * NS_ROWS];
    NS_EACH_ROW values[r * 4] = four.a.v[r], values[r * 4 + 1] = four.b.v[r], values[r * 4 + 2] = four.c.v[r],
                           values[r * 4 + 3] = four.d.v[r];
    keep_totals_of<4>(row, to, values, false);
  }
}
FN void ns_keep_totals(const NsRow&, u32, u32, u32) {}
FN void ns_keep_largest_part(const NsRow& row, u32, u32, u32 to, const real& x) {
  scalar values[NS_ROWS];
  NS_EACH_ROW values[r] = x.v[r];
  keep_totals_of<1>(row, to, values, true);
}
FN void ns_keep_largest(const NsRow&, u32, u32) {}

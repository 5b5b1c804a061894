// Pairs of table entries, and totals of 32 parts, one per thread of a warp. Included by block.h after loops.h,
// once per number of rows.

FN NsPair ns_pair(const scalar* reals, offset base, offset k, u32 lane) {
  // Pairs stand side by side (gpu/device_model.h): one load for both, half as many lines of the cache.
  const scalar_pair two = __ldg(reinterpret_cast<const scalar_pair*>(reals + base) + k * 8u + lane);
  return {splat<NS_ROWS>(two.x), splat<NS_ROWS>(two.y)};
}

// The tree of ns_keep_totals in loops.h.
static __device__ __forceinline__ void keep_total(const NsRow& row, u32 to, real x) {
  UNROLLED(1) for (int mask = 16; mask > 0; mask /= 2) x = x + from_neighbor(x, mask);
  if (threadIdx.x % 32u == 0) store_near(row, to, x);
}
FN void ns_keep_part(const NsRow& row, u32, u32, u32 count, u32 to, const NsFour& four) {
  keep_total(row, to, four.a);
  if (count > 1) keep_total(row, to + 1, four.b);
  if (count > 2) keep_total(row, to + 2, four.c);
  if (count > 3) keep_total(row, to + 3, four.d);
}
FN void ns_keep_totals(const NsRow&, u32, u32, u32) {}
FN void ns_keep_largest_part(const NsRow& row, u32, u32, u32 to, real x) {
  UNROLLED(1) for (int mask = 16; mask > 0; mask /= 2) {
    const real y = from_neighbor(x, mask);
    x = select(y > x, y, x);
  }
  if (threadIdx.x % 32u == 0) store_near(row, to, x);
}
FN void ns_keep_largest(const NsRow&, u32, u32) {}

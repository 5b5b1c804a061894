#include "base/algebra/dense_product.h"

#include <algorithm>

#include "base/parallel.h"

namespace nextstat::dense {
namespace {

// Steps of k in one pass over a block of C: a panel of B, [kDepth][tile_columns], and one of A stay near.
// Operands are not packed: a packed version was slower on Zen 4 (25 to 32 against 34 to 38 GFlop/s).
constexpr Index kDepth = 192;

void run_kernel(const Kernels& kernels, Sign sign, const Block& block) {
  (sign == Sign::Add ? kernels.add : kernels.subtract)(block);
}

// Rows of tiles, each from the diagonal on.
void run_upper(const Kernels& kernels, Sign sign, const Block& block) {
  for (Index i = 0; i < block.m; i += kernels.tile_rows) {
    Block row = block;
    row.m = row.n = std::min(kernels.tile_rows, block.m - i);
    row.a += i;
    row.b += i;
    row.c += i * block.ldc + i;
    run_tile_on_diagonal(kernels, sign, row);
    row.b += row.m;
    row.c += row.m;
    row.n = block.n - i - row.m;
    run_kernel(kernels, sign, row);
  }
}

// On this thread, pass by pass in ascending k.
void run_passes(const Kernels& kernels, const Product& p) {
  AlignedVector<double> scratch;
  for (Index k = 0; k < p.k; k += kDepth) {
    const Index depth = std::min(kDepth, p.k - k);
    const Strided a = in_rows(p.a.from(k, 0), depth, p.m, scratch);
    const Block block{depth, p.m, p.n, a.at, a.k_step, p.b + k * p.ldb, p.ldb, p.c, p.ldc};
    if (p.part == Part::Upper)
      run_upper(kernels, p.sign, block);
    else
      run_kernel(kernels, p.sign, block);
  }
}

Product block_of(const Product& p, Index i, Index j) {
  Product block = p;
  block.m = std::min(kBlockEdge, p.m - i);
  block.n = std::min(kBlockEdge, p.n - j);
  block.a = p.a.from(0, i);
  block.b = p.b + j;
  block.c = p.c + i * p.ldc + j;
  if (i != j) block.part = Part::Whole;
  return block;
}

}  // namespace

Strided in_rows(Strided from, Index k, Index count, AlignedVector<double>& scratch) {
  if (from.i_step == 1) return from;
  scratch.resize(static_cast<std::size_t>(k * count));
  for (Index i = 0; i < count; ++i)
    for (Index step = 0; step < k; ++step)
      scratch[static_cast<std::size_t>(step * count + i)] = from.at[step * from.k_step + i * from.i_step];
  return {scratch.data(), count, 1};
}

void run_tile_on_diagonal(const Kernels& kernels, Sign sign, const Block& block) {
  alignas(64) double tile[kMostTileRows * kMostTileRows] = {};
  Block inside = block;
  inside.c = tile;
  inside.ldc = kMostTileRows;
  for (Index i = 0; i < block.m; ++i)
    for (Index j = i; j < block.n; ++j) tile[i * kMostTileRows + j] = block.c[i * block.ldc + j];
  run_kernel(kernels, sign, inside);
  for (Index i = 0; i < block.m; ++i)
    for (Index j = i; j < block.n; ++j) block.c[i * block.ldc + j] = tile[i * kMostTileRows + j];
}

void run_product(const Kernels& kernels, const Product& p, std::size_t threads) {
  if (p.k <= 0 || p.m <= 0 || p.n <= 0) return;
  if (std::max(p.m, p.n) <= kBlockEdge) return run_passes(kernels, p);
  const Index rows = (p.m + kBlockEdge - 1) / kBlockEdge, columns = (p.n + kBlockEdge - 1) / kBlockEdge;
  const auto run_block = [&](std::size_t chunk) {
    const Index i = static_cast<Index>(chunk) / columns, j = static_cast<Index>(chunk) % columns;
    if (p.part == Part::Whole || i <= j) run_passes(kernels, block_of(p, i * kBlockEdge, j * kBlockEdge));
  };
  parallel_chunks(static_cast<std::size_t>(rows * columns), threads_for(p.k * p.m * p.n, threads), run_block);
}

}  // namespace nextstat::dense

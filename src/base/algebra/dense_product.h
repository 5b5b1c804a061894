// C +- A^T B at any size, from the register tiles of base/algebra/dense_kernel.h. base/algebra/dense.h builds on it.
//
//   run_product(kernels,
//               {.k = k, .m = m, .n = n, .a = {a, lda, 1}, .b = b, .ldb = ldb, .c = c, .ldc = ldc}, 1);
#pragma once

#include <cstddef>

#include "base/algebra/dense_kernel.h"
#include "base/aligned.h"

namespace nextstat::dense {

// Element (k, i) is at[k * k_step + i * i_step], so that a matrix can be read across or backwards.
struct Strided {
  const double* at;
  Index k_step, i_step;
  Strided from(Index k, Index i) const { return {at + k * k_step + i * i_step, k_step, i_step}; }
};

enum class Sign { Add, Subtract };
enum class Part { Whole, Upper };  // Upper: of C, columns j >= row i only; the others are not touched

struct Product {
  Index k, m, n;
  Strided a;  // [k][m]
  const double* b;
  Index ldb;  // b[k][n]
  double* c;
  Index ldc;  // c[m][n]
  Sign sign = Sign::Add;
  Part part = Part::Whole;
};

// Edge of the blocks of C that are computed one after the other or in parallel: what they read of A and B in
// one pass lies in the second-level cache.
constexpr Index kBlockEdge = 192;

// threads: at most; small products stay on the calling thread.
void run_product(const Kernels& kernels, const Product& product, std::size_t threads);

// One tile of C on its diagonal, at most kernels.tile_rows high and wide: columns j >= row i only.
void run_tile_on_diagonal(const Kernels& kernels, Sign sign, const Block& block);

// [k][count] elements in rows that a tile can read: as they are, or copied to scratch.
Strided in_rows(Strided from, Index k, Index count, AlignedVector<double>& scratch);

// Threads for so many multiply-adds: below about a millisecond of work, starting them costs more.
inline std::size_t threads_for(Index multiply_adds, std::size_t threads) {
  return multiply_adds < 10'000'000 ? 1 : threads;
}

}  // namespace nextstat::dense

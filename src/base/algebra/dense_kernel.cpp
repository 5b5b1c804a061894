// Register tiles of dense products, for one instruction set. CMake compiles this file once per set with its
// flags and NEXTSTAT_ISA_SYMBOL / NEXTSTAT_ISA_NAME.
//
// Lanes run over columns of C and never over k, and a product is rounded before it is added, so every element
// goes through the same operations in the same order at every width.
#include "base/algebra/dense_kernel.h"

namespace nextstat::dense {
namespace {

// The tile fills the registers: kTileRows * kTileVectors sums, one row of B, one factor and one product.
#if defined(__AVX512F__)
constexpr int kLanes = 8, kTileRows = 8, kTileVectors = 3;
#elif defined(__AVX2__)
constexpr int kLanes = 4, kTileRows = 4, kTileVectors = 2;
#elif defined(__x86_64__)
constexpr int kLanes = 2, kTileRows = 4, kTileVectors = 2;
#else
constexpr int kLanes = 2, kTileRows = 8, kTileVectors = 3;
#endif
static_assert(kTileRows <= kMostTileRows && kLanes * kTileVectors <= kMostTileColumns);

template <int lanes>
struct Vector {
  typedef double Value __attribute__((vector_size(lanes * 8)));
  typedef double Stored __attribute__((vector_size(lanes * 8), aligned(8)));
};
template <>
struct Vector<1> {
  typedef double Value, Stored;
};

enum class Mode { Add, Subtract, Solve };

// Rows of sums against the triangle below A: sum_i = (sum_i - sum_{p<i} T[p][i] sum_p) / T[i][i].
template <int rows, int vectors, class Value>
inline __attribute__((always_inline)) void solve_triangle(const double* t, Index ldt,
                                                          Value (&sum)[rows][vectors]) {
#pragma GCC unroll 8
  for (int p = 0; p < rows; ++p) {
    const double reciprocal = 1.0 / t[p * ldt + p];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) sum[p][v] *= reciprocal;
#pragma GCC unroll 8
    for (int i = p + 1; i < rows; ++i) {
      const double factor = t[p * ldt + i];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) sum[i][v] -= factor * sum[p][v];
    }
  }
}

template <Mode mode, int lanes, int rows, int vectors>
void tile(Index k, const double* a, Index lda, const double* b, Index ldb, double* c, Index ldc) {
  typedef typename Vector<lanes>::Value Value;
  typedef typename Vector<lanes>::Stored Stored;
  Value sum[rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) sum[i][v] = *(const Stored*)(c + i * ldc + v * lanes);
  for (Index step = 0; step < k; ++step, a += lda, b += ldb) {
    Value right[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) right[v] = *(const Stored*)(b + v * lanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const double left = a[i];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        if constexpr (mode == Mode::Add)
          sum[i][v] += left * right[v];
        else
          sum[i][v] -= left * right[v];
      }
    }
  }
  if constexpr (mode == Mode::Solve) solve_triangle<rows, vectors>(a, lda, sum);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) *(Stored*)(c + i * ldc + v * lanes) = sum[i][v];
}

// As many tiles of this height as fit below `row`, then lower ones.
template <Mode mode, int lanes, int rows, int vectors>
void column_of_tiles(const Block& block, Index column, Index row) {
  for (; row + rows <= block.m; row += rows) {
    const Index k = mode == Mode::Solve ? block.k + row : block.k;
    tile<mode, lanes, rows, vectors>(k, block.a + row, block.lda, block.b + column, block.ldb,
                                     block.c + row * block.ldc + column, block.ldc);
  }
  if constexpr (rows > 1) {
    if (row < block.m) column_of_tiles<mode, lanes, rows / 2, vectors>(block, column, row);
  }
}

// As many tiles of this width as fit right of `column`, then narrower ones.
template <Mode mode, int lanes, int vectors>
void tiles(const Block& block, Index column) {
  for (; column + lanes * vectors <= block.n; column += lanes * vectors)
    column_of_tiles<mode, lanes, kTileRows, vectors>(block, column, 0);
  if constexpr (lanes > 1) {
    constexpr bool narrow = vectors == 1;
    if (column < block.n) tiles<mode, narrow ? lanes / 2 : lanes, narrow ? 1 : vectors - 1>(block, column);
  }
}

template <Mode mode>
void run(const Block& block) {
  tiles<mode, kLanes, kTileVectors>(block, 0);
}

}  // namespace

extern const Kernels NEXTSTAT_ISA_SYMBOL;
const Kernels NEXTSTAT_ISA_SYMBOL = {NEXTSTAT_ISA_NAME, kTileRows,           kLanes* kTileVectors,
                                     run<Mode::Add>,    run<Mode::Subtract>, run<Mode::Solve>};

}  // namespace nextstat::dense

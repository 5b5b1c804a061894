// The register tiles of one instruction set: what base/algebra/dense_kernel.cpp, compiled once per set, offers. No
// C++ library types here, for the reason given in cpu/kernels.h.
#pragma once

namespace nextstat::dense {

using Index = long;  // std::ptrdiff_t; leading dimensions may be negative

// Row-major operands of one block: a[k][m], b[k][n], c[m][n].
struct Block {
  Index k, m, n;
  const double* a;
  Index lda;
  const double* b;
  Index ldb;
  double* c;
  Index ldc;
};

struct Kernels {
  const char* name;                // "x86-64-v3"
  Index tile_rows, tile_columns;   // kept in registers
  void (*add)(const Block&);       // C += A^T B
  void (*subtract)(const Block&);  // C -= A^T B
  // C = T^-T (C - A^T B), where T is the upper triangle of rows k to k + m - 1 of A. C lies below B: row i of
  // C is row k + i of B.
  void (*solve)(const Block&);
};

constexpr Index kMostTileRows = 8, kMostTileColumns = 24;

// Defined in one object file per instruction set.
#if defined(__x86_64__)
extern const Kernels kKernelsV2, kKernelsV3, kKernelsV4;
#else
extern const Kernels kKernelsBaseline;
#endif

}  // namespace nextstat::dense

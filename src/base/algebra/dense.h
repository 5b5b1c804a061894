// Dense linear algebra on row-major matrices whose bits depend on neither the instruction set, nor the number
// of threads, nor the blocking: every element goes through one sequence of operations, the one that its
// function states, each product rounded before it is added.
//
//   if (const auto pivot = dense::cholesky(n, m, n, {.threads = 1})) return not_positive_definite(*pivot);
//   dense::invert(n, m, n, inverse, n, {.threads = 1});
//
// ld.: elements from one row to the next, at least the number of columns. Operands must not overlap.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/algebra/dense_kernel.h"

namespace nextstat::dense {

// Every set of kernels that this processor can run, narrowest first.
std::vector<const Kernels*> usable_kernels();
const Kernels& widest_kernels();

struct Run {
  std::size_t threads;  // at most, 0 = all; 1 from a place that is already parallel
  const Kernels* kernels = &widest_kernels();
};

// C[m][n] += A^T B for A[k][m], B[k][n]:  c = ((c + a_0 b_0) + a_1 b_1) + ...
void add_product(std::size_t k, std::size_t m, std::size_t n, const double* a, std::size_t lda,
                 const double* b, std::size_t ldb, double* c, std::size_t ldc, Run run);
// C[m][n] -= A^T B, in the same order.
void subtract_product(std::size_t k, std::size_t m, std::size_t n, const double* a, std::size_t lda,
                      const double* b, std::size_t ldb, double* c, std::size_t ldc, Run run);

// C[n][n] += A^T B for A[k][n], B[k][n] whose product is known to be symmetric, as with B = W A, W diagonal.
// Reads and writes the upper triangle of C only; A and B may be the same matrix.
void add_symmetric_product(std::size_t k, std::size_t n, const double* a, std::size_t lda, const double* b,
                           std::size_t ldb, double* c, std::size_t ldc, Run run);

// M[n][n] = R^T R: R replaces M in the upper triangle, the only part read or written.
//   R[i][j] = (M[i][j] - R[0][i] R[0][j] - R[1][i] R[1][j] - ...) * (1 / R[i][i])
// Returns the row of the first pivot that is not positive and finite; M is then half done.
[[nodiscard]] std::optional<std::size_t> cholesky(std::size_t n, double* m, std::size_t ld, Run run);

// B[n][columns] = R^-T B:  b_i = (b_i - R[0][i] b_0 - R[1][i] b_1 - ...) * (1 / R[i][i])
void solve_lower(std::size_t n, const double* r, std::size_t ldr, std::size_t columns, double* b,
                 std::size_t ldb, Run run);
// B[n][columns] = R^-1 B:  b_i = (b_i - R[i][n-1] b_{n-1} - R[i][n-2] b_{n-2} - ...) * (1 / R[i][i])
void solve_upper(std::size_t n, const double* r, std::size_t ldr, std::size_t columns, double* b,
                 std::size_t ldb, Run run);

// L[n][n] = R^-T, lower triangular; its upper part is filled with zeros. Bits as of solve_lower.
void invert_factor(std::size_t n, const double* r, std::size_t ldr, double* l, std::size_t ldl, Run run);

// M^-1[n][n] = L^T L = (R^T R)^-1, both triangles, symmetric to the bit. Sums run over ascending k >= i, j.
void invert(std::size_t n, const double* r, std::size_t ldr, double* inverse, std::size_t ldi, Run run);

}  // namespace nextstat::dense

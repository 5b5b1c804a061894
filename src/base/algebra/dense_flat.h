// Cholesky factorization of a matrix that may be singular: directions without curvature are found and held.
//
//   dense::FlatFactor factor = dense::factor_without_flat(n, matrix, {.threads = 1});
//   factor.kept;         // rows of the factor, as rows of the matrix
//   factor.flat[0];      // a null vector: matrix * v = 0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/algebra/dense.h"
#include "base/aligned.h"

namespace nextstat::dense {

// A pivot in units of its diagonal: below kFlat a direction is flat, below -kDownhill it goes downhill. The
// curvature of a valley that is flat along a curve is as large as the gradient that is left, of either sign.
constexpr double kFlat = 1e-10, kDownhill = 1e-7;

// A direction in the space of the matrix: matrix * v is 0 but for the pivot of v's last row. That part is 1.
struct NullVector {
  std::size_t last = 0;
  std::vector<double> parts;  // [row], rows after `last` are 0
};

struct FlatFactor {
  std::vector<std::size_t> kept;  // rows that were factorized, ascending
  RawNumbers root;                // R with R^T R = the matrix of the kept rows, upper triangle
  std::vector<NullVector> flat;   // one per row that was left out
  double smallest_pivot = 1;      // of the kept rows, or that of `downhill`
  std::optional<NullVector>
      downhill;  // v^T M v < 0 or no number: not positive semi-definite; `root` is empty
};

// matrix[n][n]: the upper triangle is read.
// Its diagonal is 1, or 0 or negative where there is no curvature to scale by.
FlatFactor factor_without_flat(std::size_t n, RawNumbers matrix, Run run);

}  // namespace nextstat::dense

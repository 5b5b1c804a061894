// The metric of a minimisation: the inverse of the Fisher information at a point, as diagonal plus low rank,
// in the form that kernels walk. Made by minimize/make_metric.h, used by sessions.
//
//   P = J^T diag(1 / nu) J + constraints,    P^-1 = diag - A_minus^T A_minus + A_plus^T A_plus
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned.h"
#include "kernels/solver_layout.h"

namespace nextstat {

struct Metric {
  NsSolver layout{};
  AlignedVector<double> reals;
  bool by_bins =
      true;  // which form was smaller: rank = bins + free factors, or parameters that are not local
};

}  // namespace nextstat

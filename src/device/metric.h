// The metric of a minimization: the inverse of the Fisher information at a point, as diagonal plus low rank,
// in the form that kernels walk. Made by minimize/curvature/make_metric.h, used by sessions.
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
  // Which form was smaller: rank = bins + free factors, or parameters that are not local.
  bool by_bins = true;
  bool diagonal = false;  // neither: the diagonal alone, which takes more steps
  // Parameters that do not move although they are free: one of every direction without information, and those
  // that the caller wanted to be held. The stop rule looks at their gradient all the same.
  std::vector<std::size_t> held = {};
};

}  // namespace nextstat

// Where the near values of a row's evaluation and of its minimization stand together. What lives within an
// evaluation and what lives outside of one share places: a row takes less of a multiprocessor's memory.
#pragma once

#include "kernels/layout.h"
#include "kernels/solver_layout.h"

namespace nextstat::cuda {

struct NearLayout {
  NsSolver solver;         // its near positions count in the common array
  unsigned int near_size;  // of that array
};

NearLayout share_near(const NsLayout& model, const NsSolver& solver);

}  // namespace nextstat::cuda

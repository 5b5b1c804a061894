#include "cuda/near_layout.h"

#include <algorithm>

namespace nextstat::cuda {

NearLayout share_near(const NsLayout& model, const NsSolver& solver) {
  const unsigned kept = std::max(model.near_size, model.passing + solver.kept);
  NearLayout near{solver, kept + solver.near_size - solver.kept};
  NsSolver& v = near.solver;
  for (unsigned* place : {&v.trial_gradient, &v.product, &v.partial}) *place += model.passing;
  for (unsigned* place : {&v.held_index, &v.held_share, &v.sums, &v.dots, &v.gram_sy, &v.gram_yp, &v.alpha,
                          &v.beta, &v.used, &v.control})
    *place += kept - solver.kept;
  return near;
}

}  // namespace nextstat::cuda

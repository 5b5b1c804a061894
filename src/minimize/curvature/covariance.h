// Uncertainties at a minimum: the inverse of the exact Hessian over the parameters that may move.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "minimize/curvature/hessian_factor.h"
#include "model/compile/compiled_model.h"
#include "model/data/dataset.h"

namespace nextstat {

struct Covariance {
  std::vector<double> variances;               // [parameter]; 0 for parameters left out, NaN for flat ones
  std::vector<std::vector<std::size_t>> flat;  // parameters of each flat direction, largest part first
  std::vector<double> downhill;  // [parameter] where the NLL falls both ways, of the size of a sigma: this is
                                 // not a minimum and all variances are NaN; empty = it is one
  std::shared_ptr<const HessianFactor> factor;  // null unless it is a minimum

  std::vector<double>
      matrix;  // [parameter][parameter]; empty beyond kMostParametersOfMatrix, and where there is no minimum

  double smallest_pivot = 1;  // of the Hessian in units of its diagonal; flat directions not counted
  // A direction is flat, or so nearly that rounding of the minimum may decide whether it is.
  bool is_nearly_flat() const { return !flat.empty() || smallest_pivot < 1e-6; }

  bool positive_definite() const { return downhill.empty(); }
  std::vector<double> column(std::size_t parameter) const;
  std::vector<double> take_matrix();                  // made where it is not there
  void hide_flat(std::vector<double>& values) const;  // NaN where `variances` is, in a matrix
};

// free[parameter] != 0: in the Hessian. threads: 0 = all.
Covariance covariance(const CompiledModel& model, const Dataset& data, std::span<const double> parameters,
                      std::span<const char> free, std::size_t threads);

}  // namespace nextstat

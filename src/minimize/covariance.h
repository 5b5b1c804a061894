// Uncertainties at a minimum: the inverse of the exact Hessian over the parameters that may move.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/compiled_model.h"
#include "model/data_set.h"

namespace nextstat {

// A combination of parameters along which the NLL does not rise.
struct FlatDirection {
  std::vector<std::size_t> parameters;  // largest part first
};

struct Covariance {
  std::vector<double> matrix;  // [parameter][parameter]; 0 for parameters left out, NaN for flat ones
  std::vector<FlatDirection> flat;
  bool positive_definite = true;  // false: not a minimum; then the matrix is all NaN, and
  std::vector<double>
      downhill;  // [parameter] a direction along which the NLL falls both ways, of the size of a sigma
};

// free[parameter] != 0: in the Hessian. threads: 0 = all.
Covariance covariance(const CompiledModel& model, const DataSet& data, std::span<const double> parameters,
                      std::span<const char> free, std::size_t threads);

}  // namespace nextstat

// Exact derivatives on the host, in f64: rates, their Jacobian, and the Hessian of the NLL.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/compiled_model.h"
#include "model/data_set.h"

namespace nextstat {

// d nu_b / d theta for the bins of one channel and the parameters that act there.
struct JacobianBlock {
  std::size_t first_bin = 0, bins = 0;
  std::vector<std::uint32_t> parameters;  // columns, ascending
  std::vector<double> values;             // [bin][column]
};

struct Jacobian {
  std::vector<double> rates;          // [bin] nu_b
  std::vector<JacobianBlock> blocks;  // one per channel
};

Jacobian jacobian(const CompiledModel& model, std::span<const double> parameters);

// d2 NLL / d theta d theta', [parameter][parameter], symmetric.
//   H = J^T diag(n / nu^2) J + sum_b (1 - n_b / nu_b) d2 nu_b + constraints
std::vector<double> hessian(const CompiledModel& model, const DataSet& data,
                            std::span<const double> parameters);

}  // namespace nextstat

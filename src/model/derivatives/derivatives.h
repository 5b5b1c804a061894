// Exact derivatives on the host, in f64: rates, their Jacobian, and the Hessian of the NLL.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/compile/compiled_model.h"
#include "model/data/dataset.h"

namespace nextstat {

// d nu_b / d theta for the bins of one channel and the global parameters that act there.
struct JacobianBlock {
  std::size_t first_bin = 0, bins = 0;
  std::span<const std::uint32_t> parameters;  // columns: the channel's globals
  std::vector<double> values;                 // [bin][column]
};

struct Jacobian {
  std::vector<double> rates;          // [bin] nu_b
  std::vector<JacobianBlock> blocks;  // one per channel
  std::vector<double> locals;         // [local of the model] d nu / d theta in its bin
};

Jacobian jacobian(const CompiledModel& model, std::span<const double> parameters);

// The Hessian of the NLL, in parts that make it cheap to invert.
// Local parameters meet each other only in their own bin.
//   H = J^T diag(n / nu^2) J + sum_b (1 - n_b / nu_b) d2 nu_b + constraints
struct HessianParts {
  std::size_t stride = 0;           // from row to row of the first two; the first has as many rows
  std::vector<double> global;       // [global][global], upper triangle
  std::vector<double> coupling;     // [local][global]
  std::vector<double> local;        // blocks of the bins one after the other, each [local of the bin][same]
  std::vector<std::size_t> blocks;  // [local] where the block of its bin begins
};

// threads: 0 = all; the result does not depend on it.
HessianParts hessian_parts(const CompiledModel& model, const Dataset& data,
                           std::span<const double> parameters, std::size_t threads = 1);

// d2 NLL / d theta d theta', [parameter][parameter], symmetric.
std::vector<double> hessian(const CompiledModel& model, const Dataset& data,
                            std::span<const double> parameters);

}  // namespace nextstat

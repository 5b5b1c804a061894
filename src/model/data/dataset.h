// One dataset as kernels want it: counts, their inverses, and the constant part of the NLL.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/compile/compiled_model.h"

namespace nextstat {

struct Dataset {
  std::vector<double> values;   // [datum] main bins, then auxiliary data
  std::vector<double> inverse;  // 1 / n for counts, 0 where n = 0
  double constant = 0;          // NLL = sum of deviances and half squared pulls + constant
};

Dataset make_dataset(const CompiledModel& model, std::span<const double> values);

// The same in place and without inverses: counts that are as good as zero become it. Returns the constant.
double clean_data(const CompiledModel& model, std::span<double> values);

// What a device makes the constants of drawn toys from, in the order of clean_data.
struct ConstantTables {
  std::vector<std::uint32_t> counts;  // data that are counts
  std::vector<double> normals;        // of each normal constraint
};
ConstantTables constant_tables(const CompiledModel& model);
// log_factorial_excess of 0 ... NS_KNOWN_EXCESSES - 1, which toys ask for again and again.
std::span<const double> known_excesses();

// The parts of the NLL that the constraints and the main bins give, with all of their constants; +infinity where a
// count has no rate. rates: of the main bins.
double constraint_nll(const CompiledModel& model, const Dataset& data, std::span<const double> parameters);
double main_nll(const CompiledModel& model, const Dataset& data, std::span<const double> rates);

// The constant of a Poisson term, for the host: what its deviance leaves out.
//
//   -log Poisson(n | nu) = ns_poisson_deviance(n, 1 / n, nu) + log_factorial_excess(n)

// log(n!) - n log(n) + n = lgamma(n + 1) - n log(n) + n for real n >= 0, 0 at n = 0; NaN for n < 0 or NaN.
// Absolute error below 1e-14 for n <= 1e50 (measured: 4e-15), never a difference of large numbers.
double log_factorial_excess(double n);

}  // namespace nextstat

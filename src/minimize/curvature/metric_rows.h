// The inverse of the Fisher information as diagonal plus low rank, before it is laid out for kernels.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "device/metric.h"
#include "model/compile/compiled_model.h"

namespace nextstat {

// P^-1 = diagonal - minus^T minus + plus^T plus
struct MetricRows {
  std::size_t parameters = 0;
  std::vector<double> diagonal;     // [parameter]
  std::vector<double> minus, plus;  // [row][parameter]
  std::size_t n_minus = 0, n_plus = 0;
};

// A constrained factor of a bin has a wall at 0, where a bin with events has no rate:
// one step leaves at least this part of it.
constexpr double kWall = 0.1;
std::vector<std::size_t> walled_parameters(const CompiledModel& model);

// Lays the rows out for kernels, and a row's state behind them.
void store_rows(const CompiledModel& model, const MetricRows& rows, Metric& metric);

}  // namespace nextstat

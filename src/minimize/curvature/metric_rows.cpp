#include "minimize/curvature/metric_rows.h"

#include <algorithm>
#include <cmath>

namespace nextstat {
namespace {

constexpr std::uint32_t kLanes = 8;

std::uint32_t padded(std::size_t count) {
  return static_cast<std::uint32_t>((count + kLanes - 1) / kLanes * kLanes);
}

std::uint32_t take(NsSolver& layout, std::size_t count) {
  const std::uint32_t begin = layout.row_size;
  layout.row_size += padded(count);
  return begin;
}

void lay_out_row(NsSolver& v) {
  v.row_size = 0;
  v.trial_gradient = take(v, v.n);
  v.product = take(v, v.rank);
  v.partial = take(v, 4 * 32);
  v.kept = v.row_size;
  v.held_index = take(v, NS_HELD + 1);
  v.held_share = v.held_index + NS_HELD;
  v.sums = take(v, NS_S_SIZE);
  v.dots = take(v, unsigned{NS_HISTORY} * NS_D_SIZE);
  v.gram_sy = take(v, NS_HISTORY * NS_HISTORY);
  v.gram_yp = take(v, NS_HISTORY * NS_HISTORY);
  for (std::uint32_t* field : {&v.alpha, &v.beta, &v.used}) *field = take(v, NS_HISTORY);
  v.control = take(v, NS_C_SIZE);
  v.near_size = v.row_size;
  for (std::uint32_t* field : {&v.x, &v.low, &v.high, &v.free, &v.gradient, &v.preconditioned, &v.trial_free,
                               &v.trial_preconditioned, &v.direction, &v.change})
    *field = take(v, v.n);
  for (std::uint32_t* field : {&v.steps, &v.preconditioned_changes})
    *field = take(v, std::size_t{NS_HISTORY} * padded(v.n));
  v.held_column = take(v, std::size_t{NS_HELD} * padded(v.n));
}

void lay_out_tables(NsSolver& v, AlignedVector<double>& reals) {
  std::size_t size = 0;
  const auto grow = [&](std::size_t count) {
    const std::size_t begin = size;
    size += padded(count);
    return static_cast<std::uint32_t>(begin);
  };
  v.diagonal = grow(v.n);
  v.sigma = grow(v.n);
  v.shrink = grow(v.n);
  v.by_row = grow(std::size_t{v.rank_slices} * v.n * kLanes);
  v.by_parameter = grow(std::size_t{v.slices} * v.rank * kLanes);
  reals.assign(size, 0.0);
}

// One row of the metric into both tables; its part of the variances.
void store_row(const NsSolver& v, std::uint32_t r, const double* row, double sign, double* reals,
               std::vector<double>& variance) {
  double* by_row = reals + v.by_row + std::size_t{r / kLanes} * v.n * kLanes + r % kLanes;
  double* by_parameter = reals + v.by_parameter + std::size_t{r} * kLanes;
  for (std::size_t p = 0; p < v.n; ++p) {
    by_row[p * kLanes] = row[p];
    by_parameter[p / kLanes * v.rank * kLanes + p % kLanes] = sign * row[p];
    variance[p] += sign * (row[p] * row[p]);
  }
}

}  // namespace

std::vector<std::size_t> walled_parameters(const CompiledModel& model) {
  std::vector<char> constrained(model.n_parameters, 0), walled(model.n_parameters, 0);
  for (const auto& normal : model.normals) constrained[normal.parameter] = 1;
  for (const auto& poisson : model.poissons) constrained[poisson.parameter] = 1;
  for (const auto& gamma : model.gammas) walled[gamma.parameter] = constrained[gamma.parameter];
  std::vector<std::size_t> parameters;
  for (std::size_t p = 0; p < model.n_parameters; ++p) {
    if (walled[p]) parameters.push_back(p);
  }
  return parameters;
}

void store_rows(const CompiledModel& model, const MetricRows& rows, Metric& metric) {
  NsSolver& v = metric.layout;
  v.n = static_cast<std::uint32_t>(rows.parameters);
  v.slices = padded(v.n) / kLanes;
  const auto minus = static_cast<std::uint32_t>(rows.n_minus);
  v.rank = minus + static_cast<std::uint32_t>(rows.n_plus);
  v.rank_slices = padded(v.rank) / kLanes;
  lay_out_tables(v, metric.reals);
  lay_out_row(v);
  double* reals = metric.reals.data();
  std::vector<double> variance = rows.diagonal;
  for (std::uint32_t r = 0; r < minus; ++r)
    store_row(v, r, rows.minus.data() + std::size_t{r} * v.n, -1.0, reals, variance);
  for (std::uint32_t r = minus; r < v.rank; ++r)
    store_row(v, r, rows.plus.data() + std::size_t{r - minus} * v.n, 1.0, reals, variance);
  for (std::size_t p = 0; p < v.n; ++p) {
    reals[v.diagonal + p] = rows.diagonal[p];
    reals[v.sigma + p] = std::sqrt(std::max(variance[p], 0.0));
  }
  for (const std::size_t p : walled_parameters(model)) reals[v.shrink + p] = kWall;
}

}  // namespace nextstat

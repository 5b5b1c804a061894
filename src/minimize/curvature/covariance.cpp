#include "minimize/curvature/covariance.h"

#include <nextstat/matrix.h>

#include <cmath>

#include "base/no_value.h"

namespace nextstat {
namespace {

// Parameters with a smaller part of a flat direction do not count to it.
constexpr double kNamedPart = 1e-3;

std::vector<std::size_t> named_parameters(const FlatDirection& direction) {
  std::vector<std::size_t> named;
  for (const auto& [parameter, part] : direction.parts) {
    if (std::abs(part) > kNamedPart * std::abs(direction.parts.front().second) || parameter == direction.held)
      named.push_back(parameter);
  }
  return named;
}

std::vector<double> diagonal_of(const std::vector<double>& matrix, std::size_t n) {
  std::vector<double> diagonal(n);
  for (std::size_t i = 0; i < n; ++i) diagonal[i] = matrix[i * (n + 1)];
  return diagonal;
}

}  // namespace

Covariance covariance(const CompiledModel& model, const Dataset& data, std::span<const double> parameters,
                      std::span<const char> free, std::size_t threads) {
  Covariance result;
  auto factor = std::make_shared<HessianFactor>(model, hessian_parts(model, data, parameters, threads), free,
                                                dense::Run{.threads = threads});
  result.downhill = factor->downhill();
  result.smallest_pivot = factor->smallest_pivot();
  if (!result.positive_definite()) {
    for (const char is_free : free) result.variances.push_back(is_free ? kNoValue : 0.0);
    return result;
  }
  const std::size_t n = model.n_parameters;
  const bool whole = n <= kMostParametersOfMatrix;
  if (whole) result.matrix = factor->matrix();
  result.variances = whole ? diagonal_of(result.matrix, n) : factor->variances();
  for (const FlatDirection& direction : factor->flat()) {
    result.flat.push_back(named_parameters(direction));
    for (const std::size_t i : result.flat.back()) result.variances[i] = kNoValue;
  }
  if (whole) result.hide_flat(result.matrix);
  result.factor = std::move(factor);
  return result;
}

std::vector<double> Covariance::column(std::size_t parameter) const {
  const std::size_t n = variances.size();
  if (!matrix.empty()) {
    const auto row = matrix.begin() + static_cast<std::ptrdiff_t>(parameter * n);
    return {row, row + static_cast<std::ptrdiff_t>(n)};
  }
  if (!factor || std::isnan(variances[parameter])) return std::vector<double>(n, kNoValue);
  std::vector<double> unit(n, 0.0);
  unit[parameter] = 1;
  std::vector<double> column = factor->solve(unit);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(variances[i])) column[i] = kNoValue;
  }
  column[parameter] = variances[parameter];
  return column;
}

std::vector<double> Covariance::take_matrix() {
  if (!matrix.empty()) return std::move(matrix);
  const std::size_t n = variances.size();
  std::vector<double> made = factor ? factor->matrix() : std::vector<double>(n * n, 0.0);
  hide_flat(made);
  return made;
}

void Covariance::hide_flat(std::vector<double>& values) const {
  const std::size_t n = variances.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isnan(variances[i])) continue;
    for (std::size_t j = 0; j < n; ++j) values[i * n + j] = values[j * n + i] = kNoValue;
  }
}

}  // namespace nextstat

#include "minimize/covariance.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/derivatives.h"

namespace nextstat {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Eigenvalues of the Hessian in units of its diagonal: below this a direction is flat, below minus this it
// goes downhill.
constexpr double kFlat = 1e-10;
// Parts of a flat direction that are named.
constexpr double kNamedPart = 0.05;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The inverse without the flat directions, when there are any.
Matrix inverse_of_singular(const Matrix& scaled, std::span<const std::size_t> parameters,
                           Covariance& result) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(scaled);
  const Eigen::Index size = scaled.rows();
  Matrix inverse = Matrix::Zero(size, size);
  for (Eigen::Index k = 0; k < size; ++k) {
    const double value = eigen.eigenvalues()[k];
    const Eigen::VectorXd vector = eigen.eigenvectors().col(k);
    if (value < -kFlat) result.positive_definite = false;
    if (value > kFlat) {
      inverse.noalias() += vector * vector.transpose() / value;
      continue;
    }
    std::vector<std::pair<double, std::size_t>> parts;
    for (Eigen::Index i = 0; i < size; ++i) {
      if (std::abs(vector[i]) > kNamedPart)
        parts.emplace_back(-std::abs(vector[i]), static_cast<std::size_t>(i));
    }
    std::sort(parts.begin(), parts.end());
    FlatDirection direction;
    for (const auto& [part, i] : parts) {
      direction.parameters.push_back(parameters[i]);
      inverse.row(static_cast<Eigen::Index>(i)).setConstant(kNone);
      inverse.col(static_cast<Eigen::Index>(i)).setConstant(kNone);
    }
    if (value >= -kFlat) result.flat.push_back(std::move(direction));
  }
  return inverse;
}

}  // namespace

Covariance covariance(const CompiledModel& model, const DataSet& data, std::span<const double> parameters,
                      std::span<const char> free, std::size_t) {
  const std::size_t n = model.n_parameters;
  std::vector<std::size_t> moving;
  for (std::size_t i = 0; i < n; ++i) {
    if (free[i]) moving.push_back(i);
  }
  Covariance result;
  result.matrix.assign(n * n, 0.0);
  const std::vector<double> full = hessian(model, data, parameters);
  const Eigen::Index size = static_cast<Eigen::Index>(moving.size());
  Matrix scaled(size, size);
  Eigen::VectorXd scale(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const double diagonal = full[moving[static_cast<std::size_t>(i)] * (n + 1)];
    scale[i] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1.0;
  }
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j)
      scaled(i, j) = full[moving[static_cast<std::size_t>(i)] * n + moving[static_cast<std::size_t>(j)]] *
                     scale[i] * scale[j];
  }
  const Eigen::LLT<Matrix> root(scaled);
  Matrix inverse;
  const Eigen::VectorXd pivots = Matrix(root.matrixL()).diagonal();
  if (root.info() == Eigen::Success && (size == 0 || pivots.cwiseAbs2().minCoeff() > 1e-8)) {
    inverse = root.solve(Matrix::Identity(size, size));
  } else {
    inverse = inverse_of_singular(scaled, moving, result);
  }
  if (!result.positive_definite) inverse.setConstant(kNone);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j)
      result.matrix[moving[static_cast<std::size_t>(i)] * n + moving[static_cast<std::size_t>(j)]] =
          inverse(i, j) * scale[i] * scale[j];
  }
  return result;
}

}  // namespace nextstat

#include "minimize/make_metric.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "model/derivatives.h"

namespace nextstat {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::uint32_t kLanes = 8;
constexpr double kSmallestRate =
    1.0;  // a bin expected to be almost empty says no more than one with one count

std::uint32_t padded(std::size_t count) {
  return static_cast<std::uint32_t>((count + kLanes - 1) / kLanes * kLanes);
}

struct Rows {
  Vector diagonal;     // [parameter]
  Matrix minus, plus;  // [row][parameter]
};

class MetricBuilder {
 public:
  MetricBuilder(const CompiledModel& model, std::span<const double> x, std::span<const char> fixed)
      : size_(static_cast<Eigen::Index>(model.n_parameters)),
        bins_(static_cast<Eigen::Index>(model.n_bins)),
        jacobian_(Matrix::Zero(bins_, size_)),
        rate_(bins_),
        information_(Vector::Zero(size_)) {
    const Jacobian first = jacobian(model, x);
    for (const JacobianBlock& block : first.blocks) {
      for (std::size_t b = 0; b < block.bins; ++b) {
        for (std::size_t c = 0; c < block.parameters.size(); ++c) {
          if (!fixed[block.parameters[c]])
            jacobian_(static_cast<Eigen::Index>(block.first_bin + b), block.parameters[c]) =
                block.values[b * block.parameters.size() + c];
        }
      }
    }
    for (Eigen::Index b = 0; b < bins_; ++b)
      rate_[b] = std::max(first.rates[static_cast<std::size_t>(b)], kSmallestRate);
    for (const auto& normal : model.normals)
      information_[normal.parameter] += 1.0 / (normal.sigma * normal.sigma);
    for (const auto& poisson : model.poissons)
      information_[poisson.parameter] += poisson.tau / std::max(x[poisson.parameter], 1e-3);
    for (Eigen::Index p = 0; p < size_; ++p) {
      if (fixed[static_cast<std::size_t>(p)]) continue;
      (information_[p] > 0 ? constrained_ : unconstrained_).push_back(p);
    }
  }

  bool prefers_bins() const {
    return bins_ <= static_cast<Eigen::Index>(constrained_.size() + unconstrained_.size());
  }

  // Woodbury over bins: V = diag(nu) + Jc C^-1 Jc^T = L L^T, K = L^-1 Jc C^-1, N = L^-1 Ju, N^T N = R R^T, T
  // = N R^-T; minus = K, plus = (-T^T K, R^-1).
  Rows over_bins() {
    Matrix scaled(bins_, constrained_.size());
    Matrix v = rate_.asDiagonal();
    for (Eigen::Index c = 0; c < scaled.cols(); ++c)
      scaled.col(c) = jacobian_.col(constrained_[static_cast<std::size_t>(c)]) /
                      std::sqrt(information_[constrained_[static_cast<std::size_t>(c)]]);
    v.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
    const Eigen::LLT<Matrix> root(v.selfadjointView<Eigen::Lower>());
    for (Eigen::Index c = 0; c < scaled.cols(); ++c)
      scaled.col(c) /= std::sqrt(information_[constrained_[static_cast<std::size_t>(c)]]);
    root.matrixL().solveInPlace(scaled);
    Matrix border(bins_, unconstrained_.size());
    for (Eigen::Index u = 0; u < border.cols(); ++u)
      border.col(u) = jacobian_.col(unconstrained_[static_cast<std::size_t>(u)]);
    root.matrixL().solveInPlace(border);
    const Matrix schur_root = ridged_root(border.transpose() * border, unconstrained_);
    const Matrix inverse =
        schur_root.triangularView<Eigen::Lower>().solve(Matrix::Identity(border.cols(), border.cols()));
    const Matrix orthonormal = border * inverse.transpose();
    Rows rows{Vector::Zero(size_), Matrix::Zero(bins_, size_), Matrix::Zero(border.cols(), size_)};
    const Matrix coupling = -(orthonormal.transpose() * scaled);
    for (Eigen::Index c = 0; c < scaled.cols(); ++c) {
      const Eigen::Index p = constrained_[static_cast<std::size_t>(c)];
      rows.diagonal[p] = 1.0 / information_[p];
      rows.minus.col(p) = scaled.col(c);
      rows.plus.col(p) = coupling.col(c);
    }
    for (Eigen::Index u = 0; u < border.cols(); ++u)
      rows.plus.col(unconstrained_[static_cast<std::size_t>(u)]) = inverse.col(u);
    return rows;
  }

  // P = L L^T over parameters; plus = L^-1.
  Rows over_parameters() {
    std::vector<Eigen::Index> free = constrained_;
    free.insert(free.end(), unconstrained_.begin(), unconstrained_.end());
    const Eigen::Index count = static_cast<Eigen::Index>(free.size());
    Matrix scaled(bins_, count);
    for (Eigen::Index c = 0; c < count; ++c)
      scaled.col(c) = jacobian_.col(free[static_cast<std::size_t>(c)]).cwiseQuotient(rate_.cwiseSqrt());
    Matrix p = Matrix::Zero(count, count);
    for (Eigen::Index c = 0; c < count; ++c) p(c, c) = information_[free[static_cast<std::size_t>(c)]];
    p.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    const Matrix root = ridged_root(p.selfadjointView<Eigen::Lower>(), free);
    const Matrix inverse = root.triangularView<Eigen::Lower>().solve(Matrix::Identity(count, count));
    Rows rows{Vector::Zero(size_), Matrix::Zero(0, size_), Matrix::Zero(count, size_)};
    for (Eigen::Index c = 0; c < count; ++c)
      rows.plus.col(free[static_cast<std::size_t>(c)]) = inverse.col(c);
    return rows;
  }

  std::vector<std::size_t> flat;

 private:
  // Cholesky factor; directions without information get a ridge, and their parameters are reported.
  Matrix ridged_root(Matrix matrix, const std::vector<Eigen::Index>& names) {
    const double largest = matrix.size() ? matrix.diagonal().maxCoeff() : 1.0;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      if (!(matrix(i, i) > 1e-14 * largest)) {
        flat.push_back(static_cast<std::size_t>(names[static_cast<std::size_t>(i)]));
        matrix(i, i) += std::max(largest, 1.0);
      }
    }
    Eigen::LLT<Matrix> root(matrix);
    for (double ridge = 1e-12; root.info() != Eigen::Success && ridge < 10; ridge *= 100) {
      Matrix shifted = matrix;
      shifted.diagonal() *= 1 + ridge;
      root.compute(shifted);
    }
    return root.matrixL();
  }

  Eigen::Index size_, bins_;
  Matrix jacobian_;
  Vector rate_, information_;
  std::vector<Eigen::Index> constrained_, unconstrained_;
};

std::uint32_t take(NsSolver& layout, std::size_t count) {
  const std::uint32_t begin = layout.row_size;
  layout.row_size += padded(count);
  return begin;
}

void lay_out_row(NsSolver& v) {
  v.row_size = 0;
  for (std::uint32_t* field :
       {&v.x, &v.low, &v.high, &v.free, &v.gradient, &v.preconditioned, &v.trial, &v.trial_free,
        &v.trial_gradient, &v.trial_preconditioned, &v.direction, &v.raw_gradient})
    *field = take(v, v.n);
  for (std::uint32_t* field : {&v.steps, &v.changes, &v.preconditioned_changes})
    *field = take(v, std::size_t{NS_HISTORY} * padded(v.n));
  v.held_index = take(v, NS_HELD);
  v.held_column = take(v, std::size_t{NS_HELD} * padded(v.n));
  v.held_share = take(v, 1);
  v.product = take(v, v.rank);
  v.partial = take(v, 32);
  v.gram_sy = take(v, NS_HISTORY * NS_HISTORY);
  v.gram_yp = take(v, NS_HISTORY * NS_HISTORY);
  for (std::uint32_t* field : {&v.dot_sg, &v.dot_pg, &v.alpha, &v.beta}) *field = take(v, NS_HISTORY);
  v.control = take(v, NS_C_SIZE);
}

void store(const Rows& rows, Metric& metric) {
  NsSolver& v = metric.layout;
  const auto grow = [&](std::size_t count) {
    const std::size_t begin = metric.reals.size();
    metric.reals.resize(begin + padded(count), 0.0);
    return static_cast<std::uint32_t>(begin);
  };
  v.minus = static_cast<std::uint32_t>(rows.minus.rows());
  v.rank = v.minus + static_cast<std::uint32_t>(rows.plus.rows());
  v.rank_slices = padded(v.rank) / kLanes;
  v.diagonal = grow(v.n);
  v.sigma = grow(v.n);
  v.shrink = grow(v.n);
  v.by_row = grow(std::size_t{v.rank_slices} * v.n * kLanes);
  v.by_parameter = grow(std::size_t{v.slices} * v.rank * kLanes);
  for (std::uint32_t p = 0; p < v.n; ++p) {
    double variance = rows.diagonal[p];
    metric.reals[v.diagonal + p] = rows.diagonal[p];
    for (std::uint32_t r = 0; r < v.rank; ++r) {
      const double value = r < v.minus ? rows.minus(r, p) : rows.plus(r - v.minus, p);
      variance += r < v.minus ? -value * value : value * value;
      metric.reals[v.by_row + (std::size_t{r / kLanes} * v.n + p) * kLanes + r % kLanes] = value;
      metric.reals[v.by_parameter + (std::size_t{p / kLanes} * v.rank + r) * kLanes + p % kLanes] = value;
    }
    metric.reals[v.sigma + p] = std::sqrt(std::max(variance, 0.0));
  }
}

}  // namespace

Metric make_metric(const CompiledModel& model, std::span<const double> parameters,
                   std::span<const char> fixed) {
  MetricBuilder builder(model, parameters, fixed);
  Metric metric;
  metric.layout.n = static_cast<std::uint32_t>(model.n_parameters);
  metric.layout.slices = padded(model.n_parameters) / kLanes;
  metric.by_bins = builder.prefers_bins();
  store(metric.by_bins ? builder.over_bins() : builder.over_parameters(), metric);
  for (const auto& poisson : model.poissons) metric.reals[metric.layout.shrink + poisson.parameter] = 0.1;
  metric.flat = std::move(builder.flat);
  lay_out_row(metric.layout);
  return metric;
}

}  // namespace nextstat

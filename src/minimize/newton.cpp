#include "minimize/newton.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "minimize/metric_rows.h"
#include "model/derivatives.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostSteps = 200;

class Newton {
 public:
  Newton(const NewtonProblem& problem, RowOutcome& row)
      : p_(problem), row_(row), x_(row.parameters), walled_(x_.size(), 0) {
    for (std::size_t i : walled_parameters(p_.model)) walled_[i] = 1;
  }

  void run() {
    value_ = evaluate(x_, gradient_);
    row_.status = RowStatus::NoDecrease;
    if (!std::isfinite(value_)) {
      row_.status = RowStatus::NotFinite;
    } else {
      for (std::size_t step = 0; step < kMostSteps && advance(); ++step) ++row_.iterations;
    }
    row_.parameters = x_;
    row_.nll = value_;
  }

 private:
  double evaluate(std::span<const double> x, std::vector<double>& gradient) {
    ++row_.evaluations;
    return p_.evaluate(x, gradient);
  }

  void find_free() {
    free_.clear();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const bool held = gradient_[i] > 0 ? x_[i] <= p_.low[i] : x_[i] >= p_.high[i];
      if (p_.low[i] < p_.high[i] && !held) free_.push_back(i);
    }
  }

  // One step; false at the end, with the status set.
  bool advance() {
    if (p_.stop_token.stop_requested()) {
      row_.status = RowStatus::Interrupted;
      return false;
    }
    find_free();
    const Eigen::Index count = static_cast<Eigen::Index>(free_.size());
    const std::vector<double> full = hessian(p_.model, p_.data, x_);
    Eigen::MatrixXd h(count, count);
    Eigen::VectorXd g(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      g[i] = gradient_[free_[static_cast<std::size_t>(i)]];
      for (Eigen::Index j = 0; j < count; ++j)
        h(i, j) = full[free_[static_cast<std::size_t>(i)] * x_.size() + free_[static_cast<std::size_t>(j)]];
    }
    for (double shift = 0; shift < 1e12; shift = shift == 0 ? 1e-6 : shift * 10) {
      Eigen::MatrixXd shifted = h;
      for (Eigen::Index i = 0; i < count; ++i) shifted(i, i) += shift * std::max(std::abs(h(i, i)), 1e-12);
      const Eigen::LLT<Eigen::MatrixXd> root(shifted);
      if (root.info() != Eigen::Success) continue;
      const Eigen::VectorXd direction = -root.solve(g);
      if (shift == 0 && is_minimum(g, direction, h)) {
        row_.status = RowStatus::Converged;
        return false;
      }
      if (search(direction)) return true;
    }
    return false;
  }

  bool is_minimum(const Eigen::VectorXd& g, const Eigen::VectorXd& direction, const Eigen::MatrixXd& h) {
    row_.edm = g.size() ? -g.dot(direction) / 2 : 0.0;
    row_.scaled_gradient = 0;
    for (Eigen::Index i = 0; i < g.size(); ++i)
      row_.scaled_gradient = std::max(row_.scaled_gradient, std::abs(g[i]) / std::sqrt(h(i, i)));
    return row_.edm <= p_.stop.edm && row_.scaled_gradient <= p_.stop.scaled_gradient;
  }

  bool search(const Eigen::VectorXd& direction) {
    std::vector<double> trial = x_, gradient(x_.size());
    for (double step = 1; step > 1e-10; step *= 0.3) {
      double slope = 0;
      for (std::size_t k = 0; k < free_.size(); ++k) {
        const std::size_t i = free_[k];
        const double low = walled_[i] ? std::max(p_.low[i], x_[i] * kWall) : p_.low[i];
        trial[i] = std::clamp(x_[i] + step * direction[static_cast<Eigen::Index>(k)], low,
                              std::max(low, p_.high[i]));
        slope += gradient_[i] * (trial[i] - x_[i]);
      }
      const double value = evaluate(trial, gradient);
      const double noise = 1e-15 * (std::abs(value_) + 1);
      if (value <= value_ + 1e-4 * slope + noise && trial != x_) {
        x_ = trial;
        gradient_ = gradient;
        value_ = value;
        return true;
      }
    }
    return false;
  }

  const NewtonProblem& p_;
  RowOutcome& row_;
  std::vector<double> x_, gradient_;
  std::vector<char> walled_;
  std::vector<std::size_t> free_;
  double value_ = 0;
};

}  // namespace

void newton(const NewtonProblem& problem, RowOutcome& row) { Newton(problem, row).run(); }

}  // namespace nextstat

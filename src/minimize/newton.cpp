#include "minimize/newton.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "minimize/metric_rows.h"
#include "model/derivatives.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostSteps = 400;
constexpr double kSmallestShift = 1e-6, kLargestShift = 1e12, kShortestStep = 0.05;

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
    const std::vector<double> full = hessian(p_.model, p_.data, x_);
    // A step that has to be cut short is worth less than one with a larger shift, which bends towards the
    // scaled gradient; the shift that worked is where the next step begins.
    for (double shift = shift_; shift < kLargestShift; shift = shift == 0 ? kSmallestShift : shift * 10) {
      const std::optional<Eigen::VectorXd> direction = newton_direction(full, shift);
      if (!direction) continue;
      if (shift == 0 && is_minimum(full)) {
        row_.status = RowStatus::Converged;
        return false;
      }
      if (!search(*direction, shift * 10 < kLargestShift ? kShortestStep : 1e-10)) continue;
      shift_ = shift > kSmallestShift ? shift / 10 : 0;
      return true;
    }
    // Perhaps the end was reached while the steps were still shifted.
    const bool again = shift_ > 0;
    shift_ = 0;
    return again;
  }

  // -(H + shift)^-1 g over the moving parameters; none when that is not positive definite. A parameter that
  // stands at its bound and would be pushed out of it is held, and the others are solved for again: clamping
  // it alone would leave their steps made for a move that does not happen.
  std::optional<Eigen::VectorXd> newton_direction(const std::vector<double>& full, double shift) {
    moving_ = free_;
    for (;;) {
      const Eigen::Index count = static_cast<Eigen::Index>(moving_.size());
      Eigen::MatrixXd h(count, count);
      Eigen::VectorXd g(count);
      for (Eigen::Index i = 0; i < count; ++i) {
        const std::size_t row = moving_[static_cast<std::size_t>(i)];
        g[i] = gradient_[row];
        for (Eigen::Index j = 0; j < count; ++j)
          h(i, j) = full[row * x_.size() + moving_[static_cast<std::size_t>(j)]];
        h(i, i) += shift * std::max(std::abs(h(i, i)), 1e-12);
      }
      const Eigen::LLT<Eigen::MatrixXd> root(h);
      if (root.info() != Eigen::Success) return std::nullopt;
      const Eigen::VectorXd direction = -root.solve(g);
      std::vector<std::size_t> kept;
      for (Eigen::Index i = 0; i < count; ++i) {
        const std::size_t p = moving_[static_cast<std::size_t>(i)];
        const bool out = direction[i] < 0 ? x_[p] <= p_.low[p] : x_[p] >= p_.high[p];
        if (!out) kept.push_back(p);
      }
      if (kept.size() == moving_.size()) return direction;
      moving_ = std::move(kept);
    }
  }

  // Both stop figures, over all free parameters.
  bool is_minimum(const std::vector<double>& full) {
    const Eigen::Index count = static_cast<Eigen::Index>(free_.size());
    Eigen::MatrixXd h(count, count);
    Eigen::VectorXd g(count);
    row_.scaled_gradient = 0;
    for (Eigen::Index i = 0; i < count; ++i) {
      const std::size_t row = free_[static_cast<std::size_t>(i)];
      g[i] = gradient_[row];
      for (Eigen::Index j = 0; j < count; ++j)
        h(i, j) = full[row * x_.size() + free_[static_cast<std::size_t>(j)]];
      row_.scaled_gradient = std::max(row_.scaled_gradient, std::abs(g[i]) / std::sqrt(h(i, i)));
    }
    const Eigen::LLT<Eigen::MatrixXd> root(h);
    if (root.info() != Eigen::Success) return false;
    row_.edm = count ? g.dot(root.solve(g)) / 2 : 0.0;
    return row_.edm <= p_.stop.edm && row_.scaled_gradient <= p_.stop.scaled_gradient;
  }

  bool search(const Eigen::VectorXd& direction, double shortest) {
    std::vector<double> trial = x_, gradient(x_.size());
    for (double step = 1; step > shortest; step *= 0.3) {
      double slope = 0;
      for (std::size_t k = 0; k < moving_.size(); ++k) {
        const std::size_t i = moving_[k];
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
  std::vector<std::size_t> free_, moving_;  // not held by gradient and bound; of them those that a step moves
  double value_ = 0, shift_ = 0;
};

}  // namespace

void newton(const NewtonProblem& problem, RowOutcome& row) { Newton(problem, row).run(); }

}  // namespace nextstat

#include "minimize/newton.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "minimize/hessian_factor.h"
#include "minimize/metric_rows.h"
#include "model/derivatives.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostSteps = 400;
constexpr double kSmallestShift = 1e-6, kLargestShift = 1e12, kShortestStep = 0.05;
// A direction without curvature is followed as far as the bounds allow, or this many units of its parameters.
constexpr double kLongestFlatStep = 1e6;

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

  // Parameters that are fixed, or at a bound with the gradient pointing out of it, do not move.
  void find_moving() {
    moving_.assign(x_.size(), 0);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const bool held = gradient_[i] > 0 ? x_[i] <= p_.low[i] : x_[i] >= p_.high[i];
      moving_[i] = p_.low[i] < p_.high[i] && !held;
    }
  }

  // One step; false at the end, with the status set.
  bool advance() {
    if (p_.stop_token.stop_requested()) {
      row_.status = RowStatus::Interrupted;
      return false;
    }
    const HessianParts parts = hessian_parts(p_.model, p_.data, x_);
    // A step that has to be cut short is worth less than one with a larger shift, which bends towards the
    // scaled gradient; the shift that worked is where the next step begins.
    for (double shift = shift_; shift < kLargestShift; shift = shift == 0 ? kSmallestShift : shift * 10) {
      find_moving();
      const std::optional<std::vector<double>> direction = newton_direction(parts, shift);
      if (row_.status == RowStatus::Converged) return false;
      if (!direction || !search(*direction, shift * 10 < kLargestShift ? kShortestStep : 1e-10)) continue;
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
  std::optional<std::vector<double>> newton_direction(const HessianParts& parts, double shift) {
    for (bool first = true;; first = false) {
      const HessianFactor factor(p_.model, parts, moving_, {.threads = 1}, shift);
      if (!factor.downhill().empty()) return std::nullopt;
      std::vector<double> direction = factor.solve(gradient_);
      if (first && shift == 0 && is_minimum(factor, direction)) {
        row_.status = RowStatus::Converged;
        return std::nullopt;
      }
      for (double& part : direction) part = -part;
      for (const FlatDirection& flat : factor.flat()) follow(flat, factor.units(), direction);
      if (!hold_pushed_out(direction)) return direction;
    }
  }

  bool hold_pushed_out(const std::vector<double>& direction) {
    bool any = false;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (!moving_[i] || direction[i] == 0) continue;
      const bool out = direction[i] < 0 ? x_[i] <= p_.low[i] : x_[i] >= p_.high[i];
      if (out) moving_[i] = 0;
      any = any || out;
    }
    return any;
  }

  // Along a direction without curvature a slope leads to a bound: adds the way to the first one.
  void follow(const FlatDirection& flat, const std::vector<double>& units, std::vector<double>& direction) {
    double slope = 0, size = 0, room = kLongestFlatStep;
    for (const auto& [i, part] : flat.parts) {
      slope += part * units[i] * gradient_[i];
      size += std::abs(part * units[i] * gradient_[i]);
    }
    if (std::abs(slope) <= p_.stop.scaled_gradient + 1e-9 * size) return;
    for (const auto& [i, part] : flat.parts) {
      const double move = slope > 0 ? -part * units[i] : part * units[i];
      room = std::min(room, (move < 0 ? p_.low[i] - x_[i] : p_.high[i] - x_[i]) / move);
    }
    for (const auto& [i, part] : flat.parts)
      direction[i] += (slope > 0 ? -room : room) * part * units[i];
  }

  // Both stop figures, over all moving parameters.
  bool is_minimum(const HessianFactor& factor, const std::vector<double>& solution) {
    row_.scaled_gradient = row_.edm = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (!moving_[i]) continue;
      row_.scaled_gradient =
          std::max(row_.scaled_gradient, std::abs(gradient_[i]) * factor.units()[i]);
      row_.edm += gradient_[i] * solution[i] / 2;
    }
    return row_.edm <= p_.stop.edm && row_.scaled_gradient <= p_.stop.scaled_gradient;
  }

  bool search(const std::vector<double>& direction, double shortest) {
    std::vector<double> trial = x_, gradient(x_.size());
    for (double step = 1; step > shortest; step *= 0.3) {
      double slope = 0;
      for (std::size_t i = 0; i < x_.size(); ++i) {
        if (!moving_[i]) continue;
        const double low = walled_[i] ? std::max(p_.low[i], x_[i] * kWall) : p_.low[i];
        trial[i] = std::clamp(x_[i] + step * direction[i], low, std::max(low, p_.high[i]));
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
  std::vector<char> walled_, moving_;
  double value_ = 0, shift_ = 0;
};

}  // namespace

void newton(const NewtonProblem& problem, RowOutcome& row) { Newton(problem, row).run(); }

}  // namespace nextstat

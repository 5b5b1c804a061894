#include "minimize/rows/newton.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "minimize/curvature/hessian_factor.h"
#include "minimize/curvature/metric_rows.h"
#include "model/derivatives/derivatives.h"

namespace nextstat {
namespace {

constexpr std::size_t kStraightSteps = 20;
constexpr double kSmallestShift = 1e-6, kLargestShift = 1e12, kShortestStep = 0.05;
// A direction without curvature is followed as far as the bounds allow, or this many units of its parameters.
constexpr double kLongestFlatStep = 1e6;
// In the logarithm of a factor.
constexpr double kLongestScale = 5;

class Newton {
 public:
  Newton(const NewtonProblem& problem, RowOutcome& row)
      : p_(problem), row_(row), here_{row.parameters, {}, 0}, walled_(row.parameters.size(), 0) {
    for (std::size_t i : walled_parameters(p_.model)) walled_[i] = 1;
    factor_.assign(here_.x.size(), 1);
    for (const auto& normal : p_.model.normals) factor_[normal.parameter] = 0;
    for (const auto& poisson : p_.model.poissons) factor_[poisson.parameter] = 0;
  }

  void run() {
    here_.value = evaluate(here_.x, here_.gradient);
    row_.status = RowStatus::NoDecrease;
    if (!std::isfinite(here_.value)) {
      row_.status = RowStatus::NotFinite;
    } else {
      for (std::size_t step = 0; step < p_.most_steps && advance(step); ++step) ++row_.iterations;
    }
    row_.parameters = here_.x;
    row_.nll = here_.value;
  }

 private:
  struct Point {
    std::vector<double> x, gradient;
    double value = 0;
  };
  struct Path {
    double shift = 0;  // that the next step begins with
  };

  double evaluate(std::span<const double> x, std::vector<double>& gradient) {
    ++row_.evaluations;
    return p_.evaluate(x, gradient);
  }

  // Most rows need few steps. Where the product of factors matters, the NLL has a curved valley, x y = const,
  // in which straight steps must be short. In y = log x it is straight:
  //   H_y = x H x + diag(x g)
  // so g / x is added to the diagonal of H, and a step multiplies.
  bool is_scale(const Path& path, std::size_t i) const {
    return &path == &by_scale_ && factor_[i] && here_.x[i] != 0;
  }

  // Parameters that are fixed, or at a bound with the gradient pointing out of it, do not move.
  void find_moving() {
    moving_.assign(here_.x.size(), 0);
    for (std::size_t i = 0; i < here_.x.size(); ++i) {
      const bool held = here_.gradient[i] > 0 ? here_.x[i] <= p_.low[i] : here_.x[i] >= p_.high[i];
      moving_[i] = p_.low[i] < p_.high[i] && !held;
    }
  }

  // One step; false at the end, with the status set.
  bool advance(std::size_t step) {
    if (p_.stop_token.stop_requested()) {
      row_.status = RowStatus::Interrupted;
      return false;
    }
    const HessianParts parts = hessian_parts(p_.model, p_.data, here_.x);
    std::optional<Point> next = best_step(parts, straight_);
    if (row_.status == RowStatus::Converged) return false;
    if (step >= kStraightSteps) {
      std::optional<Point> other = best_step(parts, by_scale_);
      if (other && !(next && next->value <= other->value)) next = std::move(other);
    }
    if (next) {
      here_ = std::move(*next);
      return true;
    }
    // Perhaps the end was reached while the steps were still shifted.
    const bool again = straight_.shift > 0;
    straight_.shift = 0;
    return again;
  }

  // A step that has to be cut short is worth less than one with a larger shift, which bends towards the
  // scaled gradient; the shift that worked is where the next step begins.
  std::optional<Point> best_step(const HessianParts& parts, Path& path) {
    for (double shift = path.shift; shift < kLargestShift; shift = shift == 0 ? kSmallestShift : shift * 10) {
      find_moving();
      const std::optional<std::vector<double>> direction = newton_direction(parts, path, shift);
      if (row_.status == RowStatus::Converged) return std::nullopt;
      if (!direction) continue;
      std::optional<Point> found =
          search(*direction, path, shift * 10 < kLargestShift ? kShortestStep : 1e-10);
      if (!found) continue;
      path.shift = shift > kSmallestShift ? shift / 10 : 0;
      return found;
    }
    return std::nullopt;
  }

  // -(H + shift)^-1 g over the moving parameters; none when that is not positive definite. A parameter that
  // stands at its bound and would be pushed out of it is held, and the others are solved for again: clamping
  // it alone would leave their steps made for a move that does not happen.
  std::optional<std::vector<double>> newton_direction(const HessianParts& parts, const Path& path,
                                                      double shift) {
    std::vector<double> extra(here_.x.size(), 0.0);
    for (std::size_t i = 0; i < here_.x.size(); ++i) {
      if (is_scale(path, i)) extra[i] = here_.gradient[i] / here_.x[i];
    }
    for (bool first = true;; first = false) {
      const HessianFactor factor(p_.model, parts, moving_, {.threads = 1}, shift, extra);
      if (!factor.downhill().empty()) return std::nullopt;
      std::vector<double> direction = factor.solve(here_.gradient);
      if (first && shift == 0 && &path == &straight_ && is_minimum(factor, direction)) {
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
    for (std::size_t i = 0; i < here_.x.size(); ++i) {
      if (!moving_[i] || direction[i] == 0) continue;
      const bool out = direction[i] < 0 ? here_.x[i] <= p_.low[i] : here_.x[i] >= p_.high[i];
      if (out) moving_[i] = 0;
      any = any || out;
    }
    return any;
  }

  // Along a direction without curvature a slope leads to a bound: adds the way to the first one.
  void follow(const FlatDirection& flat, const std::vector<double>& units, std::vector<double>& direction) {
    double slope = 0, size = 0, room = kLongestFlatStep;
    for (const auto& [i, part] : flat.parts) {
      slope += part * units[i] * here_.gradient[i];
      size += std::abs(part * units[i] * here_.gradient[i]);
    }
    if (std::abs(slope) <= p_.convergence.scaled_gradient + 1e-9 * size) return;
    for (const auto& [i, part] : flat.parts) {
      const double move = slope > 0 ? -part * units[i] : part * units[i];
      room = std::min(room, (move < 0 ? p_.low[i] - here_.x[i] : p_.high[i] - here_.x[i]) / move);
    }
    for (const auto& [i, part] : flat.parts) direction[i] += (slope > 0 ? -room : room) * part * units[i];
  }

  // Both stop figures, over all moving parameters.
  bool is_minimum(const HessianFactor& factor, const std::vector<double>& solution) {
    row_.scaled_gradient = row_.edm = 0;
    for (std::size_t i = 0; i < here_.x.size(); ++i) {
      if (!moving_[i]) continue;
      row_.scaled_gradient = std::max(row_.scaled_gradient, std::abs(here_.gradient[i]) * factor.units()[i]);
      row_.edm += here_.gradient[i] * solution[i] / 2;
    }
    return row_.edm <= p_.convergence.edm && row_.scaled_gradient <= p_.convergence.scaled_gradient;
  }

  std::optional<Point> search(const std::vector<double>& direction, const Path& path, double shortest) {
    const std::vector<double>& x = here_.x;
    Point trial{x, std::vector<double>(x.size()), 0};
    for (double step = 1; step > shortest; step *= 0.3) {
      double slope = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (!moving_[i]) continue;
        const double low = walled_[i] ? std::max(p_.low[i], x[i] * kWall) : p_.low[i];
        trial.x[i] = std::clamp(moved(path, i, step * direction[i]), low, std::max(low, p_.high[i]));
        slope += here_.gradient[i] * (trial.x[i] - x[i]);
      }
      trial.value = evaluate(trial.x, trial.gradient);
      // Straight steps end the search, so they may be within rounding; others have to bring something.
      const double noise = (&path == &straight_ ? 1e-15 : -1e-12) * (std::abs(here_.value) + 1);
      if (trial.value <= here_.value + 1e-4 * slope + noise && trial.x != x) return trial;
    }
    return std::nullopt;
  }

  double moved(const Path& path, std::size_t i, double step) const {
    const double x = here_.x[i];
    return is_scale(path, i) ? x * std::exp(std::clamp(step / x, -kLongestScale, kLongestScale)) : x + step;
  }

  const NewtonProblem& p_;
  RowOutcome& row_;
  Point here_;
  Path straight_, by_scale_;
  std::vector<char> walled_, moving_;
  std::vector<char> factor_;  // [parameter] without a constraint
};

}  // namespace

void newton(const NewtonProblem& problem, RowOutcome& row) { Newton(problem, row).run(); }

}  // namespace nextstat

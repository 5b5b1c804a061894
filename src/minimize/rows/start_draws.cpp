#include "minimize/rows/start_draws.h"

#include <algorithm>
#include <cmath>

namespace nextstat {
namespace {

constexpr double kWidths[] = {0.5, 1.0, 2.0, 4.0};
constexpr std::size_t kScales = 5;      // those, and the bounds themselves
constexpr double kWidthOfFactor = 0.3;  // of a parameter without a constraint, as a part of its size
constexpr double kLargestBound = 1e6;   // of its size: beyond, a parameter counts as unbounded

}  // namespace

void set_constraint_widths(const CompiledModel& model, std::vector<double>& widths) {
  for (const auto& normal : model.normals) widths[normal.parameter] = normal.sigma;
  for (const auto& poisson : model.poissons)
    widths[poisson.parameter] = 1 / std::sqrt(std::max(poisson.tau, 1.0));
}

StartDraws::StartDraws(const CompiledModel& model, std::span<const double> start, std::span<const double> low,
                       std::span<const double> high, std::uint64_t seed)
    : start_(start.begin(), start.end()),
      low_(low.begin(), low.end()),
      high_(high.begin(), high.end()),
      width_(start.size(), 0.0),
      engine_(seed) {
  for (std::size_t i = 0; i < width_.size(); ++i)
    width_[i] = kWidthOfFactor * std::max(1.0, std::abs(start_[i]));
  set_constraint_widths(model, width_);
  for (std::size_t i = 0; i < width_.size(); ++i) {
    if (low_[i] == high_[i]) width_[i] = 0;
    const double furthest = kLargestBound * std::max(1.0, std::abs(start_[i]));
    low_[i] = std::max(low_[i], start_[i] - furthest);
    high_[i] = std::min(high_[i], start_[i] + furthest);
  }
}

double StartDraws::uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

std::vector<double> StartDraws::around(std::span<const double> center, double widths) {
  std::vector<double> point(center.begin(), center.end());
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (width_[i] == 0) continue;
    // The sum of three uniform numbers has the variance 1/4.
    double sum = uniform();
    sum += uniform();
    sum += uniform();
    const double normal = 2 * (sum - 1.5);
    point[i] = std::clamp(point[i] + widths * width_[i] * normal, low_[i], high_[i]);
  }
  return point;
}

std::vector<double> StartDraws::next() {
  const std::size_t scale = drawn_++ % kScales;
  if (scale + 1 < kScales) return around(start_, kWidths[scale]);
  std::vector<double> point = start_;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (width_[i] > 0) point[i] = low_[i] + uniform() * (high_[i] - low_[i]);
  }
  return point;
}

}  // namespace nextstat

#include "minimize/rows/plateau.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace nextstat {
namespace {

// A slope of the NLL in units of a factor: less is rounding.
constexpr double kSlope = 1e-6;

// How much a parameter at its bound wants to stay there: negative = it would leave it.
double hold_of(double slope, double x, double low, double high) {
  if (low == high) return 0;
  return x <= low ? slope : x >= high ? -slope : 0;
}

}  // namespace

Plateaus::Plateaus(const CompiledModel& model, std::span<const char> fixed) {
  std::vector<char> is_free(model.n_parameters);
  for (std::size_t p = 0; p < model.n_parameters; ++p) is_free[p] = !fixed[p];
  for (const auto& normal : model.normals) is_free[normal.parameter] = 0;
  for (const auto& poisson : model.poissons) is_free[poisson.parameter] = 0;
  std::set<std::size_t> of_samples, of_bins;
  std::vector<std::size_t> factors, gammas;  // of a sample
  for (const CompiledModel::Sample& sample : model.samples) {
    factors.clear();
    gammas.clear();
    for (std::uint32_t i = sample.factor_begin; i < sample.factor_end; ++i) {
      if (is_free[model.factors[i].parameter]) factors.push_back(model.factors[i].parameter);
    }
    for (std::uint32_t i = sample.gamma_begin; i < sample.gamma_end; ++i) {
      if (is_free[model.gammas[i].parameter]) gammas.push_back(model.gammas[i].parameter);
    }
    if (factors.size() < 2 && (factors.empty() || gammas.empty())) continue;
    of_samples.insert(factors.begin(), factors.end());
    of_bins.insert(gammas.begin(), gammas.end());
  }
  // Those of single bins first: a factor of all bins at 0 would hide what they can do.
  factors_.assign(of_bins.begin(), of_bins.end());
  factors_.insert(factors_.end(), of_samples.begin(), of_samples.end());
}

bool Plateaus::may_hold(std::span<const double> low, std::span<const double> high,
                        std::span<const double> x) const {
  return std::any_of(factors_.begin(), factors_.end(), [&](std::size_t p) {
    return x[p] == 0 && low[p] < high[p] && (low[p] == 0 || high[p] == 0);
  });
}

bool Plateaus::leave(std::span<const double> low, std::span<const double> high,
                     const std::function<std::vector<double>(const std::vector<double>&)>& gradient,
                     std::vector<double>& x) const {
  const std::vector<double> slopes = gradient(x);
  std::vector<std::size_t> held;  // at 0 by a slope; others have no effect
  for (const std::size_t p : factors_) {
    if (x[p] == 0 && hold_of(slopes[p], x[p], low[p], high[p]) > 0) held.push_back(p);
  }
  const auto least_hold = [&](const std::vector<double>& at) {
    const std::vector<double> slope = gradient(at);
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t p : held) least = std::min(least, hold_of(slope[p], at[p], low[p], high[p]));
    return least;
  };
  double least = least_hold(x);
  for (const std::size_t q : factors_) {
    if (slopes[q] != 0 || low[q] == high[q]) continue;
    for (const double value : {low[q], high[q]}) {
      if (!std::isfinite(value) || value == x[q]) continue;
      std::vector<double> other = x;
      other[q] = value;
      const double there = least_hold(other);
      if (there < least) {
        least = there;
        x = std::move(other);
      }
    }
  }
  return least < -kSlope;
}

}  // namespace nextstat

#include "minimize/plateau.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nextstat {
namespace {

// A slope of the NLL in units of the factor: less is rounding.
constexpr double kSlope = 1e-6;

// Samples that each parameter acts in, and those that a factor scales as a whole.
struct Uses {
  std::vector<std::set<std::uint32_t>> samples, scaled;  // [parameter]
  std::vector<char> constrained;
};

Uses uses_of(const CompiledModel& model) {
  Uses uses{std::vector<std::set<std::uint32_t>>(model.n_parameters),
            std::vector<std::set<std::uint32_t>>(model.n_parameters),
            std::vector<char>(model.n_parameters, 0)};
  const auto terms = [&](std::uint32_t s, const auto& list, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) uses.samples[list[i].parameter].insert(s);
  };
  for (std::uint32_t s = 0; s < model.samples.size(); ++s) {
    const CompiledModel::Sample& sample = model.samples[s];
    terms(s, model.norms, sample.norm_begin, sample.norm_end);
    terms(s, model.linears, sample.linear_begin, sample.linear_end);
    terms(s, model.factors, sample.factor_begin, sample.factor_end);
    terms(s, model.shifts, sample.shift_begin, sample.shift_end);
    terms(s, model.gammas, sample.gamma_begin, sample.gamma_end);
    for (std::uint32_t i = sample.factor_begin; i < sample.factor_end; ++i)
      uses.scaled[model.factors[i].parameter].insert(s);
  }
  for (const auto& normal : model.normals) uses.constrained[normal.parameter] = 1;
  for (const auto& poisson : model.poissons) uses.constrained[poisson.parameter] = 1;
  return uses;
}

}  // namespace

std::vector<Plateau> find_plateaus(const CompiledModel& model, std::span<const char> fixed) {
  // Two free factors of one sample are needed; counting them is cheaper than looking at every pair.
  std::vector<char> constrained(model.n_parameters, 0);
  for (const auto& normal : model.normals) constrained[normal.parameter] = 1;
  for (const auto& poisson : model.poissons) constrained[poisson.parameter] = 1;
  const auto is_free = [&](std::size_t p) { return !fixed[p] && !constrained[p]; };
  bool possible = false;
  for (const CompiledModel::Sample& sample : model.samples) {
    std::size_t factors = 0, gammas = 0;
    for (std::uint32_t i = sample.factor_begin; i < sample.factor_end; ++i)
      factors += is_free(model.factors[i].parameter);
    for (std::uint32_t i = sample.gamma_begin; i < sample.gamma_end; ++i)
      gammas += is_free(model.gammas[i].parameter);
    possible = possible || factors > 1 || (factors > 0 && gammas > 0);
  }
  if (!possible) return {};
  const Uses uses = uses_of(model);
  std::vector<Plateau> plateaus;
  for (std::size_t f = 0; f < model.n_parameters; ++f) {
    if (!is_free(f) || uses.scaled[f].empty()) continue;
    Plateau plateau{f, {}};
    for (std::size_t q = 0; q < model.n_parameters; ++q) {
      if (q == f || !is_free(q) || uses.samples[q].empty()) continue;
      if (std::includes(uses.scaled[f].begin(), uses.scaled[f].end(), uses.samples[q].begin(),
                        uses.samples[q].end()))
        plateau.partners.push_back(q);
    }
    if (!plateau.partners.empty()) plateaus.push_back(std::move(plateau));
  }
  return plateaus;
}

bool stands_on_plateau(std::span<const Plateau> plateaus, std::span<const double> low,
                       std::span<const double> x) {
  return std::any_of(plateaus.begin(), plateaus.end(), [&](const Plateau& plateau) {
    return x[plateau.factor] == 0 && low[plateau.factor] == 0;
  });
}

bool leave_plateau(std::span<const Plateau> plateaus, std::span<const double> low,
                   std::span<const double> high,
                   const std::function<std::vector<double>(const std::vector<double>&)>& gradient,
                   std::vector<double>& x) {
  bool leaves = false;
  for (const Plateau& plateau : plateaus) {
    const std::size_t f = plateau.factor;
    if (x[f] != 0 || low[f] != 0 || !(high[f] > 0)) continue;
    double slope = gradient(x)[f];
    for (const std::size_t q : plateau.partners) {
      for (const double value : {low[q], high[q]}) {
        if (!std::isfinite(value)) continue;
        std::vector<double> other = x;
        other[q] = value;
        const double there = gradient(other)[f];
        if (there < slope) {
          slope = there;
          x = std::move(other);
        }
      }
    }
    leaves = leaves || slope < -kSlope;
  }
  return leaves;
}

}  // namespace nextstat

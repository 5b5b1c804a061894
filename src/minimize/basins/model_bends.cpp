#include "minimize/basins/model_bends.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "minimize/rows/start_draws.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostPushes = 40, kMostParameters = 12;
// A parameter takes part in a push when it moves the bin by this part of what the strongest one does.
constexpr double kLeastPart = 0.05;
// Of a parameter: the square root of the summed squares of its bends, in standard deviations of the counts.
constexpr double kLeastBend = 0.05;
// Samples below zero: how many, and how far at the least, in standard deviations of the counts.
constexpr std::size_t kMostBelowZero = 4;
constexpr double kLeastBelowZero = 0.25;
constexpr std::size_t kMostFreeFactors = 12;

// What a parameter at +1 and -1 standard deviation adds to a bin.
struct Effect {
  double up = 0, down = 0;
  double bend() const { return up + down; }
};
using Effects = std::map<std::size_t, Effect>;  // by parameter, of one bin

struct Rates {
  std::vector<double> at_start;  // [bin]
  std::vector<Effects> effects;  // [bin]

  Rates(const CompiledModel& model, std::span<const double> start)
      : at_start(model.n_bins, 0.0), effects(model.n_bins) {
    for (const CompiledModel::Sample& sample : model.samples) add(model, start, sample);
  }

 private:
  void add(const CompiledModel& model, std::span<const double> start, const CompiledModel::Sample& sample) {
    double scale = 1;
    for (std::size_t k = sample.factor_begin; k < sample.factor_end; ++k)
      scale *= start[model.factors[k].parameter];
    const auto nominal = [&](std::size_t bin) { return scale * model.nominal[sample.first_cell + bin]; };
    const auto scaled = [&](std::size_t parameter, double up, double down) {
      for (std::size_t bin = 0; bin < sample.bins; ++bin)
        add(sample.first_bin + bin, parameter, nominal(bin) * up, nominal(bin) * down);
    };
    for (std::size_t bin = 0; bin < sample.bins; ++bin) at_start[sample.first_bin + bin] += nominal(bin);
    for (std::size_t k = sample.norm_begin; k < sample.norm_end; ++k)
      scaled(model.norms[k].parameter, model.norms[k].high - 1, model.norms[k].low - 1);
    for (std::size_t k = sample.linear_begin; k < sample.linear_end; ++k) {
      const auto& linear = model.linears[k];
      scaled(linear.parameter, linear.even + linear.odd, linear.even - linear.odd);
    }
    for (std::size_t k = sample.shift_begin; k < sample.shift_end; ++k) {
      const auto& shift = model.shifts[k];
      add(sample.first_bin + shift.cell - sample.first_cell, shift.parameter,
          scale * (shift.even + shift.odd), scale * (shift.even - shift.odd));
    }
  }

  void add(std::size_t bin, std::size_t parameter, double up, double down) {
    Effect& effect = effects[bin][parameter];
    effect.up += up;
    effect.down += down;
  }
};

double sigma_of(double rate) { return std::sqrt(std::max(1.0, rate)); }

// The bend that the slopes at the start do not show, in standard deviations of the count.
struct RankedPush {
  double bend = 0;
  BinPush push;
};

RankedPush push_bin(const Effects& effects, double direction, double sigma) {
  RankedPush ranked;
  double strongest = 0;
  for (const auto& [parameter, effect] : effects)
    strongest = std::max({strongest, direction * effect.up, direction * effect.down});
  for (const auto& [parameter, effect] : effects) {
    const double up = direction * effect.up, down = direction * effect.down;
    if (up + down > 0) ranked.bend += (up + down) / (2 * sigma);
    if (std::max(up, down) > kLeastPart * strongest)
      ranked.push.moves.push_back({parameter, up > down ? 1.0 : -1.0});
  }
  return ranked;
}

// Samples that can turn negative in a bin.
// How far: all moves of a push at once, each by kWidths constraint widths.
class BelowZero {
 public:
  static constexpr double kWidths = 1.2;
  // Of a gamma that less than one event constrains.
  static constexpr double kLargeStep = 9;

  BelowZero(const CompiledModel& model, std::span<const double> start, std::span<const double> rates)
      : model_(model), start_(start), rates_(rates), widths_(model.n_parameters, 1.0) {
    set_constraint_widths(model, widths_);
    for (const CompiledModel::Sample& sample : model.samples) add(sample);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const RankedPush& a, const RankedPush& b) { return a.bend > b.bend; });
    if (found_.size() > kMostBelowZero) found_.resize(kMostBelowZero);
  }

  std::vector<RankedPush> found() && { return std::move(found_); }

 private:
  void add(const CompiledModel::Sample& sample) {
    std::map<std::size_t, std::map<std::size_t, Effect>> shifts;  // by cell
    for (std::size_t k = sample.shift_begin; k < sample.shift_end; ++k) {
      const auto& shift = model_.shifts[k];
      shifts[shift.cell][shift.parameter] = {shift.even + shift.odd, shift.even - shift.odd};
    }
    for (const auto& [cell, effects] : shifts) {
      RankedPush ranked;
      double low = model_.nominal[cell];
      for (const auto& [parameter, effect] : effects) {
        if (std::min(effect.up, effect.down) >= 0) continue;
        low += kWidths * std::min(effect.up, effect.down);
        ranked.push.moves.push_back({parameter, effect.up < effect.down ? 1.0 : -1.0});
      }
      if (low >= 0) continue;
      const double rate = -low * enlarge(sample, cell, ranked.push);
      ranked.bend = rate / sigma_of(rates_[sample.first_bin + cell - sample.first_cell]);
      if (ranked.bend > kLeastBelowZero) found_.push_back(std::move(ranked));
    }
  }

  // Adds the moves that make the sample larger in a cell, and tells by how much.
  double enlarge(const CompiledModel::Sample& sample, std::size_t cell, BinPush& push) const {
    double factor = 1;
    const auto larger = [&](std::size_t parameter, double up, double down, double step = 1) {
      const auto moved = [&](const BinPush::Move& move) { return move.parameter == parameter; };
      if (std::max(up, down) <= 1 || std::any_of(push.moves.begin(), push.moves.end(), moved)) return;
      factor *= std::pow(std::max(up, down), kWidths);
      push.moves.push_back({parameter, up > down ? step : -step});
    };
    for (std::size_t k = sample.norm_begin; k < sample.norm_end; ++k)
      larger(model_.norms[k].parameter, model_.norms[k].high, model_.norms[k].low);
    for (std::size_t k = sample.linear_begin; k < sample.linear_end; ++k) {
      const auto& linear = model_.linears[k];
      larger(linear.parameter, 1 + linear.even + linear.odd, 1 + linear.even - linear.odd);
    }
    for (std::size_t k = sample.factor_begin; k < sample.factor_end; ++k)
      factor *= start_[model_.factors[k].parameter];
    for (std::size_t k = sample.gamma_begin; k < sample.gamma_end; ++k) {
      const auto& gamma = model_.gammas[k];
      const double width = widths_[gamma.parameter];
      const double step = width < 1 ? 1 : kLargeStep;
      if (gamma.cell == cell) larger(gamma.parameter, 1 + step * width, 1, step);
    }
    return factor;
  }

  const CompiledModel& model_;
  std::span<const double> start_, rates_;
  std::vector<double> widths_;
  std::vector<RankedPush> found_;
};

std::vector<std::size_t> free_factors_of(const CompiledModel& model) {
  std::vector<double> events(model.n_parameters, 0.0);
  const auto add = [&](std::size_t parameter, std::size_t cell, std::size_t cells) {
    for (std::size_t k = cell; k < cell + cells; ++k) events[parameter] += std::abs(model.nominal[k]);
  };
  for (const CompiledModel::Sample& sample : model.samples) {
    for (std::size_t k = sample.factor_begin; k < sample.factor_end; ++k)
      add(model.factors[k].parameter, sample.first_cell, sample.bins);
    for (std::size_t k = sample.gamma_begin; k < sample.gamma_end; ++k)
      add(model.gammas[k].parameter, model.gammas[k].cell, 1);
  }
  for (const auto& normal : model.normals) events[normal.parameter] = 0;
  for (const auto& poisson : model.poissons) events[poisson.parameter] = 0;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i] > 0) found.push_back(i);
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](std::size_t a, std::size_t b) { return events[a] > events[b]; });
  if (found.size() > kMostFreeFactors) found.resize(kMostFreeFactors);
  return found;
}

}  // namespace

ModelBends::ModelBends(const CompiledModel& model, std::span<const double> start) {
  const Rates rates(model, start);
  std::vector<RankedPush> pushes;
  std::vector<double> bends(model.n_parameters, 0.0);
  for (std::size_t bin = 0; bin < model.n_bins; ++bin) {
    const double sigma = sigma_of(rates.at_start[bin]);
    for (const auto& [parameter, effect] : rates.effects[bin])
      bends[parameter] += effect.bend() * effect.bend() / (sigma * sigma);
    for (const double direction : {-1.0, 1.0}) {
      RankedPush ranked = push_bin(rates.effects[bin], direction, sigma);
      if (!ranked.push.moves.empty()) pushes.push_back(std::move(ranked));
    }
  }
  std::stable_sort(pushes.begin(), pushes.end(),
                   [](const RankedPush& a, const RankedPush& b) { return a.bend > b.bend; });
  if (!pushes.empty()) strongest_ = pushes.front().bend;
  if (pushes.size() > kMostPushes) pushes.resize(kMostPushes);
  for (RankedPush& ranked : pushes) pushes_.push_back(std::move(ranked.push));
  for (RankedPush& ranked : BelowZero(model, start, rates.at_start).found())
    below_zero_.push_back(std::move(ranked.push));
  free_factors_ = free_factors_of(model);
  for (std::size_t i = 0; i < bends.size(); ++i) {
    if (bends[i] > kLeastBend * kLeastBend) parameters_.push_back(i);
  }
  std::stable_sort(parameters_.begin(), parameters_.end(),
                   [&](std::size_t a, std::size_t b) { return bends[a] > bends[b]; });
  if (parameters_.size() > kMostParameters) parameters_.resize(kMostParameters);
}

}  // namespace nextstat

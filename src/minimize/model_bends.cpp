#include "minimize/model_bends.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nextstat {
namespace {

constexpr std::size_t kMostPushes = 40, kMostParameters = 12;
// A parameter takes part in a push when it moves the bin by this part of what the strongest one does.
constexpr double kLeastPart = 0.05;
// Of a parameter: the square root of the summed squares of its bends, in standard deviations of the counts.
constexpr double kLeastBend = 0.05;

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
  for (std::size_t i = 0; i < bends.size(); ++i) {
    if (bends[i] > kLeastBend * kLeastBend) parameters_.push_back(i);
  }
  std::stable_sort(parameters_.begin(), parameters_.end(),
                   [&](std::size_t a, std::size_t b) { return bends[a] > bends[b]; });
  if (parameters_.size() > kMostParameters) parameters_.resize(kMostParameters);
}

}  // namespace nextstat

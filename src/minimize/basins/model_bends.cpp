#include "minimize/basins/model_bends.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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
};

// The shifts of each cell, in the order of the model's list.
class ShiftsByCell {
 public:
  explicit ShiftsByCell(const CompiledModel& model)
      : model_(model), begin_(model.nominal.size() + 1, 0), order_(model.shifts.size()) {
    for (const auto& shift : model.shifts) ++begin_[shift.cell + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t k = 0; k < order_.size(); ++k) order_[next[model.shifts[k].cell]++] = k;
  }

  std::span<const std::uint32_t> of(std::size_t cell) const {
    return std::span(order_).subspan(begin_[cell], begin_[cell + 1] - begin_[cell]);
  }
  const CompiledModel::Shift& shift(std::uint32_t k) const { return model_.shifts[k]; }

 private:
  const CompiledModel& model_;
  std::vector<std::uint32_t> begin_, order_;
};

// What the parameters of a channel do to its bins, one bin at a time.
class BinEffects {
 public:
  BinEffects(const CompiledModel& model, std::span<const double> start, const ShiftsByCell& shifts)
      : model_(model), shifts_(shifts), scales_(model.samples.size(), 1.0), place_(model.n_parameters) {
    for (std::size_t s = 0; s < scales_.size(); ++s) {
      for (std::size_t k = model.samples[s].factor_begin; k < model.samples[s].factor_end; ++k)
        scales_[s] *= start[model.factors[k].parameter];
    }
  }

  void enter(const CompiledModel::Channel& channel) {
    channel_ = &channel;
    for (std::size_t i = 0; i < channel.globals.size(); ++i) place_[channel.globals[i]] = i;
  }

  void look_at(std::size_t bin) {
    rate_ = 0;
    effects_.assign(channel_->globals.size(), {});
    for (std::size_t s = channel_->sample_begin; s < channel_->sample_end; ++s) {
      const std::size_t within = bin - model_.samples[s].first_bin;
      if (within < model_.samples[s].bins) add(model_.samples[s], scales_[s], within);
    }
  }

  double rate() const { return rate_; }                            // at the start
  const std::vector<Effect>& effects() const { return effects_; }  // [global of the channel]

 private:
  void add(const CompiledModel::Sample& sample, double scale, std::size_t within) {
    const std::size_t cell = sample.first_cell + within;
    const double nominal = scale * model_.nominal[cell];
    rate_ += nominal;
    for (std::size_t k = sample.norm_begin; k < sample.norm_end; ++k) {
      const auto& norm = model_.norms[k];
      add(norm.parameter, nominal * (norm.high - 1), nominal * (norm.low - 1));
    }
    for (std::size_t k = sample.linear_begin; k < sample.linear_end; ++k) {
      const auto& linear = model_.linears[k];
      add(linear.parameter, nominal * (linear.even + linear.odd), nominal * (linear.even - linear.odd));
    }
    for (const std::uint32_t k : shifts_.of(cell)) {
      const auto& shift = shifts_.shift(k);
      add(shift.parameter, scale * (shift.even + shift.odd), scale * (shift.even - shift.odd));
    }
  }

  void add(std::size_t parameter, double up, double down) {
    Effect& effect = effects_[place_[parameter]];
    effect.up += up;
    effect.down += down;
  }

  const CompiledModel& model_;
  const ShiftsByCell& shifts_;
  std::vector<double> scales_;      // [sample] factors at the start
  std::vector<std::size_t> place_;  // [parameter] among the globals of the channel
  const CompiledModel::Channel* channel_ = nullptr;
  double rate_ = 0;
  std::vector<Effect> effects_;
};

double sigma_of(double rate) { return std::sqrt(std::max(1.0, rate)); }

// The bend that the slopes at the start do not show, in standard deviations of the count.
struct RankedPush {
  double bend = 0;
  BinPush push;
};

RankedPush push_bin(const CompiledModel::Channel& channel, const std::vector<Effect>& effects,
                    double direction, double sigma) {
  RankedPush ranked;
  double strongest = 0;
  for (const Effect& effect : effects)
    strongest = std::max({strongest, direction * effect.up, direction * effect.down});
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const double up = direction * effects[i].up, down = direction * effects[i].down;
    if (up + down > 0) ranked.bend += (up + down) / (2 * sigma);
    if (std::max(up, down) > kLeastPart * strongest)
      ranked.push.moves.push_back({channel.globals[i], up > down ? 1.0 : -1.0});
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

  BelowZero(const CompiledModel& model, std::span<const double> start, std::span<const double> rates,
            const ShiftsByCell& shifts)
      : model_(model), start_(start), rates_(rates), shifts_(shifts), widths_(model.n_parameters, 1.0) {
    set_constraint_widths(model, widths_);
    for (const CompiledModel::Sample& sample : model.samples) {
      for (std::size_t cell = sample.first_cell; cell < sample.first_cell + sample.bins; ++cell)
        add(sample, cell);
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const RankedPush& a, const RankedPush& b) { return a.bend > b.bend; });
    if (found_.size() > kMostBelowZero) found_.resize(kMostBelowZero);
  }

  std::vector<RankedPush> found() && { return std::move(found_); }

 private:
  static double deepest(const CompiledModel::Shift& shift) { return shift.even - std::abs(shift.odd); }

  void add(const CompiledModel::Sample& sample, std::size_t cell) {
    // In any order first: most samples stay far above zero.
    double down = 0;
    for (const std::uint32_t k : shifts_.of(cell)) down += std::min(0.0, deepest(shifts_.shift(k)));
    constexpr double kSlack = 1e-9;
    if (shifts_.of(cell).empty() || model_.nominal[cell] + kWidths * (1 + kSlack) * down > 0) return;
    order_.assign(shifts_.of(cell).begin(), shifts_.of(cell).end());
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return shifts_.shift(a).parameter < shifts_.shift(b).parameter;
    });
    RankedPush ranked;
    double low = model_.nominal[cell];
    for (const std::uint32_t k : order_) {
      const auto& shift = shifts_.shift(k);
      if (deepest(shift) >= 0) continue;
      low += kWidths * deepest(shift);
      ranked.push.moves.push_back(
          {shift.parameter, shift.even + shift.odd < shift.even - shift.odd ? 1.0 : -1.0});
    }
    if (low >= 0) return;
    const double rate = -low * enlarge(sample, cell, ranked.push);
    ranked.bend = rate / sigma_of(rates_[sample.first_bin + cell - sample.first_cell]);
    if (ranked.bend > kLeastBelowZero) found_.push_back(std::move(ranked));
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
  const ShiftsByCell& shifts_;
  std::vector<double> widths_;
  std::vector<std::uint32_t> order_;  // shifts of a cell by parameter
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
  const ShiftsByCell shifts(model);
  BinEffects at(model, start, shifts);
  std::vector<RankedPush> pushes;
  std::vector<double> bends(model.n_parameters, 0.0), rates(model.n_bins, 0.0);
  for (const CompiledModel::Channel& channel : model.channels) {
    at.enter(channel);
    for (std::size_t bin = channel.first_bin; bin < channel.first_bin + channel.bins; ++bin) {
      at.look_at(bin);
      rates[bin] = at.rate();
      const double sigma = sigma_of(at.rate());
      for (std::size_t i = 0; i < at.effects().size(); ++i) {
        const double bend = at.effects()[i].up + at.effects()[i].down;
        bends[channel.globals[i]] += bend * bend / (sigma * sigma);
      }
      for (const double direction : {-1.0, 1.0}) {
        RankedPush ranked = push_bin(channel, at.effects(), direction, sigma);
        if (!ranked.push.moves.empty()) pushes.push_back(std::move(ranked));
      }
    }
  }
  std::stable_sort(pushes.begin(), pushes.end(),
                   [](const RankedPush& a, const RankedPush& b) { return a.bend > b.bend; });
  if (!pushes.empty()) strongest_ = pushes.front().bend;
  if (pushes.size() > kMostPushes) pushes.resize(kMostPushes);
  for (RankedPush& ranked : pushes) pushes_.push_back(std::move(ranked.push));
  for (RankedPush& ranked : BelowZero(model, start, rates, shifts).found())
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

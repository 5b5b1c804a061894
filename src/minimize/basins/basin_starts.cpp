#include "minimize/basins/basin_starts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/try.h"

namespace nextstat {
namespace {

// In widths of the constraints: how far the parameters of a push and single parameters are moved, and how
// wide points are drawn around the suggested start and around the deepest minimum.
struct PushFrom {
  bool first;  // the first minimum; false: the suggested start
  double widths;
};
constexpr PushFrom kPushes[] = {{true, 1.2}, {true, 0.7}, {true, 2.0}, {false, 1.6}};
constexpr double kBelowZero[] = {1.2, 2};
constexpr double kSingles[] = {1, -1, 2, -2};
constexpr double kFactors[] = {34, -34};  // to the bounds, or ten times its size away
constexpr double kFarOff = 6;             // of a factor
constexpr double kDraws[] = {0.7, 1, 1.5, 2};
constexpr double kHops[] = {0.3, 0.6, 0.9, 1.2};
// A parameter that was pulled further is also tried on the other side of its center.
constexpr double kPulledFar = 2;
// At a deeper minimum: those pulled further are tried on the other side, so many at most.
constexpr double kPulled = 1;
constexpr std::size_t kMostMirrored = 8;
constexpr std::size_t kMostSuggested = 60, kMostPushesTried = 14;
constexpr std::size_t kHalvings = 12;

// A row's draws are its own: the same whatever else is asked.
std::uint64_t seed_of(const Row& row) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
  std::uint64_t seed = StartDraws::kSeed;
  for (const FixedParameter& fixed : row.fixed) {
    seed = (seed ^ fixed.parameter) * kMix;
    seed = (seed ^ std::bit_cast<std::uint64_t>(fixed.value + 0.0)) * kMix;
    seed ^= seed >> 29;
  }
  return seed;
}

StartDraws draws_of(const Model& model, const RowBatch& batch, const Row& row, const Minimum& first) {
  Bounds bounds = batch.bounds.empty() ? bounds_of(model) : batch.bounds[row.bounds];
  const std::vector<char> fixed = batch.fixed.empty() ? fixed_of(model) : batch.fixed;
  std::vector<double> center = batch.starts.copy(row.start);
  for (std::size_t i = 0; i < center.size(); ++i) {
    if (fixed[i]) bounds.low[i] = bounds.high[i] = center[i];
  }
  if (!first.began_at.empty()) center = first.began_at;
  for (const FixedParameter& held : row.fixed)
    center[held.parameter] = bounds.low[held.parameter] = bounds.high[held.parameter] = held.value;
  return StartDraws(compiled_model(model), center, bounds.low, bounds.high, seed_of(row));
}

}  // namespace

BasinStarts::BasinStarts(const Model& model, const RowBatch& batch, const Row& row, const Minimum& first,
                         const ModelBends& bends)
    : first_(first.parameters.empty() ? batch.starts.copy(row.start) : first.parameters),
      draws_(draws_of(model, batch, row, first)) {
  data_ = batch.data_of(row, model.data().size());
  bins_ = compiled_model(model).n_bins;
  suggest(bends);
}

void BasinStarts::move(std::vector<double>& point, std::size_t parameter, double widths) const {
  const double moved = point[parameter] + widths * draws_.widths()[parameter];
  point[parameter] = std::clamp(moved, draws_.low()[parameter], draws_.high()[parameter]);
}

std::vector<BasinStarts::Suggestion> BasinStarts::pushes(const ModelBends& bends) const {
  std::vector<Suggestion> found;
  for (const auto& [from_first, widths] : kPushes) {
    for (std::size_t k = 0; k < std::min(kMostPushesTried, bends.pushes().size()); ++k)
      found.push_back({&bends.pushes()[k], 0, from_first, widths});
  }
  return found;
}

std::vector<BasinStarts::Suggestion> BasinStarts::below_zero(const ModelBends& bends) const {
  std::vector<Suggestion> found;
  for (const double widths : kBelowZero) {
    for (const BinPush& push : bends.below_zero()) found.push_back({&push, 0, false, widths, true});
  }
  return found;
}

std::vector<BasinStarts::Suggestion> BasinStarts::singles(const ModelBends& bends) const {
  std::vector<Suggestion> found;
  for (const std::size_t i : bends.parameters()) {
    const double width = draws_.widths()[i];
    if (width == 0) continue;
    const double pull = (first_[i] - draws_.start()[i]) / width;
    if (std::abs(pull) > kPulledFar) found.push_back({nullptr, i, false, -pull});
    for (const double widths : kSingles) found.push_back({nullptr, i, true, widths});
  }
  return found;
}

// Factors that the first minimum leaves at a bound, far off, or where they were
// because nothing depends on them.
std::vector<BasinStarts::Suggestion> BasinStarts::free_factors(const ModelBends& bends) const {
  std::vector<Suggestion> found;
  for (const std::size_t i : bends.free_factors()) {
    if (draws_.widths()[i] == 0) continue;
    const double pull = std::abs(first_[i] - draws_.start()[i]) / draws_.widths()[i];
    const bool at_bound = first_[i] <= draws_.low()[i] || first_[i] >= draws_.high()[i];
    if (!at_bound && pull > 0 && pull < kFarOff) continue;
    for (const double widths : kFactors) found.push_back({nullptr, i, true, widths});
  }
  return found;
}

// All kinds in turn, two pushes at a time.
void BasinStarts::suggest(const ModelBends& bends) {
  struct Kind {
    std::vector<Suggestion> suggestions;
    std::size_t at_a_time;
  };
  Kind kinds[] = {{below_zero(bends), 1}, {free_factors(bends), 1}, {pushes(bends), 2}, {singles(bends), 1}};
  std::size_t left = 0;
  for (Kind& kind : kinds) {
    std::erase_if(kind.suggestions, [&](const Suggestion& one) {
      return !one.push && point_of(one).point[one.parameter] == first_[one.parameter];
    });
    left += kind.suggestions.size();
  }
  for (std::size_t turn = 0; left > 0; ++turn) {
    for (const Kind& kind : kinds) {
      for (std::size_t k = turn * kind.at_a_time; k < (turn + 1) * kind.at_a_time; ++k) {
        if (k >= kind.suggestions.size()) break;
        suggested_.push_back(kind.suggestions[k]);
        --left;
      }
    }
  }
  if (suggested_.size() > kMostSuggested) suggested_.resize(kMostSuggested);
}

BasinStart BasinStarts::point_of(const Suggestion& suggestion) const {
  BasinStart start;
  start.below_zero = suggestion.below_zero;
  const std::span<const double> from =
      suggestion.from_first ? std::span<const double>(first_) : draws_.start();
  start.point.assign(from.begin(), from.end());
  if (suggestion.push) {
    for (const BinPush::Move& one : suggestion.push->moves)
      move(start.point, one.parameter, suggestion.widths * one.step);
  } else {
    move(start.point, suggestion.parameter, suggestion.widths);
    start.held = suggestion.parameter;
    start.far = !suggestion.from_first;
  }
  return start;
}

// A deeper minimum than the first lies elsewhere, and what is pulled there may as well be pulled to the other
// side: once for each such minimum, after what was suggested.
std::vector<BasinStart> BasinStarts::mirrored_from(std::span<const double> deepest) {
  std::vector<BasinStart> starts;
  if (next_suggested_ < suggested_.size() || std::equal(deepest.begin(), deepest.end(), first_.begin()) ||
      std::equal(deepest.begin(), deepest.end(), mirrored_.begin(), mirrored_.end()))
    return starts;
  mirrored_.assign(deepest.begin(), deepest.end());
  std::vector<std::pair<double, std::size_t>> pulled;
  for (std::size_t i = 0; i < deepest.size(); ++i) {
    const double width = draws_.widths()[i];
    const double pull = width > 0 ? std::abs(deepest[i] - draws_.start()[i]) / width : 0;
    if (pull > kPulled) pulled.emplace_back(-pull, i);
  }
  std::sort(pulled.begin(), pulled.end());
  if (pulled.size() > kMostMirrored) pulled.resize(kMostMirrored);
  for (const auto& [pull, i] : pulled) {
    BasinStart start;
    start.point.assign(deepest.begin(), deepest.end());
    start.point[i] = std::clamp(2 * draws_.start()[i] - deepest[i], draws_.low()[i], draws_.high()[i]);
    start.held = i;
    starts.push_back(std::move(start));
  }
  return starts;
}

void BasinStarts::skip(std::size_t suggestions) {
  if (suggested_.empty()) return;
  const auto first = static_cast<std::ptrdiff_t>(suggestions % suggested_.size());
  std::rotate(suggested_.begin(), suggested_.begin() + first, suggested_.end());
}

BasinStart BasinStarts::draw(std::span<const double> deepest) {
  const std::size_t k = drawn_++;
  if (k % 3 != 2) return {draws_.around(deepest, kHops[k % std::size(kHops)])};
  return {draws_.around(draws_.start(), kDraws[k / 3 % std::size(kDraws)])};
}

Result<std::vector<BasinStart>> BasinStarts::next(DeviceSession& session, std::span<const double> deepest,
                                                  std::size_t count) {
  std::vector<BasinStart> starts;
  while (starts.size() < count && next_suggested_ < suggested_.size())
    starts.push_back(point_of(suggested_[next_suggested_++]));
  for (BasinStart& mirrored : mirrored_from(deepest)) {
    if (starts.size() < count) starts.push_back(std::move(mirrored));
  }
  while (starts.size() < count) starts.push_back(draw(deepest));
  TRY_DO(make_finite(session, starts));
  return starts;
}

Result<void> BasinStarts::make_finite(DeviceSession& session, std::vector<BasinStart>& starts) const {
  std::vector<BasinStart*> open;
  for (BasinStart& start : starts) {
    if (!start.far) open.push_back(&start);
  }
  for (std::size_t halving = 0; halving < kHalvings && !open.empty(); ++halving) {
    std::vector<double> points;
    for (const BasinStart* start : open)
      points.insert(points.end(), start->point.begin(), start->point.end());
    const bool any_below =
        std::any_of(open.begin(), open.end(), [](auto* start) { return start->below_zero; });
    TRY(const EvalOutput at,
        session.evaluate({.parameters = points, .rows = open.size(), .data = data_, .expected = any_below}));
    std::vector<BasinStart*> still;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const auto is_negative = [](double rate) { return rate < 0; };
      const auto rates = std::span(at.expected).subspan(any_below ? k * at.expected.size() / open.size() : 0);
      const bool negative =
          open[k]->below_zero && std::any_of(rates.begin(), rates.begin() + bins_, is_negative);
      if (std::isfinite(at.nll[k]) && !negative) continue;
      std::vector<double>& point = open[k]->point;
      for (std::size_t i = 0; i < point.size(); ++i) point[i] = (point[i] + first_[i]) / 2;
      still.push_back(open[k]);
    }
    open = std::move(still);
  }
  for (BasinStart* start : open) start->point = first_;
  return {};
}

}  // namespace nextstat

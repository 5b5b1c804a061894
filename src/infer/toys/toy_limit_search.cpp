#include "infer/toys/toy_limit_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostRounds = 400, kMostPoints = 60, kMostOutward = 12;
constexpr std::size_t kFewestToys = 20;       // at a value of the first round
constexpr std::size_t kFewestPerValue = 500;  // at a later one
// Of the error wanted, by curve: a limit at 2 sigma hangs on one toy in a thousand.
constexpr std::array<double, kLimitCurves> kAllowance = {1, 4, 2, 1, 2, 4};
// Toys beyond that a curve needs at its crossing, for errors that mean something.
constexpr std::array<double, kLimitCurves> kFewestBeyond = {25, 10, 20, 25, 25, 25};
// Toys of the background that an expected limit needs: 1 in 44 of them is beyond 2 sigma.
constexpr std::size_t kFewestBackground = 1000;
// CLs / alpha at the ends of a bracket: beyond a factor of this they do not tell where in it the crossing is.
constexpr double kInformative = 8;
// Toys beyond, where CLs = alpha, that an end of the bracket needs to be on its side: none in 1 of 50 cases.
constexpr double kSettled = 4;
// Closer to the crossing than this, in log CLs, toys are added to a value that is there.
constexpr double kClose = 0.25;
constexpr double kSame = 1e-3;  // relative: two values are one

}  // namespace

Result<void> ToyLimitSearch::first_round(const std::vector<double>& values, const ToyCounts& toys) {
  if (auto done = test_.visit(values); !done || stopped()) return done;
  TRY_DO(points_.start());
  calls_.plan((toys.tested + toys.alternative) * values.size());
  for (const double mu : values) {
    TRY(const std::size_t added, points_.add(mu));
    if (stopped()) break;
    TRY_DO(points_.extend(added, toys));
    if (stopped()) break;
  }
  return {};
}

Result<void> ToyLimitSearch::run(const std::vector<double>& values) {
  const std::size_t toys = std::min(options_.toys.n_toys, options_.max_toys / (2 * values.size()));
  if (toys < kFewestToys && toys < options_.toys.n_toys)
    return Error{ErrorCode::BadUsage, Field::MaxToys,
                 fmt::format("{} toys are too few for {} values", options_.max_toys, values.size()),
                 fmt::format("allow {} or more", 2 * kFewestToys * values.size())};
  const std::size_t most = options_.max_toys / values.size() - toys;
  TRY_DO(first_round(values, {toys, std::clamp(kFewestBackground, toys, most)}));
  toys_per_value_ = std::max(toys, kFewestPerValue);
  for (std::size_t round = 0; round < kMostRounds && !stopped(); ++round) {
    TRY(const bool more, improve());
    if (!more) break;
  }
  return {};
}

std::size_t ToyLimitSearch::spent() const {
  std::size_t toys = 0;
  for (std::size_t k = 0; k < points_.size(); ++k)
    toys += points_.toys(k).tested + points_.toys(k).alternative;
  return toys;
}

ToyLimitSearch::State ToyLimitSearch::state(std::size_t curve) const {
  const std::vector<CurveSample> samples = points_.samples(curve);
  State at;
  at.curve = curve;
  at.bracket = find_bracket(samples);
  at.ratio = 1e6;
  if (!at.bracket.found()) return at;
  at.limit = estimate_limit(samples, points_.asymptotic(curve));
  const CurveSample &low = samples[at.bracket.low], &high = samples[at.bracket.low + 1];
  const double allowed = kAllowance[curve] * options_.error * at.limit->mu;
  const bool informative =
      at.bracket.height_low <= kInformative && at.bracket.height_high >= 1 / kInformative;
  at.coarse = !informative && high.mu - low.mu > allowed / 2;
  if (at.coarse && high.exposure() < kSettled) at.unsettled = high.mu;
  if (at.coarse && low.exposure() < kSettled && low.beyond < 2 * kSettled) at.unsettled = low.mu;
  at.few = at.limit->exposure < kFewestBeyond[curve];
  at.ratio = at.limit->error / allowed;
  if (at.few)
    at.ratio = std::max(at.ratio, std::sqrt(kFewestBeyond[curve] / std::max(at.limit->exposure, 0.1)));
  if (at.coarse) at.ratio = std::max(at.ratio, 2.0);
  const double background = std::max(low.background, high.background);
  if (curve > 0 && background < kFewestBackground)
    at.ratio = std::max(at.ratio, std::sqrt(kFewestBackground / background));
  return at;
}

// What it still needs is a value, and no more of those are visited.
bool ToyLimitSearch::given_up(const State& at) const {
  if (!at.bracket.found() && outward_[at.curve] == kMostOutward) return true;
  return (!at.bracket.found() || (at.coarse && !at.unsettled)) && points_.size() == kMostPoints;
}

// The observed limit as long as it is not good enough, then the worst of the expected ones.
ToyLimitSearch::State ToyLimitSearch::worst() const {
  State found;
  for (std::size_t curve = 0; curve < kLimitCurves; ++curve) {
    State at = state(curve);
    if (at.ratio > found.ratio && !given_up(at)) found = std::move(at);
    if (found.curve == 0) break;
  }
  return found;
}

// One more round where it helps most. False: all is reached, or nothing more can be done.
Result<bool> ToyLimitSearch::improve() {
  const State at = worst();
  if (at.curve == kLimitCurves || left() < 2) {
    end_ = left() < 2 ? End::Toys : points_.size() == kMostPoints ? End::Values : End::Reached;
    return false;
  }
  if (!at.bracket.found()) return new_value(outside(at));
  if (at.unsettled) return settle(at);
  if (at.coarse) return new_value(inside(at));
  if (const std::optional<std::size_t> known = best_known(at)) return more_toys(*known, at);
  // Not at a value that is there: its toys would say the same again.
  const bool there = std::abs(points_.mu(nearest(at.limit->mu)) - at.limit->mu) < kSame * at.limit->mu;
  return there ? more_toys(weaker_end(at), at) : new_value(at.limit->mu);
}

std::size_t ToyLimitSearch::weaker_end(const State& at) const {
  const std::vector<CurveSample> samples = points_.samples(at.curve);
  const CurveSample &low = samples[at.bracket.low], &high = samples[at.bracket.low + 1];
  return nearest(low.exposure() < high.exposure() ? low.mu : high.mu);
}

Result<bool> ToyLimitSearch::new_value(double mu) {
  const std::size_t tested = std::min(toys_per_value_, left() / 2);
  const ToyCounts toys{tested, std::min(std::max(tested, kFewestBackground), left() - tested)};
  calls_.plan(toys.tested + toys.alternative);
  TRY(const std::size_t added, points_.add(mu));
  if (stopped()) return true;
  TRY_DO(points_.extend(added, toys));
  return true;
}

Result<bool> ToyLimitSearch::settle(const State& at) {
  const std::size_t point = nearest(*at.unsettled);
  const double share = std::max(points_.sample(point, at.curve).share, 1e-9);
  ToyCounts to = points_.toys(point);
  const double missing = std::max(kSettled / share - static_cast<double>(to.tested), 0.0) + 1;
  const std::size_t more = static_cast<std::size_t>(std::min(missing, static_cast<double>(left())));
  to.tested += more;
  calls_.plan(more);
  TRY_DO(points_.extend(point, to));
  return true;
}

// Where in a coarse bracket: at the crossing of what is known, if that is away from the ends.
double ToyLimitSearch::inside(const State& at) const {
  const std::vector<CurveSample> samples = points_.samples(at.curve);
  const double low = samples[at.bracket.low].mu, high = samples[at.bracket.low + 1].mu;
  const double plateau = 0.9 / (1 - options_.confidence_level);
  const bool both = at.bracket.height_low < plateau && at.bracket.height_high > 0;
  const double middle = (low + high) / 2;
  if (!both) return middle;
  return std::clamp(at.limit->mu, low + 0.2 * (high - low), high - 0.2 * (high - low));
}

double ToyLimitSearch::outside(const State& at) {
  ++outward_[at.curve];
  double lowest = points_.mu(0), highest = lowest;
  for (std::size_t k = 1; k < points_.size(); ++k) {
    lowest = std::min(lowest, points_.mu(k));
    highest = std::max(highest, points_.mu(k));
  }
  return at.bracket.where == LimitBracket::Where::Above ? 1.4 * highest : 0.6 * lowest;
}

std::size_t ToyLimitSearch::nearest(double mu) const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < points_.size(); ++k) {
    if (std::abs(points_.mu(k) - mu) < std::abs(points_.mu(best) - mu)) best = k;
  }
  return best;
}

// Of the values close to the crossing the one with most toys, so that toys of both hypotheses come together.
// None where another value is needed.
std::optional<std::size_t> ToyLimitSearch::best_known(const State& at) const {
  const LimitEstimate& limit = *at.limit;
  if (points_.size() == kMostPoints) return nearest(limit.mu);
  std::optional<std::size_t> best;
  const auto all = [&](std::size_t k) { return points_.toys(k).tested + points_.toys(k).alternative; };
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const bool close = std::abs(points_.mu(k) - limit.mu) <= kClose * limit.per_log;
    const CurveSample& sample = points_.sample(k, at.curve);
    // Known well enough there: the error comes from the way to the crossing.
    const double own = 1 / std::max(0.5, sample.beyond) + squared(sample.background_error);
    if (own < 0.4 * (limit.tested + limit.background + limit.shape)) continue;
    if (close && (!best || all(k) > all(*best))) best = k;
  }
  return limit.shape > limit.tested + limit.background ? std::nullopt : best;
}

// Adds toys of the hypothesis with the larger part in the error:
// as many as the error asks for, up to three times those there are.
Result<bool> ToyLimitSearch::more_toys(std::size_t point, const State& at) {
  ToyCounts to = points_.toys(point);
  const CurveSample& sample = points_.sample(point, at.curve);
  const bool too_few = at.curve > 0 && to.alternative < kFewestBackground;
  const bool larger = squared(sample.background_error) > 1 / std::max(0.5, sample.beyond);
  std::size_t& count = !at.few && (too_few || larger) ? to.alternative : to.tested;
  const double wish = static_cast<double>(count) * std::clamp(squared(at.ratio) - 1, 0.25, 3.0);
  const std::size_t more = std::min(static_cast<std::size_t>(wish) + 1, left());
  count += more;
  calls_.plan(more);
  TRY_DO(points_.extend(point, to));
  return true;
}

}  // namespace nextstat

#include "minimize/basins/row_search.h"

#include <algorithm>
#include <cmath>

#include "base/no_value.h"

namespace nextstat {
namespace {

constexpr double kSameNll = 1e-6, kSameNllRelative = 1e-10;
constexpr double kNllRounding = 1e-12;  // of an NLL, relative
constexpr double kNear = 0.02;          // NLL above a minimum up to which a trail is compared with it
constexpr std::size_t kMostStarts = 1000;
constexpr std::size_t kStartsPerRound = 60;  // what is suggested, then what follows from its minima
constexpr std::size_t kFewestStarts = 104, kStartsPerDepth = 52;

// After n starts that led to w minima, w (w + 1) / (n - w - 2) more are expected (Boender and Rinnooy Kan,
// Math. Programming 37 (1987) 59), and each of them is deeper than all w in one of w + 1 cases. Below 0.01:
std::size_t starts_that_settle(std::size_t minima) { return 101 * minima + 3; }

}  // namespace

bool same_nll(double a, double b) { return std::abs(a - b) <= kSameNll + kSameNllRelative * std::abs(a); }

// With x = minimum + d the slopes along d are s0 there and s1 here. A parabola has
// rise = NLL(x) - NLL_min - s0 = (s1 - s0) / 2.
bool Trail::leads_to(const KnownMinimum& known) const {
  constexpr double kSlopeRounding = 1e-9, kTolerance = 0.3;
  double s0 = 0, s1 = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double d = parameters[i] - known.minimum.parameters[i];
    s0 += known.gradient[i] * d;
    s1 += gradient[i] * d;
  }
  const double rounding = kSlopeRounding * (1 + std::abs(nll) / 100);
  const double rise = nll - known.minimum.nll - s0;
  return s0 >= -rounding && rise >= -rounding && rise <= kNear &&
         std::abs((s1 - s0) / 2 - rise) <= kTolerance * rise + 10 * rounding;
}

RowSearch::RowSearch(const Model& model, const RowBatch& batch, const Row& row, Minimum first,
                     const ModelBends& bends)
    : row_(row),
      starts_(model, batch, row, first, bends),
      iterations_(first.iterations),
      first_iterations_(first.iterations) {
  began_at_ = first.began_at;
  known_.push_back({std::move(first), {}, 1});
}

bool RowSearch::has_likelihood() const {
  const Minimum& first = known_.front().minimum;
  return std::isfinite(first.nll) && first.termination != Termination::Interrupted;
}

void RowSearch::add(KnownMinimum minimum) {
  if (!known_.front().minimum.converged()) known_.clear();
  // Of two that differ by rounding the one that was found first stands first.
  const auto higher = [](double nll, const KnownMinimum& other) {
    return nll < other.minimum.nll - kNllRounding * (1 + std::abs(nll));
  };
  known_.insert(std::upper_bound(known_.begin(), known_.end(), minimum.minimum.nll, higher),
                std::move(minimum));
}

void RowSearch::replace_unconverged(Minimum minimum) {
  Minimum& known = known_.front().minimum;
  if (!known.converged() && minimum.nll < known.nll) known = std::move(minimum);
}

// Minima of one NLL count once.
std::size_t RowSearch::depths() const {
  std::size_t count = 1;
  for (std::size_t k = 1; k < known_.size(); ++k)
    count += same_nll(known_[k].minimum.nll, known_[k - 1].minimum.nll) ? 0 : 1;
  return count;
}

// Minima that no start led to yet, estimated from those that one or two did (Chao, Scand. J. Statist. 11
// (1984) 265): f1 (f1 - 1) / 2 (f2 + 1).
double RowSearch::unseen() const {
  std::size_t found[3] = {0, 0, 0};  // depths by hits
  for (std::size_t k = 0; k < known_.size();) {
    std::size_t hits = known_[k].hits;
    const double nll = known_[k].minimum.nll;
    for (++k; k < known_.size() && same_nll(known_[k].minimum.nll, nll); ++k) hits += known_[k].hits;
    if (hits <= 2) ++found[hits];
  }
  const double once = static_cast<double>(found[1]), twice = static_cast<double>(found[2]);
  return once * (once - 1) / (2 * (twice + 1));
}

// By either estimate. One of the minima not seen is deeper than all w seen in one of w + 1 cases. Rows that
// share a search have their part of the least, and find more with their neighbors; those far off have all of it.
std::size_t RowSearch::enough(const SearchRule& rule) const {
  constexpr double kChance = 0.01, kSharers = 1.5;
  if (rule.starts > 0) return rule.starts;
  const double shared_by = is_far() && !rule.neighbors.empty() ? 1 : rule.shared_by;
  const auto share = [&](std::size_t all) {
    return static_cast<std::size_t>(static_cast<double>(all) / shared_by);
  };
  if (shared_by >= kSharers) return std::max(rule.least, share(kFewestStarts));
  std::size_t starts = share(std::max(kFewestStarts, kStartsPerDepth * depths()));
  const bool unsure = unseen() / static_cast<double>(depths() + 1) > kChance;
  if (own_starts_ >= starts && unsure)
    starts = std::min(share(starts_that_settle(depths())), own_starts_ + kStartsPerDepth);
  return std::min(starts, kMostStarts);
}

void RowSearch::take_turn(const SearchRule& rule, std::size_t turn) {
  if (rule.shared_by > 1) starts_.skip(turn * enough(rule) * 3 / 4);
}

std::size_t RowSearch::wanted(const SearchRule& rule, std::size_t most_iterations) const {
  const std::size_t all = enough(rule);
  if (!has_likelihood() || own_starts_ >= all || lost_ > 2 * all || iterations_ >= most_iterations) return 0;
  const std::size_t affordable =
      (most_iterations - iterations_) / std::max<std::size_t>(1, first_iterations_);
  return std::min({all - own_starts_, kStartsPerRound, affordable});
}

void RowSearch::end(const SearchRule& rule, std::size_t most_iterations, bool relies) {
  const bool enough_starts = relies || (own_starts_ >= enough(rule) && enough(rule) < kMostStarts);
  exhausted_ = rule.starts == 0 && enough_starts && iterations_ < most_iterations;
}

void RowSearch::expect_seeds(std::size_t seeds) { seeds_led_to_.assign(seeds, kNoValue); }

Basins RowSearch::result(bool interrupted) && {
  Basins basins;
  basins.seeds_led_to = std::move(seeds_led_to_);
  basins.starts = own_starts_ + other_starts_;
  basins.interrupted = interrupted;
  basins.exhausted = exhausted_ && !interrupted;
  for (KnownMinimum& known : known_) basins.minima.push_back(std::move(known.minimum));
  if (!began_at_.empty()) basins.minima.front().began_at = std::move(began_at_);
  return basins;
}

}  // namespace nextstat

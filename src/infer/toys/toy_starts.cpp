#include "infer/toys/toy_starts.h"

#include <algorithm>
#include <cmath>

#include "base/try.h"

namespace nextstat {
namespace {

// A minimum of the expected data this much higher is the deepest in few toys.
constexpr double kReach = 4;
constexpr std::size_t kMostOfExpected = 4;

// The sample is taken in parts: few where these show next to nothing.
// Large models get a smaller one, or none.
constexpr std::size_t kPart = 32, kMostParts = 8;
constexpr double kMostTerms = 160000;  // in all parts
// Toys elsewhere that are not worth more starts, by parts.
constexpr std::size_t kPartsThatShowAny = 2, kPartsThatShowFew = 4;
constexpr double kFew = 0.01;
// PointList that a sampled toy begins at: of its own, and minima of other toys.
constexpr std::size_t kOwnStarts = 12, kStartsOfOthers = 8;
// Minima of sampled toys that are tried on all of them, and points that are kept.
constexpr std::size_t kMostCandidates = 28, kMostStarts = 20;
// Kept points that shall lead to the deepest minimum of a sampled toy, where that many do, because few may be
// chance: of those that every toy begins at, and of all.
constexpr int kCoverForAll = 3, kCover = 6;
// Numbers of the sample, which no run of toys has.
constexpr std::uint64_t kSampleSeed = 0x5A3D'C0DE;
constexpr std::uint32_t kSampleHypothesis = kHypotheses - 1;
// Models that bend less have toys with one minimum (docs/architecture.md, "The deepest minimum").
constexpr double kBentModel = 0.25;

// [candidate][toy] whether the start leads to the toy's deepest minimum.
using Reached = std::vector<std::vector<char>>;

// Few candidates with which every toy is reached `cover` times, where that many do: again and again the one
// that reaches most toys that have been reached least. times: [toy] how often without them.
std::vector<std::size_t> choose(const Reached& reached, std::vector<int> times, int cover, std::size_t most) {
  const std::size_t n_toys = times.size();
  std::vector<std::size_t> chosen;
  std::vector<char> taken(reached.size(), 0);
  while (chosen.size() < most) {
    double best = 0;
    std::size_t which = 0;
    for (std::size_t c = 0; c < reached.size(); ++c) {
      double value = 0;
      for (std::size_t i = 0; i < n_toys; ++i)
        value += reached[c][i] && times[i] < cover ? 1.0 / ((1 + times[i]) * (1 + times[i])) : 0.0;
      if (taken[c] || value <= best) continue;
      best = value;
      which = c;
    }
    if (best == 0) break;
    taken[which] = 1;
    chosen.push_back(which);
    for (std::size_t i = 0; i < n_toys; ++i) times[i] += reached[which][i];
  }
  return chosen;
}

bool reaches(double nll, double deepest) { return nll <= deepest || same_nll(nll, deepest); }

// A toy of the sample, with the deepest minimum that was found.
struct SampledToy {
  std::vector<double> data;
  double nll;
};

class Finder {
 public:
  Finder(const Setup& setup, const ToyCenter& center, const DrawPlan& plan,
         const std::vector<FixedParameter>& fixed)
      : setup_(setup), plan_(plan), known_(center.minima), solving_(setup.solving()), batch_(setup.batch()) {
    solving_.on_progress = {};
    solving_.convergence.steps_per_metric = kStepsWithSharedMetric;
    // Toys may be drawn where fits do not reach.
    std::vector<double> start(center.truth.begin(), center.truth.end());
    for (std::size_t i = 0; i < start.size(); ++i) {
      if (!setup.fixed[i]) start[i] = std::clamp(start[i], setup.bounds.low[i], setup.bounds.high[i]);
    }
    for (const FixedParameter& held : fixed) start[held.parameter] = held.value;
    batch_.metric_at = start;
    result_.points = {start};
    batch_.starts.add(start);
    data_.assign(center.expected.begin(), center.expected.end());
    for (std::size_t i = 0; i < setup.model.n_bins(); ++i) data_[i] = std::max(0.0, data_[i]);
    batch_.data = data_;
    row_ = Row{.start = batch_.starts.size() - 1, .fixed = fixed};
  }

  Result<ToyStarts> run() {
    TRY_DO(search_expected());
    if (setup_.options.starts != 0 || setup_.bends->strongest() < kBentModel) return std::move(result_);
    const double parts = kMostTerms / terms_of(compiled_model(setup_.model));
    for (std::size_t part = 0; part < std::min(kMostParts, static_cast<std::size_t>(parts)); ++part) {
      if (part == kPartsThatShowAny && candidates_.empty()) break;
      if (part == kPartsThatShowFew &&
          static_cast<double>(candidates_.size()) <= kFew * static_cast<double>(toys_.size()))
        break;
      TRY_DO(sample(part));
      if (solving_.stop_token.stop_requested()) return std::move(result_);
    }
    result_.sampled = toys_.size();
    TRY_DO(choose_points());
    return std::move(result_);
  }

 private:
  // The free fit's deepest minimum is the truth itself.
  Result<void> search_expected() {
    if (known_) {
      take(*known_);
      return {};
    }
    if (row_.fixed.empty() && setup_.options.starts == 1) return {};
    batch_.rows = {row_};
    TRY(const std::vector<Basins> found, setup_.search(batch_, {}, solving_));
    take(found.front());
    return {};
  }

  void take(const Basins& basins) {
    if (!basins.deepest().converged()) return;
    if (!row_.fixed.empty()) result_.points.set(0, basins.deepest().parameters);
    for (std::size_t k = 1; k < std::min(kMostOfExpected, basins.minima.size()); ++k) {
      if (basins.minima[k].nll - basins.deepest().nll > kReach) break;
      result_.points.add(basins.minima[k].parameters);
    }
    result_.for_all = result_.points.size();
  }

  void set_rows(std::span<const SampledToy> toys) {
    data_.clear();
    batch_.rows.clear();
    for (const SampledToy& toy : toys) {
      row_.data = batch_.rows.size();
      batch_.rows.push_back(row_);
      data_.insert(data_.end(), toy.data.begin(), toy.data.end());
    }
    batch_.data = data_;
  }

  Result<std::vector<SampledToy>> draw(std::size_t part) const {
    TRY(const DrawnToys drawn,
        setup_.session->draw({plan_, kSampleSeed, kSampleHypothesis, part * kPart, kPart}));
    const std::size_t n_data = drawn.values.size() / kPart;
    std::vector<SampledToy> toys;
    for (std::size_t i = 0; i < kPart; ++i) {
      const auto values = std::span(drawn.values).subspan(i * n_data, n_data);
      toys.push_back({{values.begin(), values.end()}, 0.0});
    }
    return toys;
  }

  Result<void> sample(std::size_t part) {
    TRY(std::vector<SampledToy> toys, draw(part));
    set_rows(toys);
    const std::size_t known = result_.points.size();
    SearchRule rule;
    rule.shared_by = static_cast<double>(kPart);
    rule.least = kOwnStarts;
    PointList seeds = result_.points;
    for (std::size_t k = 0; k < std::min(kStartsOfOthers, candidates_.size()); ++k)
      seeds.add(candidates_[candidates_.size() - 1 - k]);
    rule.seeds.assign(kPart, seeds);
    TRY(std::vector<Basins> found, setup_.search(batch_, rule, solving_));
    if (solving_.stop_token.stop_requested()) return {};
    for (std::size_t i = 0; i < kPart; ++i) {
      Basins& basins = found[i];
      if (!basins.deepest().converged()) continue;
      const auto from = basins.seeds_led_to.begin();
      const bool reached = std::any_of(from, from + static_cast<std::ptrdiff_t>(known),
                                       [&](double nll) { return reaches(nll, basins.deepest().nll); });
      toys[i].nll = basins.deepest().nll;
      toys_.push_back(std::move(toys[i]));
      if (!reached && candidates_.size() < kMostCandidates) candidates_.add(basins.deepest().parameters);
    }
    return {};
  }

  // Tries all candidates on all toys.
  Result<void> choose_points() {
    if (candidates_.empty()) return {};
    set_rows(toys_);
    const std::size_t known = result_.points.size();
    PointList seeds = result_.points;
    for (std::size_t c = 0; c < candidates_.size(); ++c) seeds.add(candidates_[c]);
    SearchRule rule{.starts = 1};
    rule.seeds.assign(toys_.size(), seeds);
    TRY(const std::vector<Basins> tried, setup_.search(batch_, rule, solving_));
    if (solving_.stop_token.stop_requested()) return {};
    Reached reached(candidates_.size(), std::vector<char>(toys_.size(), 0));
    std::vector<int> times(toys_.size(), 0);
    for (std::size_t i = 0; i < toys_.size(); ++i) {
      const double deepest = std::min(toys_[i].nll, tried[i].deepest().nll);
      const std::vector<double>& led_to = tried[i].seeds_led_to;
      if (!reaches(led_to.front(), deepest)) ++result_.elsewhere;
      for (std::size_t k = 0; k < known; ++k) {
        if (reaches(led_to[k], deepest)) times[i] = kCover;
      }
      for (std::size_t c = 0; c < candidates_.size(); ++c)
        reached[c][i] = reaches(led_to[known + c], deepest);
    }
    const std::vector<std::size_t> for_all = choose(reached, times, kCoverForAll, kMostStarts - known);
    result_.for_all = known + for_all.size();
    for (const std::size_t c : for_all) {
      for (std::size_t i = 0; i < times.size(); ++i) times[i] += reached[c][i];
      reached[c].assign(times.size(), 0);
    }
    std::vector<std::size_t> chosen = for_all;
    for (const std::size_t c : choose(reached, times, kCover, kMostStarts - result_.for_all))
      chosen.push_back(c);
    for (const std::size_t c : chosen) result_.points.add(candidates_[c]);
    return {};
  }

  const Setup& setup_;
  const DrawPlan& plan_;
  const Basins* known_;
  SolveOptions solving_;
  RowBatch batch_;
  std::vector<double> data_;  // of the batch
  Row row_;
  ToyStarts result_;
  std::vector<SampledToy> toys_;
  PointList candidates_;  // deepest minima of sampled toys that no known point reaches
};

}  // namespace

Result<ToyStarts> find_toy_starts(const Setup& setup, const ToyCenter& center, const DrawPlan& plan,
                                  const std::vector<FixedParameter>& fixed) {
  return Finder(setup, center, plan, fixed).run();
}

}  // namespace nextstat

// The conditional fits of an asymptotic test: where they begin, and what they share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/asymptotic/asymptotic_test.h"
#include "infer/profile/best_fit.h"

namespace nextstat {
namespace {

std::string fit_name(const std::string& poi, double mu, bool asimov) {
  return fmt::format("the fit at {} = {:.6g} to the {}", poi, mu, asimov ? "Asimov data" : "data");
}

// Values this close, as a part of themselves, have the same minima.
constexpr double kClose = 0.4;

}  // namespace

// A straight line in mu through the two nearest fits, within the bounds.
std::vector<double> AsymptoticTest::start_at(Source source, double mu) const {
  const Minimum& free = source == kData ? free_ : asimov_free_;
  std::map<double, const std::vector<double>*> known = {{free.parameters[poi_], &free.parameters}};
  for (const auto& [value, conditional] : conditionals_[source]) {
    if (std::isfinite(conditional.minimum.nll)) known.emplace(value, &conditional.minimum.parameters);
  }
  auto above = known.lower_bound(mu);
  if (above == known.end()) --above;
  if (above == known.begin() && std::next(above) != known.end()) ++above;
  const auto below = above == known.begin() ? above : std::prev(above);
  std::vector<double> start = *above->second;
  const double width = above->first - below->first;
  // Far from what is known a straight line leads astray.
  const double steps = width > 0 ? std::clamp((mu - above->first) / width, -2.0, 2.0) : 0.0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (setup_.fixed[i]) continue;
    start[i] = moved_within_bounds(setup_, i, start[i], start[i] + steps * (start[i] - (*below->second)[i]));
  }
  start[poi_] = mu;
  return start;
}

// Start 0 is the model's own, where every fit begins; the others lie on the line through known fits.
RowBatch AsymptoticTest::batch_of(std::span<const FitAt> wanted) const {
  RowBatch batch = setup_.batch();
  batch.starts[0][poi_] = std::clamp(batch.starts[0][poi_], poi_low(), poi_high());
  batch.data = datasets_;
  for (const FitAt& one : wanted) {
    batch.rows.push_back(Row{.data = one.source, .start = 0, .fixed = {{poi_, one.mu}}});
    batch.starts.add(start_at(one.source, one.mu));
  }
  return batch;
}

Result<void> AsymptoticTest::fit(std::vector<FitAt> wanted) {
  if (wanted.empty() || interrupted_) return {};
  // Those close to a known fit go by its minima; the others are searched for, by dataset and ascending.
  const auto close = std::stable_partition(wanted.begin(), wanted.end(),
                                           [&](const FitAt& one) { return !has_close_neighbor(one); });
  const auto by_source = [](const FitAt& a, const FitAt& b) { return a.source < b.source; };
  std::stable_sort(wanted.begin(), close, by_source);
  std::stable_sort(close, wanted.end(), by_source);
  const std::size_t far = static_cast<std::size_t>(close - wanted.begin());
  for (const bool is_close : {false, true}) {
    const std::span<const FitAt> part =
        is_close ? std::span(wanted).subspan(far) : std::span(wanted).first(far);
    if (part.empty() || interrupted_) continue;
    TRY_DO(fit_part(part, is_close));
  }
  TRY_DO(follow_back(wanted));
  return improve_free();
}

// What new fits have found is tried at the neighboring values that were fitted before,
// unless the deepest minimum there led here.
std::map<AsymptoticTest::Place, PointList> AsymptoticTest::seeds_back(const std::set<Place>& fresh) const {
  std::map<Place, PointList> seeds;
  for (const auto& [source, mu] : fresh) {
    const Conditionals& known = conditionals_[source];
    const auto here = known.find(mu);
    if (here == known.end() || !here->second.minimum.converged()) continue;
    const auto add = [&, from = source](double neighbor) {
      // The Asimov data were made there, after a whole search.
      if (fresh.contains({from, neighbor}) || neighbor == asimov_mu()) return;
      PointList& points = seeds[{from, neighbor}];
      points.add(here->second.minimum.parameters);
      if (!here->second.others.empty()) points.add(here->second.others.front().parameters);
    };
    if (here != known.begin() && !here->second.joins_below) add(std::prev(here)->first);
    if (const auto next = std::next(here); next != known.end() && !here->second.joins_above) add(next->first);
  }
  return seeds;
}

// The lower envelope holds for all values: what is found late is followed back.
Result<void> AsymptoticTest::follow_back(std::span<const FitAt> fitted) {
  if (setup_.options.starts == 1) return {};
  std::set<Place> fresh;
  for (const FitAt& one : fitted) fresh.insert({one.source, one.mu});
  while (!fresh.empty() && !interrupted_) {
    std::vector<FitAt> rows;
    SearchRule rule{.starts = 1};
    for (auto& [place, points] : seeds_back(fresh)) {
      rows.push_back({place.first, place.second});
      rule.seeds.push_back(points);
    }
    fresh.clear();
    if (rows.empty()) break;
    RowBatch batch = batch_of(rows);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      batch.rows[k].start = 1 + k;
      batch.starts.set(1 + k, conditionals_[rows[k].source].at(rows[k].mu).minimum.parameters);
    }
    TRY(const std::vector<Basins> basins, setup_.search(batch, rule, setup_.solving()));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      interrupted_ = interrupted_ || basins[k].interrupted;
      Conditional& known = conditionals_[rows[k].source].at(rows[k].mu);
      if (replace_by_deeper(known, basins[k].deepest())) fresh.insert({rows[k].source, rows[k].mu});
    }
  }
  return {};
}

bool AsymptoticTest::replace_by_deeper(Conditional& known, const Minimum& found) {
  if (!found.converged() || !is_better_minimum(known.minimum, found)) return false;
  known.others.insert(known.others.begin(), known.minimum);
  known.minimum = found;
  known.slope = kNoValue;
  known.joins_below = known.joins_above = false;
  return true;
}

// Of limits, every third fit has starts of its own: to the data at one value, to the Asimov data at another.
SearchRule AsymptoticTest::rule_for(std::span<const FitAt> wanted, bool is_close) {
  SearchRule rule{.shared_by = shared_by_};
  // The first values tested, after the one that the Asimov data come from, are searched as those of a test.
  if (n_searched_ == 1) rule.shared_by = kFitsOfTestShare;
  if (!is_close) rule.neighbors = neighbors(wanted);
  std::size_t place = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    place = i > 0 && wanted[i].source == wanted[i - 1].source ? place + 1 : 0;
    const bool other = wanted.size() > 2 ? (place + wanted[i].source) % 3 != 2 : wanted[i].source == kAsimov;
    rule.relies.push_back(is_close || (for_limits_ && n_searched_ > 2 && other));
  }
  n_searched_ += wanted.size();
  return rule;
}

Result<void> AsymptoticTest::fit_part(std::span<const FitAt> wanted, bool is_close) {
  SearchRule rule = rule_for(wanted, is_close);
  std::vector<Seeds> seeds;
  for (const FitAt& one : wanted) {
    seeds.push_back(seeds_at(one));
    rule.seeds.push_back(seeds.back().points);
  }
  TRY(std::vector<Basins> basins, setup_.search(batch_of(wanted), rule, setup_.solving()));
  TRY_DO(fit_again(wanted, basins));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [source, mu] = wanted[i];
    Basins& found = basins[i];
    const std::string name = fit_name(poi_name(), mu, source == kAsimov);
    count(found.deepest(), name);
    interrupted_ = interrupted_ || found.interrupted;
    if (!found.deepest().began_at.empty()) began_elsewhere_.push_back(name);
    if (found.deepest().termination == Termination::Interrupted) continue;
    log_.add(setup_, name, found);
    std::vector<Minimum> others(found.minima.begin() + 1, found.minima.end());
    const auto joins = [&](std::optional<std::size_t> seed) {
      return seed && !found.seeds_led_to.empty() && same_nll(found.seeds_led_to[*seed], found.deepest().nll);
    };
    const bool joins_below = joins(seeds[i].below), joins_above = joins(seeds[i].above);
    conditionals_[source].emplace(mu, Conditional{std::move(found.minima.front()), kNoValue,
                                                  std::move(others), joins_below, joins_above});
  }
  return {};
}

// The fit to the other data at the same value, and the fits to the same data at the values next to it.
std::vector<std::vector<std::size_t>> AsymptoticTest::neighbors(std::span<const FitAt> wanted) {
  std::vector<std::vector<std::size_t>> found(wanted.size());
  for (std::size_t a = 0; a < wanted.size(); ++a) {
    if (a > 0 && wanted[a - 1].source == wanted[a].source) found[a].push_back(a - 1);
    if (a + 1 < wanted.size() && wanted[a + 1].source == wanted[a].source) found[a].push_back(a + 1);
    for (std::size_t b = 0; b < wanted.size(); ++b) {
      if (b != a && wanted[b].mu == wanted[a].mu) found[a].push_back(b);
    }
  }
  return found;
}

bool AsymptoticTest::has_close_neighbor(const FitAt& wanted) const {
  if (!for_limits_) return false;
  const Conditionals& known = conditionals_[wanted.source];
  const auto is_close = [&](double mu) { return std::abs(mu - wanted.mu) <= kClose * std::abs(wanted.mu); };
  const auto above = known.lower_bound(wanted.mu);
  return (above != known.end() && is_close(above->first)) ||
         (above != known.begin() && is_close(std::prev(above)->first));
}

// The minima of the fits on both sides, and of the free fit.
AsymptoticTest::Seeds AsymptoticTest::seeds_at(const FitAt& wanted) const {
  constexpr std::size_t kMostOthers = 2;
  Seeds seeds;
  const Conditionals& known = conditionals_[wanted.source];
  const auto add = [&](const Conditional& fit, std::optional<std::size_t>& deepest) {
    if (!fit.minimum.converged()) return;
    deepest = seeds.points.size();
    seeds.points.add(fit.minimum.parameters);
    for (std::size_t k = 0; k < std::min(kMostOthers, fit.others.size()); ++k)
      seeds.points.add(fit.others[k].parameters);
  };
  const auto above = known.lower_bound(wanted.mu);
  if (above != known.end()) add(above->second, seeds.above);
  if (above != known.begin()) add(std::prev(above)->second, seeds.below);
  const Minimum& free = wanted.source == kData ? free_ : asimov_free_;
  if (free.converged() && seeds.points.size() < 2) seeds.points.add(free.parameters);
  return seeds;
}

Result<std::vector<double>> AsymptoticTest::kinks() const {
  std::vector<double> values;
  const bool several = std::any_of(conditionals_[kData].begin(), conditionals_[kData].end(),
                                   [](const auto& one) { return !one.second.others.empty(); });
  if (!several || interrupted_) return values;
  std::vector<BranchPoint> points;
  for (const auto& [mu, conditional] : conditionals_[kData])
    points.push_back({{{poi_, mu}}, &conditional.minimum});
  TRY(const std::vector<char> marked, find_kinks(setup_, setup_.data, points));
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (marked[k]) values.push_back(points[k].fixed[0].value);
  }
  return values;
}

// Fits that did not converge, or have no finite NLL at the start, begin once more near the known fits.
Result<void> AsymptoticTest::fit_again(std::span<const FitAt> wanted, std::vector<Basins>& basins) {
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Termination end = basins[i].deepest().termination;
    if (end == Termination::NotConverged || end == Termination::NotFinite) again.push_back(i);
  }
  if (again.empty()) return {};
  RowBatch batch = batch_of(wanted);
  for (std::size_t k = 0; k < again.size(); ++k) {
    batch.rows[k] = batch.rows[again[k]];
    batch.rows[k].start = 1 + again[k];
  }
  batch.rows.resize(again.size());
  TRY(std::vector<Minimum> second, setup_.solve(batch));
  for (std::size_t k = 0; k < again.size(); ++k) {
    Minimum& first = basins[again[k]].minima.front();
    second[k].iterations += first.iterations;
    if (second[k].converged() || second[k].nll < first.nll) first = std::move(second[k]);
  }
  return {};
}

// A fit with the POI fixed at an allowed value that goes below the free fit found a better minimum:
// the free fit starts again from there.
Result<void> AsymptoticTest::improve_free() {
  const Minimum* best = &free_;
  for (const auto& [mu, conditional] : conditionals_[kData]) {
    const bool allowed = mu >= poi_low() && mu <= poi_high();
    if (allowed && conditional.minimum.nll < best->nll) best = &conditional.minimum;
  }
  if (!is_better_minimum(free_, *best)) return {};
  RowBatch batch = setup_.batch();
  batch.starts.add(best->parameters);
  batch.metric_at = best->parameters;
  batch.rows = {Row{.start = 1}};
  Result<std::vector<Minimum>> minima = setup_.solve(batch);
  if (!minima) return minima.errors();
  count(minima->front(), "the second free fit to the data");
  second_minimum_ = true;
  if (minima->front().nll < free_.nll) free_ = std::move(minima->front());
  return {};
}

}  // namespace nextstat

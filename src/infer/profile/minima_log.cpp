#include "infer/profile/minima_log.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include <algorithm>
#include <cmath>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/profile/profile.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostNamed = 5, kMostInSentence = 3;
constexpr std::size_t kMostListed = 12;  // minima of one fit

std::vector<std::size_t> most_different(const Model& model, const Minimum& a, const Minimum& b) {
  std::vector<std::pair<double, std::size_t>> changes;
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    const double sigma = prefit(model.parameters()[i]).sigma;
    const double change = std::abs(a.parameters[i] - b.parameters[i]) / (std::isnan(sigma) ? 1.0 : sigma);
    if (change > 0) changes.emplace_back(-change, i);
  }
  std::sort(changes.begin(), changes.end());
  std::vector<std::size_t> indices;
  for (std::size_t k = 0; k < std::min(kMostNamed, changes.size()); ++k) indices.push_back(changes[k].second);
  return indices;
}

FoundMinimum describe(const Setup& setup, const std::string& fit, const Basins& basins, std::size_t k) {
  const Minimum &minimum = basins.minima[k], &deepest = basins.deepest();
  FoundMinimum found{.fit = fit, .nll = minimum.nll, .above = minimum.nll - deepest.nll};
  found.used = k == 0;
  const std::optional<std::size_t> poi = setup.model.poi_index();
  found.poi = poi ? minimum.parameters[*poi] : kNoValue;
  if (basins.minima.size() == 1) return found;
  for (const std::size_t i : most_different(setup.model, deepest, basins.minima[std::max<std::size_t>(k, 1)]))
    found.parameters.push_back({i, minimum.parameters[i]});
  return found;
}

}  // namespace

void SearchLog::add(const Setup& setup, const std::string& fit, const Basins& basins, bool always) {
  search_.starts += basins.starts;
  search_.exhausted = search_.exhausted && basins.exhausted;
  interrupted_ = interrupted_ || basins.interrupted;
  const bool fitted = basins.deepest().converged();
  if (!basins.exhausted && !basins.interrupted && fitted && setup.options.starts == 0 &&
      n_unfinished_++ == 0) {
    unfinished_ = fit;
    starts_of_unfinished_ = basins.starts;
  }
  if (!fitted || (basins.minima.size() == 1 && !always)) return;
  for (std::size_t k = 0; k < std::min(kMostListed, basins.minima.size()); ++k)
    search_.minima.push_back(describe(setup, fit, basins, k));
}

std::string describe_minimum(const Model& model, const FoundMinimum& minimum, const FoundMinimum& deepest) {
  std::vector<std::string> values;
  for (const FoundMinimum::Value& one : minimum.parameters) {
    if (values.size() == kMostInSentence) break;
    const auto same = [&](const FoundMinimum::Value& other) { return other.parameter == one.parameter; };
    const auto there = std::find_if(deepest.parameters.begin(), deepest.parameters.end(), same);
    std::string value =
        fmt::format("{} = {:.3g}", printable(model.parameters()[one.parameter].name), one.value);
    if (there != deepest.parameters.end()) value += fmt::format(" (deepest {:.3g})", there->value);
    values.push_back(std::move(value));
  }
  return fmt::format("another minimum lies {:.3g} higher: {}", minimum.above, fmt::join(values, ", "));
}

std::vector<std::string> SearchLog::warnings(const Model& model, const std::string& consequence) const {
  std::vector<std::string> warnings;
  const FoundMinimum* deepest = nullptr;
  std::size_t close = 0;
  std::string first;
  for (const FoundMinimum& minimum : search_.minima) {
    if (minimum.used) deepest = &minimum;
    if (minimum.used || minimum.above > kCloseMinimum) continue;
    if (++close == 1) first = fmt::format("{}: {}", minimum.fit, describe_minimum(model, minimum, *deepest));
  }
  if (close > 0)
    warnings.push_back(fmt::format("two minima are almost equally deep{}{}; {}{}",
                                   consequence.empty() ? "" : ", ", consequence, first,
                                   close > 1 ? fmt::format("; and {} more", close - 1) : std::string()));
  if (interrupted_) warnings.push_back("interrupted before the search for the deepest minimum was finished");
  if (n_unfinished_ > 0)
    warnings.push_back(
        fmt::format("the search for the deepest minimum reached its limit after {} starts: {}{}; a deeper "
                    "one may exist",
                    starts_of_unfinished_, unfinished_,
                    n_unfinished_ > 1 ? fmt::format(" and {} more", n_unfinished_ - 1) : std::string()));
  return warnings;
}

Result<std::vector<char>> find_kinks(const Setup& setup, std::span<const double> data,
                                     std::span<const BranchPoint> points) {
  std::vector<char> kinks(points.size(), 0);
  RowBatch batch = setup.batch();
  batch.data = data;
  batch.starts = {};
  std::vector<std::size_t> of;
  for (std::size_t k = 1; k < points.size(); ++k) {
    if (!points[k].minimum->converged() || !points[k - 1].minimum->converged()) continue;
    batch.rows.push_back(Row{.start = batch.starts.size(), .fixed = points[k].fixed});
    batch.starts.add(points[k - 1].minimum->parameters);
    of.push_back(k);
  }
  if (of.empty()) return kinks;
  batch.metric_at = points[of.front()].minimum->parameters;
  SolveOptions solving = setup.solving();
  solving.on_progress = {};
  solving.convergence.steps_per_metric = kStepsWithSharedMetric;
  TRY(const std::vector<Minimum> followed, solve(*setup.session, setup.model, batch, solving));
  for (std::size_t j = 0; j < of.size(); ++j) {
    const double deepest = points[of[j]].minimum->nll;
    kinks[of[j]] = followed[j].converged() && !same_nll(followed[j].nll, deepest) ? 1 : 0;
  }
  return kinks;
}

}  // namespace nextstat

#include "infer/profile/profile.h"
#include "base/no_value.h"
#include "base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nextstat {
namespace {

// Numbers in the starts of one part: 32 MB.
constexpr std::size_t kNumbersPerPart = std::size_t{1} << 22;
constexpr std::size_t kLeastRowsPerPart = 64;

RowBatch batch_of(const Setup& setup, const BestFit& best, std::span<const ProfilePoint> points) {
  RowBatch batch = setup.batch();
  // A row whose own start has no finite NLL begins again at the best fit. The metric is made there too.
  batch.starts = {best.minimum.parameters};
  batch.metric_at = best.minimum.parameters;
  for (const ProfilePoint& point : points) {
    batch.rows.push_back(Row{.start = batch.starts.size(), .fixed = point.fixed});
    batch.starts.add(point.start.empty() ? profile_start(setup, best, point.fixed) : point.start);
  }
  return batch;
}

}  // namespace

Result<void> fit_profile(const Setup& setup, const BestFit& best, std::span<const ProfilePoint> points,
                         const ProfileProgress& progress,
                         const std::function<void(std::size_t, Minimum&&)>& use) {
  const std::size_t rows_per_part =
      std::max(kLeastRowsPerPart, kNumbersPerPart / std::max<std::size_t>(1, setup.fixed.size()));
  for (std::size_t first = 0; first < points.size(); first += rows_per_part) {
    const std::size_t rows = std::min(rows_per_part, points.size() - first);
    if (setup.options.stop.stop_requested()) {
      for (std::size_t row = 0; row < rows; ++row) use(first + row, Minimum());
      continue;
    }
    SolveOptions solving;
    solving.threads = setup.options.threads;
    solving.stop_token = setup.options.stop;
    solving.convergence.steps_per_metric = kStepsWithSharedMetric;
    if (progress.report) {
      solving.on_progress = [&](std::size_t done, std::size_t) {
        progress.report(progress.before + first + done, progress.total);
      };
    }
    TRY(std::vector<Minimum> minima,
        solve(*setup.session, setup.model, batch_of(setup, best, points.subspan(first, rows)), solving));
    for (std::size_t row = 0; row < rows; ++row) use(first + row, std::move(minima[row]));
  }
  return {};
}

namespace {

Basins not_begun() {
  Basins basins;
  basins.minima = {Minimum()};
  basins.exhausted = false;
  basins.interrupted = true;
  return basins;
}

// What one search needs is shared by the points of a scan: their minima change little from one to the next.
SearchRule rule_of(const Setup& setup, const BestFit& best, std::span<const ProfilePoint> points,
                   std::size_t all, std::size_t line) {
  constexpr std::size_t kStartsOfAll = 420, kFewest = 4, kMost = 105, kMostOthers = 5;
  SearchRule rule;
  rule.least = std::clamp(kStartsOfAll / all, kFewest, kMost);
  rule.shared_by = static_cast<double>(kMost) / static_cast<double>(rule.least);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const ProfilePoint& point = points[p];
    rule.neighbors.emplace_back();
    const auto add = [&](bool exists, std::size_t neighbor) {
      if (exists) rule.neighbors.back().push_back(neighbor);
    };
    add(p % line > 0, p - 1);
    add((p + 1) % line > 0 && p + 1 < points.size(), p + 1);
    add(p >= line, p - line);
    add(p + line < points.size(), p + line);
    rule.seeds.push_back({profile_start(setup, best, point.fixed)});
    for (std::size_t k = 0; k < std::min(kMostOthers, best.others.size()); ++k)
      rule.seeds.back().add(profile_start_near(setup, best, best.others[k], point.fixed));
  }
  return rule;
}

}  // namespace

Result<void> search_profile(const Setup& setup, const BestFit& best, std::span<const ProfilePoint> points,
                            std::size_t line, const ProfileProgress& progress,
                            const std::function<void(std::size_t, Basins&&)>& use) {
  // A search keeps some points of every row, and random numbers. Whole lines, or pieces of long ones.
  constexpr std::size_t kPointsKept = 16, kMostRows = 4096;
  const std::size_t numbers = std::max(kNumbersPerPart / kMostRows, kPointsKept * setup.fixed.size());
  std::size_t rows = std::max(kLeastRowsPerPart, kNumbersPerPart / numbers);
  if (line <= rows) rows -= rows % line;
  for (std::size_t first = 0; first < points.size(); first += rows) {
    const std::span<const ProfilePoint> part = points.subspan(first, std::min(rows, points.size() - first));
    if (setup.options.stop.stop_requested()) {
      for (std::size_t i = 0; i < part.size(); ++i) use(first + i, not_begun());
      continue;
    }
    SolveOptions solving = setup.solving();
    solving.convergence.steps_per_metric = kStepsWithSharedMetric;
    if (progress.report) {
      solving.on_progress = [&](std::size_t done, std::size_t) {
        progress.report(progress.before + first + done, progress.total);
      };
    }
    RowBatch batch = setup.batch();
    batch.starts = {best.minimum.parameters, best.start};
    batch.metric_at = best.minimum.parameters;
    for (const ProfilePoint& point : part) batch.rows.push_back(Row{.start = 1, .fixed = point.fixed});
    TRY(std::vector<Basins> basins,
        setup.search(batch, rule_of(setup, best, part, points.size(), std::min(line, rows)), solving));
    for (std::size_t i = 0; i < part.size(); ++i) use(first + i, std::move(basins[i]));
  }
  return {};
}

std::vector<double> profile_start(const Setup& setup, const BestFit& best,
                                  std::span<const FixedParameter> fixed) {
  if (fixed.size() == 1) return profile_start(setup, best, fixed[0].parameter, fixed[0].value);
  std::vector<double> start = best.minimum.parameters;
  for (const FixedParameter& held : fixed) start[held.parameter] = held.value;
  if (fixed.size() != 2 || best.covariance.variances.empty()) return start;
  const std::size_t a = fixed[0].parameter, b = fixed[1].parameter;
  const std::vector<double> with_a = best.covariance.column(a), with_b = best.covariance.column(b);
  const double aa = with_a[a], bb = with_b[b], ab = with_a[b];
  const double determinant = aa * bb - ab * ab;
  if (!(determinant > 1e-12 * aa * bb)) return start;
  const double da = start[a] - best.minimum.parameters[a], db = start[b] - best.minimum.parameters[b];
  const double wa = (bb * da - ab * db) / determinant, wb = (aa * db - ab * da) / determinant;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const double move = wa * with_a[i] + wb * with_b[i];
    if (i == a || i == b || !std::isfinite(move) || setup.fixed[i]) continue;
    start[i] = moved_within_bounds(setup, i, start[i], start[i] + move);
  }
  return start;
}

std::vector<double> profile_start_near(const Setup& setup, const BestFit& best, const Minimum& other,
                                       std::span<const FixedParameter> fixed) {
  const std::vector<double> expected = profile_start(setup, best, fixed);
  std::vector<double> start = other.parameters;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const double moved = start[i] + expected[i] - best.minimum.parameters[i];
    if (!setup.fixed[i]) start[i] = moved_within_bounds(setup, i, start[i], moved);
  }
  for (const FixedParameter& held : fixed) start[held.parameter] = held.value;
  return start;
}

double postfit_sigma(const BestFit& best, std::size_t parameter) {
  const std::vector<double>& variances = best.covariance.variances;
  const double variance = variances.empty() ? 0.0 : variances[parameter];
  return variance > 0 ? std::sqrt(variance) : kNoValue;
}

Prefit prefit(const Parameter& parameter) {
  switch (parameter.constraint) {
    case Constraint::Normal:
      return {parameter.center, parameter.width};
    case Constraint::Poisson:
      return {parameter.center / parameter.width, 1 / std::sqrt(parameter.width)};
    case Constraint::None:
      break;
  }
  return {kNoValue, kNoValue};
}

std::string better_minimum_warning(const BestFit& best, const std::string& parameter, double value,
                                   double nll) {
  return fmt::format(
      "the fit with {} = {:.6g} has a lower NLL, {:.10g}, than the best fit, {:.10g}, which is a local "
      "minimum: start the fit at {} = {:.6g}",
      parameter, value, nll, best.minimum.nll, parameter, value);
}

}  // namespace nextstat

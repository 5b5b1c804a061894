#include <nextstat/scan.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/profile/profile.h"
#include "infer/profile/warnings.h"
#include "infer/setup/parameter_names.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostPoints = 10'000'000;

Errors check_values(const ScanOptions& options) {
  Errors errors;
  if (options.values.empty())
    errors.push_back(
        {ErrorCode::BadUsage, Field::Values, "the scan has no values", "give at least one value"});
  for (const auto* values : {&options.values, &options.values2}) {
    if (!std::all_of(values->begin(), values->end(), [](double v) { return std::isfinite(v); }))
      errors.push_back(
          {ErrorCode::BadUsage, Field::Values, "a value of the scan is not finite", "give numbers"});
  }
  const std::size_t points = options.values.size() * std::max<std::size_t>(1, options.values2.size());
  if (points > kMostPoints)
    errors.push_back({ErrorCode::LimitExceeded, Field::Values,
                      fmt::format("a scan of {} points, the limit is {}", points, kMostPoints),
                      "scan fewer points"});
  return errors;
}

Result<void> find_parameters(const Setup& setup, const ScanOptions& options, ScanResult& result) {
  TRY(const std::size_t first, parameter_named(setup.model, options.parameter));
  result.parameter = first;
  if (options.values2.empty()) return {};
  TRY(const std::size_t second, parameter_named(setup.model, options.parameter2, Field::Parameter2));
  if (second == first)
    return Error{ErrorCode::BadUsage, Field::Parameter2,
                 fmt::format("both parameters of the plane are \"{}\"", setup.model.parameters()[first].name),
                 "name two different parameters"};
  result.parameter2 = second;
  return {};
}

std::vector<ProfilePoint> make_points(const ScanOptions& options, ScanResult& result) {
  std::vector<ProfilePoint> points;
  const bool plane = result.parameter2.has_value();
  for (double mu : options.values) {
    for (double mu2 : plane ? options.values2 : std::vector<double>{0.0}) {
      points.push_back({{{result.parameter, mu}}});
      if (plane) points.back().fixed.push_back({*result.parameter2, mu2});
      result.points.push_back({.mu = mu, .mu2 = mu2});
    }
  }
  return points;
}

void fill_point(const ScanResult& result, const Minimum& minimum, ScanPoint& point) {
  point.nll_mu = minimum.nll;
  point.twice_delta_nll = 2 * (minimum.nll - result.nll_hat);
  point.q_mu = point.mu < result.mu_hat ? 0.0 : std::max(0.0, point.twice_delta_nll);
  if (result.parameter2) point.q_mu = kNoValue;
  point.converged = minimum.converged();
  point.iterations = minimum.iterations;
}

// The lowest point, when it lies below the best fit.
void warn_about_lowest(const Setup& setup, const BestFit& best, const ScanPoint& lowest, ScanResult& result) {
  const std::size_t i = result.parameter;
  const std::string& name = setup.model.parameters()[i].name;
  const bool outside = lowest.mu < setup.bounds.low[i] || lowest.mu > setup.bounds.high[i] ||
                       (result.parameter2 && (lowest.mu2 < setup.bounds.low[*result.parameter2] ||
                                              lowest.mu2 > setup.bounds.high[*result.parameter2]));
  if (outside || setup.fixed[i] || (result.parameter2 && setup.fixed[*result.parameter2])) {
    result.warnings.push_back(fmt::format(
        "the NLL at {} = {:.6g} is below that of the best fit, which keeps to the bounds and fixed "
        "values: {:.10g} and {:.10g}",
        name, lowest.mu, lowest.nll_mu, result.nll_hat));
  } else {
    result.warnings.push_back(better_minimum_warning(best, name, lowest.mu, lowest.nll_mu));
  }
}

void warn_about_points(ScanResult& result) {
  std::size_t failed = 0, infinite = 0;
  const ScanPoint* first = nullptr;
  for (const ScanPoint& point : result.points) {
    if (point.converged) continue;
    const bool exists = std::isfinite(point.nll_mu);
    ++(exists ? failed : infinite);
    if (!exists && first == nullptr) first = &point;
  }
  if (failed > 0)
    result.warnings.push_back(fmt::format("{} of {} points did not converge", failed, result.points.size()));
  if (infinite > 0)
    result.warnings.push_back(
        fmt::format("the likelihood is zero at {} of {} points, first at {:.6g}: a bin with observed events "
                    "has no expected rate",
                    infinite, result.points.size(), first->mu));
}

std::string fit_name(const Model& model, const ProfilePoint& point) {
  std::vector<std::string> values;
  for (const FixedParameter& fixed : point.fixed)
    values.push_back(fmt::format("{} = {:.6g}", model.parameters()[fixed.parameter].name, fixed.value));
  return fmt::format("the fit at {} to the data", fmt::join(values, ", "));
}

// Every point begins where the model suggests, as a fit with the parameter fixed does, and at many more
// points. Those that do not converge begin again near the best fit.
Result<std::vector<Minimum>> fit_from_both(const Setup& setup, const BestFit& best,
                                           const std::vector<ProfilePoint>& points, std::size_t line,
                                           const ProfileProgress& progress, ScanResult& result) {
  std::vector<Minimum> minima(points.size());
  SearchLog log = best.log;
  bool several = false;
  auto fitted = search_profile(setup, best, points, line, progress, [&](std::size_t i, Basins&& basins) {
    several = several || basins.minima.size() > 1;
    log.add(setup, fit_name(setup.model, points[i]), basins);
    minima[i] = std::move(basins.minima.front());
  });
  if (!fitted) return fitted.errors();
  log.tell(setup.model, result);
  result.interrupted = log.interrupted();
  if (several && !result.parameter2) {
    std::vector<BranchPoint> branch;
    for (std::size_t i = 0; i < points.size(); ++i) branch.push_back({points[i].fixed, &minima[i]});
    TRY(const std::vector<char> kinks, find_kinks(setup, setup.data, branch));
    for (std::size_t i = 0; i < points.size(); ++i) result.points[i].kink = kinks[i] != 0;
  }
  std::vector<std::size_t> again;
  std::vector<ProfilePoint> second;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (minima[i].converged() || minima[i].termination == Termination::Interrupted) continue;
    again.push_back(i);
    second.push_back({points[i].fixed});
  }
  fitted = fit_profile(setup, best, second, {}, [&](std::size_t k, Minimum&& minimum) {
    Minimum& first = minima[again[k]];
    if (minimum.converged() || minimum.nll < first.nll) first = std::move(minimum);
  });
  if (!fitted) return fitted.errors();
  return minima;
}

Result<void> fit_points(const Setup& setup, const BestFit& best, const ScanOptions& options,
                        ScanResult& result) {
  const std::vector<ProfilePoint> points = make_points(options, result);
  TRY(const std::vector<Minimum> minima,
      fit_from_both(setup, best, points, options.values2.empty() ? points.size() : options.values2.size(),
                    {options.run.on_progress, 1, 1 + points.size()}, result));
  std::vector<char> finished(points.size(), 0);
  std::optional<std::size_t> lowest;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Minimum& minimum = minima[i];
    fill_point(result, minimum, result.points[i]);
    result.iterations += minimum.iterations;
    finished[i] = minimum.termination != Termination::Interrupted;
    if (finished[i] && is_better_minimum(best.minimum, minimum) &&
        (!lowest || minimum.nll < result.points[*lowest].nll_mu))
      lowest = i;
  }
  if (lowest) warn_about_lowest(setup, best, result.points[*lowest], result);
  std::vector<ScanPoint> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (finished[i]) kept.push_back(result.points[i]);
  }
  result.interrupted = result.interrupted || kept.size() < points.size();
  result.points = std::move(kept);
  return {};
}

}  // namespace

std::vector<double> even_spacing(double start, double stop, std::size_t points) {
  std::vector<double> values;
  for (std::size_t i = 0; i < points; ++i) {
    const double part = points > 1 ? static_cast<double>(i) / static_cast<double>(points - 1) : 0.0;
    const double width = stop - start;
    const double value = std::isfinite(width) ? start + part * width : (1 - part) * start + part * stop;
    values.push_back(i + 1 == points && points > 1 ? stop : value);
  }
  return values;
}

Result<ScanResult> scan(const Model& model, const ScanOptions& options) {
  if (Errors errors = check_values(options); !errors.empty()) return errors;
  const std::size_t points = options.values.size() * std::max<std::size_t>(1, options.values2.size());
  RunOptions quiet = options.run;
  quiet.on_progress = {};
  TRY(const Setup setup, make_setup(model, quiet, {.fits = 1 + static_cast<double>(points)}));
  ScanResult result;
  TRY_DO(find_parameters(setup, options, result));
  const Result<BestFit> best = find_best_fit(setup, true);
  if (!best) return best.errors();
  result.mu_hat = best->minimum.parameters[result.parameter];
  if (result.parameter2) result.mu2_hat = best->minimum.parameters[*result.parameter2];
  result.nll_hat = best->minimum.nll;
  result.iterations = best->minimum.iterations;
  result.warnings = warnings_of(model, *best);
  result.device = setup.device;
  result.instruction_set = setup.session->traits().instruction_set;
  TRY_DO(fit_points(setup, *best, options, result));
  if (!best->minimum.converged())
    result.warnings.push_back(
        "the best fit did not converge: differences are relative to the lowest NLL it found");
  if (result.interrupted) result.warnings.push_back("interrupted: the points that were finished are given");
  warn_about_points(result);
  result.converged = best->minimum.converged() && !result.interrupted &&
                     std::all_of(result.points.begin(), result.points.end(),
                                 [](const ScanPoint& point) { return point.converged; });
  return result;
}

}  // namespace nextstat

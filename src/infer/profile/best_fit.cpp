#include "infer/profile/best_fit.h"
#include "infer/profile/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "infer/setup/memory_need.h"

namespace nextstat {

std::vector<char> moving_parameters(const Setup& setup, const Minimum& minimum) {
  std::vector<char> moving(setup.fixed.size());
  for (std::size_t i = 0; i < setup.fixed.size(); ++i) {
    const double x = minimum.parameters[i];
    moving[i] = !setup.fixed[i] && x > setup.bounds.low[i] && x < setup.bounds.high[i] ? 1 : 0;
  }
  for (std::size_t i : minimum.pinned) moving[i] = 0;
  return moving;
}

namespace {

Covariance covariance_at(const Setup& setup, const Minimum& minimum) {
  const CompiledModel& compiled = compiled_model(setup.model);
  return covariance(compiled, setup.set, minimum.parameters, moving_parameters(setup, minimum),
                    setup.options.threads);
}

std::vector<double> moved(const Setup& setup, std::vector<double> point, const std::vector<double>& direction,
                          double steps) {
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!setup.fixed[i])
      point[i] = std::clamp(point[i] + steps * direction[i], setup.bounds.low[i], setup.bounds.high[i]);
  }
  return point;
}

// A systematic with equal variations up and down has no slope at 0, and a fit may end there although the NLL
// falls to both sides. Goes on from both, and keeps the lower end.
Result<void> leave_saddle(const Setup& setup, BestFit& best) {
  constexpr double kAside = 0.3;  // of the direction, which is about a sigma
  constexpr int kMostTries = 5;
  for (int i = 0; i < kMostTries && !best.covariance.positive_definite(); ++i) {
    const std::vector<double> downhill = best.covariance.downhill;
    RowBatch batch = setup.batch();
    batch.rows.clear();
    for (const double side : {kAside, -kAside}) {
      batch.rows.push_back(Row{.start = batch.starts.size()});
      batch.starts.add(moved(setup, best.minimum.parameters, downhill, side));
    }
    TRY(std::vector<Minimum> minima, setup.solve(batch));
    const std::size_t lower = minima[1].nll < minima[0].nll ? 1 : 0;
    if (!(minima[lower].nll < best.minimum.nll)) break;
    minima[lower].iterations += best.minimum.iterations;
    minima[lower].evaluations += best.minimum.evaluations;
    best.minimum = std::move(minima[lower]);
    best.start = moved(setup, best.start, downhill, lower == 0 ? kAside : -kAside);
    best.covariance = covariance_at(setup, best.minimum);
  }
  if (!best.covariance.positive_definite() && best.minimum.converged())
    best.minimum.termination = Termination::NotConverged;
  return {};
}

}  // namespace

namespace {

// A valley that is flat along a curve has a curvature of the size of the gradient that is left: Newton steps
// bring that down to rounding, so that flat directions are told from downhill ones.
void sharpen(const Setup& setup, BestFit& best) {
  constexpr double kShift = 1e-4;
  constexpr int kSteps = 4;
  const CompiledModel& compiled = compiled_model(setup.model);
  const std::vector<char> moving = moving_parameters(setup, best.minimum);
  const auto evaluate = [&](const std::vector<double>& x) {
    return setup.session->for_single_rows().evaluate({.parameters = x, .data = setup.data, .gradient = true});
  };
  Result<EvalOutput> here = evaluate(best.minimum.parameters);
  for (int step = 0; here && step < kSteps; ++step) {
    const std::vector<double>& x = best.minimum.parameters;
    const HessianFactor factor(compiled, hessian_parts(compiled, setup.set, x, setup.options.threads), moving,
                               {.threads = setup.options.threads}, kShift);
    if (!factor.downhill().empty()) return;
    const std::vector<double> change = factor.solve(here->gradient);
    std::vector<double> next = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (moving[i]) next[i] = moved_within_bounds(setup, i, x[i], x[i] - change[i]);
    }
    Result<EvalOutput> there = evaluate(next);
    const auto largest = [&](const std::vector<double>& gradient) {
      double scaled = 0;
      for (std::size_t i = 0; i < gradient.size(); ++i)
        scaled = std::max(scaled, std::abs(gradient[i]) * factor.units()[i]);
      return scaled;
    };
    // Beyond a kink, or within rounding, a step makes the slopes larger.
    if (!there || !(there->nll[0] <= best.minimum.nll + 1e-12 * (1 + std::abs(best.minimum.nll)))) return;
    if (!(largest(there->gradient) < largest(here->gradient))) return;
    best.minimum.parameters = std::move(next);
    best.minimum.nll = there->nll[0];
    ++best.minimum.iterations;
    here = std::move(there);
  }
}

// Names what moved most, in units of the bounds.
std::string began_elsewhere_warning(const Setup& setup, const Minimum& minimum) {
  std::vector<std::pair<double, std::size_t>> moved;
  for (std::size_t i = 0; i < setup.start.size(); ++i) {
    const double change = std::abs(minimum.began_at[i] - setup.start[i]);
    if (change > 0) moved.emplace_back(-change / (setup.bounds.high[i] - setup.bounds.low[i]), i);
  }
  std::sort(moved.begin(), moved.end());
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(kMost, moved.size()); ++k)
    names.push_back(fmt::format("{} = {:.4g}", setup.model.parameters()[moved[k].second].name,
                                minimum.began_at[moved[k].second]));
  if (moved.size() > kMost) names.push_back(fmt::format("and {} more", moved.size() - kMost));
  return fmt::format("the likelihood is zero at the suggested start ({}); the fit started at {} instead",
                     zero_likelihood_reason(setup, setup.start), fmt::join(names, ", "));
}

}  // namespace

namespace {

// Beside a deeper minimum a saddle point, where a start without a slope has led, is of no interest.
void drop_saddles(const Setup& setup, Basins& basins) {
  for (std::size_t k = basins.minima.size(); k-- > 1;) {
    if (covariance_at(setup, basins.minima[k]).positive_definite()) continue;
    basins.minima.erase(basins.minima.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

}  // namespace

Result<BestFit> find_best_fit(const Setup& setup, bool with_covariance) {
  RowBatch batch = setup.batch();
  batch.rows = {{}};
  TRY(std::vector<Basins> basins, setup.search(batch));
  if (has_memory(hessian_need(setup.model))) drop_saddles(setup, basins.front());
  const std::vector<Minimum>& minima = basins.front().minima;
  BestFit best{minima.front(), {minima.begin() + 1, minima.end()}, {}, {}, 0, setup.start, {}, {}};
  best.log.add(setup, kFreeFit, basins.front(), true);
  if (best.minimum.termination == Termination::NotFinite) {
    return Error{
        ErrorCode::BadInput,
        "",
        fmt::format("the likelihood is zero at the start, and no point within the bounds was found where it "
                    "is not: {}",
                    zero_likelihood_reason(setup, setup.start)),
        {"start elsewhere, prune the bin's channel, or correct the model", {Field::Init}}};
  }
  if (!best.minimum.began_at.empty()) best.warnings.push_back(began_elsewhere_warning(setup, best.minimum));
  TRY(const EvalOutput at_start, setup.session->evaluate({.parameters = setup.start, .data = setup.data}));
  best.initial_nll = at_start.nll[0];
  const bool wanted = with_covariance && best.minimum.termination != Termination::Interrupted;
  const bool fits = has_memory(hessian_need(setup.model));
  if (wanted && !fits)
    best.warnings.push_back(
        fmt::format("the Hessian of {} parameters would take {} of memory: there is no search for flat "
                    "directions and saddle points",
                    setup.model.n_parameters(), memory_text(hessian_need(setup.model))));
  if (wanted && fits) {
    best.covariance = covariance_at(setup, best.minimum);
    if (best.minimum.converged() && best.covariance.is_nearly_flat()) {
      sharpen(setup, best);
      best.covariance = covariance_at(setup, best.minimum);
    }
    TRY_DO(leave_saddle(setup, best));
  }
  for (std::size_t i = 0; i < setup.fixed.size(); ++i) {
    const double x = best.minimum.parameters[i];
    if (!setup.fixed[i] && (x <= setup.bounds.low[i] || x >= setup.bounds.high[i]))
      best.at_bound.push_back(i);
  }
  return best;
}

BestFit branch_at(const Setup& setup, const BestFit& best, const Minimum& other) {
  BestFit branch{other, {}, {}, {}, best.initial_nll, best.start, {}, {}};
  branch.covariance = covariance_at(setup, other);
  return branch;
}

bool is_better_nll(double known, double other) { return other < known - (1e-7 + 1e-11 * std::abs(known)); }

bool is_better_minimum(const Minimum& known, const Minimum& other) {
  return is_better_nll(known.nll, other.nll);
}

double moved_within_bounds(const Setup& setup, std::size_t parameter, double from, double to) {
  const double low = setup.bounds.low[parameter], high = setup.bounds.high[parameter];
  return std::clamp(to, std::min(from, (from + low) / 2), std::max(from, (from + high) / 2));
}

std::vector<double> profile_start(const Setup& setup, const BestFit& best, std::size_t parameter,
                                  double value) {
  std::vector<double> start = best.minimum.parameters;
  const std::vector<double>& variances = best.covariance.variances;
  const double variance = variances.empty() ? 0.0 : variances[parameter];
  const double steps = variance > 0 ? (value - start[parameter]) / variance : 0.0;
  const std::vector<double> column = steps == 0 ? variances : best.covariance.column(parameter);
  for (std::size_t i = 0; steps != 0 && i < start.size(); ++i) {
    const double move = steps * column[i];
    if (!std::isfinite(move) || setup.fixed[i]) continue;
    start[i] = moved_within_bounds(setup, i, start[i], start[i] + move);
  }
  start[parameter] = value;
  return start;
}

}  // namespace nextstat

#include "minimize/rows/row_task.h"

#include <nextstat/names.h>
#include <nextstat/termination.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/try.h"
#include "minimize/curvature/make_metric.h"
#include "minimize/rows/finite_start.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostChangesOfSides = 200, kMostPlateaus = 10;
constexpr std::size_t kStepsWithDiagonal = 60, kQuickRenewals = 4;

}  // namespace

ConvergenceRule convergence_rule(ConvergenceRule rule, const Metric& metric) {
  if (metric.diagonal) rule.steps_per_metric = std::max(rule.steps_per_metric, kStepsWithDiagonal);
  return rule;
}

RowTask::RowTask(const BatchContext& context, std::span<const double> data, std::vector<double> start,
                 std::vector<double> fallback, Bounds bounds, std::vector<std::size_t> held,
                 std::vector<char> fixed)
    : context_(context),
      data_(data),
      fallback_(std::move(fallback)),
      bounds_(std::move(bounds)),
      whole_bounds_(bounds_),
      held_(std::move(held)),
      fixed_(std::move(fixed)) {
  outcome_.parameters = std::move(start);
}

std::vector<double> RowTask::gradient_at(std::span<const double> parameters) {
  ++outcome_.evaluations;
  Result<EvalOutput> output = context_.session.for_single_rows().evaluate(
      {.parameters = parameters, .data = data_, .gradient = true});
  return std::move(output.value().gradient);
}

void RowTask::choose_sides() {
  std::vector<double>& x = outcome_.parameters;
  std::vector<double> above = x;
  bool any = false;
  for (std::size_t i : context_.kinks) {
    if (fixed_[i]) continue;
    if (x[i] == 0 && whole_bounds_.high[i] > 0) {
      above[i] = kSide;
      any = true;
    }
  }
  const std::vector<double> slope = any ? gradient_at(above) : std::vector<double>();
  for (std::size_t i : context_.kinks) {
    if (fixed_[i]) continue;
    if (x[i] == 0) {
      const bool can_fall = whole_bounds_.low[i]<0, can_rise = whole_bounds_.high[i]> 0;
      x[i] = can_rise && (!can_fall || slope[i] < 0) ? kSide : can_fall ? -kSide : 0.0;
    }
    if (x[i] > 0) bounds_.low[i] = std::max(kSide, whole_bounds_.low[i]);
    if (x[i] < 0) bounds_.high[i] = std::min(-kSide, whole_bounds_.high[i]);
  }
}

// Runs the row from where it stands.
Result<void> RowTask::run(const Metric& metric, bool holds) {
  MinimizeRequest request{.metric = metric};
  const MinimizeRow row;
  RowBounds bounds{bounds_.low, bounds_.high};
  if (holds) bounds.held = held_;
  request.rows = {&row, 1};
  request.starts = outcome_.parameters;
  request.bounds = {&bounds, 1};
  request.data = data_;
  request.convergence = convergence_rule(context_.options.convergence, metric);
  request.stop_token = context_.options.stop_token;
  TRY(std::vector<RowOutcome> next, context_.session.for_single_rows().minimize(request));
  next[0].iterations += outcome_.iterations;
  next[0].evaluations += outcome_.evaluations;
  outcome_ = std::move(next[0]);
  return {};
}

// A metric at the row's own point, as often as that helps; then the safe path.
Result<void> RowTask::run_to_end(const SharedMetric& shared) {
  if (context_.options.rough) return has_trouble() ? run_above_walls() : Result<void>();
  if (outcome_.status == RowStatus::NotFinite && !fallback_.empty()) {
    start_ = outcome_.parameters = std::move(fallback_);
    fallback_.clear();
    bounds_ = whole_bounds_;
    choose_sides();
    TRY_DO(run(shared.metric, shared.holds));
  }
  if (outcome_.status == RowStatus::NotFinite) {
    TRY_DO(begin_elsewhere());
  }
  TRY_DO(renew_metrics());
  return has_trouble() || outcome_.status == RowStatus::Converged ? run_safely() : Result<void>();
}

Result<void> RowTask::renew_metrics() {
  for (std::size_t renewal = 0;
       renewal < context_.options.metrics && outcome_.status == RowStatus::MetricOutdated; ++renewal) {
    const MetricCost cost = renewal < kQuickRenewals ? MetricCost::Little : MetricCost::Any;
    TRY_DO(run(own_metric(cost), false));
  }
  return {};
}

bool RowTask::has_trouble() const {
  return outcome_.status == RowStatus::MetricOutdated || outcome_.status == RowStatus::NoDecrease;
}

// Where the start has no finite NLL: at another point that has one, if there is any.
Result<void> RowTask::begin_elsewhere() {
  std::optional<std::vector<double>> start =
      finite_start({context_.session.for_single_rows(), context_.model, data_, outcome_.parameters,
                    whole_bounds_.low, whole_bounds_.high});
  if (!start) return {};
  began_at_ = *start;
  start_ = outcome_.parameters = std::move(*start);
  bounds_ = whole_bounds_;
  choose_sides();
  return run(own_metric(), false);
}

// The metric at the row's own point. Where it has a flat direction, parameters that a bound holds must not be
// what moves along it.
Metric RowTask::own_metric(MetricCost cost) {
  const CompiledModel& compiled = compiled_model(context_.model);
  Metric metric = make_metric(compiled, outcome_.parameters, fixed_, 1, cost);
  if (metric.held.empty()) return metric;
  const std::vector<double> slope = gradient_at(outcome_.parameters);
  std::vector<char> fixed = fixed_;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const double x = outcome_.parameters[i];
    if (!fixed[i] && (slope[i] > 0 ? x <= bounds_.low[i] : x >= bounds_.high[i])) fixed[i] = kHeldForNow;
  }
  return make_metric(compiled, outcome_.parameters, fixed, 1, cost);
}

void RowTask::safe_path(std::size_t most_steps) {
  const CompiledModel& compiled = compiled_model(context_.model);
  const Dataset data = make_dataset(compiled, data_or_model());
  const auto evaluate = [&](std::span<const double> x, std::vector<double>& gradient) {
    Result<EvalOutput> output =
        context_.session.for_single_rows().evaluate({.parameters = x, .data = data_, .gradient = true});
    if (!output) return std::numeric_limits<double>::infinity();
    gradient = std::move(output->gradient);
    return output->nll[0];
  };
  newton({compiled, data, bounds_.low, bounds_.high, context_.options.convergence, evaluate,
          context_.options.stop_token, most_steps},
         outcome_);
}

// Moves every parameter that stands at a kink, and would go on downhill beyond it, to the other side.
// This does not change the NLL.
bool RowTask::change_sides() {
  std::vector<double>& x = outcome_.parameters;
  std::vector<double> other = x;
  bool any = false;
  for (std::size_t i : context_.kinks) {
    if (fixed_[i] || std::abs(x[i]) != kSide) continue;
    const bool can = x[i] > 0 ? whole_bounds_.low[i] < 0 : whole_bounds_.high[i] > 0;
    if (can) other[i] = -x[i];
    any = any || can;
  }
  if (!any) return false;
  const std::vector<double> slope = gradient_at(other);
  bool changed = false;
  for (std::size_t i : context_.kinks) {
    const bool downhill = other[i] < 0 ? slope[i] > context_.options.convergence.scaled_gradient
                                       : slope[i] < -context_.options.convergence.scaled_gradient;
    if (other[i] == x[i] || !downhill) continue;
    x[i] = other[i];
    bounds_.low[i] = x[i] > 0 ? std::max(kSide, whole_bounds_.low[i]) : whole_bounds_.low[i];
    bounds_.high[i] = x[i] < 0 ? std::min(-kSide, whole_bounds_.high[i]) : whole_bounds_.high[i];
    changed = true;
  }
  return changed;
}

// Runs to the end on this side of every kink, then on the other sides that lead further down.
Result<void> RowTask::run_on_one_side(const SharedMetric& shared) {
  TRY_DO(run_to_end(shared));
  for (std::size_t round = 0; round < kMostChangesOfSides; ++round) {
    if (outcome_.status == RowStatus::NotFinite || outcome_.status == RowStatus::Interrupted) break;
    if (!change_sides()) break;
    const auto moved = context_.options.rough ? run(shared.metric, shared.holds) : run(own_metric(), false);
    if (!moved) return moved;
    TRY_DO(run_to_end(shared));
  }
  return {};
}

Result<void> RowTask::leave_plateaus(const SharedMetric& shared) {
  for (std::size_t round = 0; round < kMostPlateaus; ++round) {
    if (outcome_.status != RowStatus::Converged) break;
    if (!context_.plateaus.may_hold(bounds_.low, bounds_.high, outcome_.parameters)) break;
    const RowOutcome before = outcome_;
    const auto gradient = [&](const std::vector<double>& x) { return gradient_at(x); };
    if (!context_.plateaus.leave(bounds_.low, bounds_.high, gradient, outcome_.parameters)) {
      outcome_.parameters = before.parameters;
      break;
    }
    TRY_DO(run(own_metric(), false));
    TRY_DO(run_on_one_side(shared));
    if (outcome_.nll < before.nll) continue;
    outcome_ = before;
    break;
  }
  return {};
}

Result<Minimum> RowTask::finish(RowOutcome reached, const SharedMetric& shared) {
  const bool thin = ThinWalls(data_or_model(), context_.model.n_bins()).any();
  if (thin || reached.status != RowStatus::Converged) start_ = std::move(outcome_.parameters);
  outcome_ = std::move(reached);
  TRY_DO(run_on_one_side(shared));
  if (!context_.options.rough) {
    TRY_DO(leave_plateaus(shared));
  }
  return minimum();
}

Minimum minimum_of(RowOutcome outcome) {
  Minimum minimum{std::move(outcome)};
  const bool tiny = minimum.edm <= kRounding * (1 + std::abs(minimum.nll));
  switch (minimum.status) {
    case RowStatus::Converged:
      minimum.termination = Termination::Converged;
      break;
    case RowStatus::NotFinite:
      minimum.termination = Termination::NotFinite;
      break;
    case RowStatus::Interrupted:
      minimum.termination = Termination::Interrupted;
      break;
    case RowStatus::NoDecrease:
    case RowStatus::MetricOutdated:
      minimum.termination = tiny ? Termination::Rounding : Termination::NotConverged;
  }
  return minimum;
}

Minimum RowTask::minimum() const {
  Minimum minimum = minimum_of(outcome_);
  minimum.began_at = began_at_;
  for (std::size_t i : context_.kinks) {
    if (std::abs(minimum.parameters[i]) != kSide) continue;
    minimum.parameters[i] = 0;
    if (!fixed_[i]) minimum.pinned.push_back(i);
  }
  return minimum;
}

std::vector<std::size_t> kinked_parameters(const CompiledModel& model) {
  std::vector<char> kinked(model.n_parameters, 0);
  for (const CompiledModel::Linear& term : model.linears) {
    if (term.even != 0) kinked[term.parameter] = 1;
  }
  // code1: f = hi^a for a > 0, lo^-a below
  for (const CompiledModel::Norm& term : model.norms) {
    if (model.normsys_code == 1 && term.log_high != -term.log_low) kinked[term.parameter] = 1;
  }
  // code0: delta = a S + |a| A
  for (std::size_t i = 0; model.histosys_code == 0 && i < model.shifts.size(); ++i) {
    if (model.shifts[i].even != 0) kinked[model.shifts[i].parameter] = 1;
  }
  std::vector<std::size_t> parameters;
  for (std::size_t i = 0; i < kinked.size(); ++i) {
    if (kinked[i]) parameters.push_back(i);
  }
  return parameters;
}

namespace {

constexpr Named<Termination> kTerminations[] = {
    {"converged", Termination::Converged},        {"rounding", Termination::Rounding},
    {"not_converged", Termination::NotConverged}, {"not_finite", Termination::NotFinite},
    {"interrupted", Termination::Interrupted},
};

}  // namespace

const char* to_string(Termination termination) {
  return name_in(NameTable<Termination>(kTerminations), termination);
}

}  // namespace nextstat

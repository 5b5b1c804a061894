#include "minimize/rows/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "base/parallel.h"
#include "base/try.h"
#include "minimize/curvature/make_metric.h"
#include "minimize/rows/row_task.h"

namespace nextstat {
namespace {

// Counts rows for the caller, one call at a time.
class Progress {
 public:
  Progress(const SolveOptions& options, std::size_t total) : options_(options), total_(total) {}
  void row_done() {
    if (!options_.on_progress) return;
    const std::lock_guard lock(mutex_);
    options_.on_progress(++done_, total_);
  }

 private:
  const SolveOptions& options_;
  std::size_t total_, done_ = 0;
  std::mutex mutex_;
};

class Solver {
 public:
  Solver(DeviceSession& session, const Model& model, const RowBatch& batch, const SolveOptions& options)
      : context_{session, model, options, {}, {}}, batch_(batch), fixed_(batch.fixed), bounds_(batch.bounds) {
    if (fixed_.empty()) fixed_ = fixed_of(model);
    for (std::size_t i : kinked_parameters(compiled_model(model))) {
      if (!fixed_[i]) context_.kinks.push_back(i);
    }
    context_.plateaus = Plateaus(compiled_model(model), fixed_);
    if (bounds_.empty()) bounds_.push_back(bounds_of(model));
  }

  Result<std::vector<Minimum>> run() {
    for (const Row& row : batch_.rows) lay_out(row);
    if (!errors_.empty()) return errors_;
    if (!context_.kinks.empty()) {
      parallel_chunks(tasks_.size(), context_.options.threads,
                      [&](std::size_t row) { tasks_[row].choose_sides(); });
    }
    std::vector<Minimum> minima(tasks_.size());
    Progress progress(context_.options, tasks_.size());
    std::vector<std::size_t> all(tasks_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    TRY_DO(run_groups(groups(all, NS_HELD), minima, progress));
    return minima;
  }

 private:
  // Start and bounds of a row; a fixed parameter has equal bounds.
  void lay_out(const Row& row) {
    Bounds bounds = bounds_[row.bounds];
    std::vector<double> start = batch_.starts.copy(row.start), fallback;
    if (row.start != 0) fallback = batch_.starts.copy(0);
    std::vector<char> fixed = fixed_;
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < start.size(); ++i) {
      if (fixed_[i]) bounds.low[i] = bounds.high[i] = start[i];
    }
    for (const FixedParameter& parameter : row.fixed) {
      const std::size_t i = parameter.parameter;
      start[i] = bounds.low[i] = bounds.high[i] = parameter.value;
      if (!fixed[i]) held.push_back(i);
      fixed[i] = 1;
    }
    for (std::size_t i = 0; i < fallback.size(); ++i)
      fallback[i] = std::clamp(fallback[i], bounds.low[i], std::max(bounds.low[i], bounds.high[i]));
    check_start(start, bounds);
    tasks_.emplace_back(context_, batch_.data_of(row, context_.model.data().size()), std::move(start),
                        std::move(fallback), std::move(bounds), std::move(held), std::move(fixed));
  }

  void check_start(const std::vector<double>& start, const Bounds& bounds) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      if (start[i] >= bounds.low[i] && start[i] <= bounds.high[i]) continue;
      errors_.push_back({ErrorCode::BadInput,
                         context_.model.parameters()[i].name,
                         fmt::format("the start {} is outside the bounds [{}, {}]", start[i], bounds.low[i],
                                     bounds.high[i]),
                         {"start inside, or widen the bounds", {Field::Init, Field::Bounds}}});
    }
  }

  using Groups = std::map<std::vector<std::size_t>, std::vector<std::size_t>>;  // rows by what they fix

  // Rows that fix few parameters share the metric in which those are free.
  // Rows that fix many share one in which they are fixed.
  Groups groups(std::span<const std::size_t> rows, std::size_t few) const {
    Groups rows_of;
    for (const std::size_t row : rows) {
      const std::vector<std::size_t>& held = tasks_[row].held();
      rows_of[held.size() > few ? held : std::vector<std::size_t>()].push_back(row);
    }
    return rows_of;
  }

  Metric metric_with(const std::vector<std::size_t>& fixed_here) const {
    std::vector<char> fixed = fixed_;
    for (std::size_t i : fixed_here) fixed[i] = 1;
    const std::span<const double> at = batch_.metric_at.empty() ? batch_.starts[0] : batch_.metric_at;
    return make_metric(compiled_model(context_.model), at, fixed, context_.options.threads,
                       MetricCost::Little);
  }

  // Where a metric has a flat direction, fixing a parameter may lift it: such rows get one with theirs fixed.
  Result<void> run_groups(const Groups& groups_of_rows, std::vector<Minimum>& minima, Progress& progress) {
    for (const auto& [fixed, rows] : groups_of_rows) {
      const Metric metric = metric_with(fixed);
      const bool split = fixed.empty() && !metric.held.empty() && any_held(rows);
      const auto done = split ? run_groups(groups(rows, 0), minima, progress)
                              : run_group(metric, fixed.empty(), rows, minima, progress);
      if (!done) return done;
    }
    return {};
  }

  bool any_held(std::span<const std::size_t> rows) const {
    return std::any_of(rows.begin(), rows.end(),
                       [&](std::size_t row) { return !tasks_[row].held().empty(); });
  }

  // holds: rows hold parameters that are free in the metric.
  Result<void> run_group(const Metric& metric, bool holds, const std::vector<std::size_t>& rows,
                         std::vector<Minimum>& minima, Progress& progress) {
    // Almost every row ends with the shared metric; kinks take rounds of their own.
    const bool ends_here = context_.kinks.empty();
    const std::function<void()> count = [&] { progress.row_done(); };
    TRY(std::vector<RowOutcome> reached,
        run_rows(metric, rows, holds, ends_here ? count : std::function<void()>()));
    std::vector<Errors> errors(rows.size());
    parallel_chunks(rows.size(), context_.options.threads, [&](std::size_t k) {
      Result<Minimum> minimum = tasks_[rows[k]].finish(std::move(reached[k]), {metric, holds});
      if (minimum) {
        minima[rows[k]] = std::move(*minimum);
      } else {
        errors[k] = minimum.errors();
      }
      if (!ends_here) progress.row_done();
    });
    for (Errors& failed : errors) {
      if (!failed.empty()) return std::move(failed);
    }
    return {};
  }

  Result<std::vector<RowOutcome>> run_rows(const Metric& metric, const std::vector<std::size_t>& rows,
                                           bool holds, std::function<void()> on_row) {
    std::vector<double> starts;
    std::vector<RowBounds> bounds;
    std::vector<MinimizeRow> places;
    for (std::size_t row : rows) {
      const RowTask& task = tasks_[row];
      places.push_back({batch_.data.empty() ? 0 : batch_.rows[row].data, bounds.size(), bounds.size()});
      starts.insert(starts.end(), task.start().begin(), task.start().end());
      bounds.push_back({task.low(), task.high()});
      if (holds) bounds.back().held = task.held();
    }
    MinimizeRequest request{.metric = metric};
    request.rows = places;
    request.starts = starts;
    request.bounds = bounds;
    request.data = batch_.data;
    request.convergence = convergence_rule(context_.options.convergence, metric);
    request.stop_token = context_.options.stop_token;
    request.on_row = std::move(on_row);
    return context_.session.minimize(request);
  }

  BatchContext context_;
  const RowBatch& batch_;
  std::vector<char> fixed_;
  std::vector<Bounds> bounds_;
  std::vector<RowTask> tasks_;
  Errors errors_;
};

}  // namespace

Bounds bounds_of(const Model& model) {
  Bounds bounds;
  for (const Parameter& parameter : model.parameters()) {
    bounds.low.push_back(parameter.low);
    bounds.high.push_back(parameter.high);
  }
  return bounds;
}

std::vector<char> fixed_of(const Model& model) {
  std::vector<char> fixed;
  for (const Parameter& parameter : model.parameters()) fixed.push_back(parameter.fixed ? 1 : 0);
  return fixed;
}

Result<std::vector<Minimum>> solve(DeviceSession& session, const Model& model, const RowBatch& batch,
                                   const SolveOptions& options) {
  if (batch.rows.empty()) return std::vector<Minimum>();
  return Solver(session, model, batch, options).run();
}

}  // namespace nextstat

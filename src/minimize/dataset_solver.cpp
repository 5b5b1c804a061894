#include "minimize/dataset_solver.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"
#include "minimize/basins/basins.h"
#include "minimize/curvature/make_metric.h"
#include "minimize/rows/row_task.h"

namespace nextstat {
namespace {

// With the metric of a start that is not the first.
constexpr std::size_t kStepsFromOther = 16;

}  // namespace

DatasetSolver::DatasetSolver(DeviceSession& session, const Model& model, Frame frame, SolveOptions options)
    : session_(session), model_(model), frame_(std::move(frame)), options_(std::move(options)) {
  for (const std::size_t i : kinked_parameters(compiled_model(model))) {
    if (!frame_.fixed[i]) kinks_.push_back(i);
  }
  plateaus_ = Plateaus(compiled_model(model), frame_.fixed);
}

std::size_t DatasetSolver::add(FitKind kind) {
  Prepared prepared{std::move(kind.fixed), frame_.fixed, frame_.bounds, {}, kind.for_all};
  for (std::size_t k = 0; k < kind.starts.size(); ++k) {
    const std::span<double> point = kind.starts[k];
    for (const FixedParameter& held : prepared.held) {
      point[held.parameter] = held.value;
      prepared.fixed[held.parameter] = 1;
    }
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (prepared.fixed[i]) {
        if (!prepared.starts.empty()) point[i] = prepared.starts.front().point[i];
        prepared.bounds.low[i] = prepared.bounds.high[i] = point[i];
      } else {
        point[i] = std::clamp(point[i], prepared.bounds.low[i], prepared.bounds.high[i]);
      }
    }
    Metric metric = make_metric(compiled_model(model_), point, prepared.fixed, options_.threads);
    prepared.starts.push_back({kind.starts.copy(k), std::move(metric)});
  }
  kinds_.push_back(std::move(prepared));
  return kinds_.size() - 1;
}

namespace {

// Keeps the deeper of two ends of one fit; of ends that agree within rounding, the first.
// Returns whether they are two minima.
bool keep_deeper(Minimum& known, Minimum&& other) {
  const std::size_t iterations = known.iterations + other.iterations;
  const bool two = known.converged() && other.converged() && !same_nll(other.nll, known.nll);
  const bool deeper = other.converged() && (!known.converged() || (two && other.nll < known.nll));
  const bool stopped =
      known.termination == Termination::Interrupted || other.termination == Termination::Interrupted;
  if (deeper) known = std::move(other);
  known.iterations = iterations;
  if (stopped) known.termination = Termination::Interrupted;
  return two;
}

}  // namespace

Result<std::vector<Minimum>> DatasetSolver::solve(std::size_t kind, const Datasets& data,
                                                  std::span<const std::size_t> which) const {
  if (which.empty()) return std::vector<Minimum>();
  const Prepared& prepared = kinds_[kind];
  Result<std::vector<Minimum>> deepest = solve_at(prepared, prepared.starts.front(), data, which);
  std::vector<char> several(which.size(), 0);
  for (std::size_t k = 1; deepest && k < prepared.starts.size(); ++k) {
    std::vector<std::size_t> rows, sets;
    std::vector<const Minimum*> known;
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (k >= prepared.for_all && !several[i]) continue;
      rows.push_back(i);
      sets.push_back(which[i]);
      known.push_back(&(*deepest)[i]);
    }
    if (rows.empty()) break;
    TRY(std::vector<Minimum> others, solve_from_other(prepared, prepared.starts[k], data, sets, known));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (keep_deeper((*deepest)[rows[i]], std::move(others[i]))) several[rows[i]] = 1;
    }
  }
  return deepest;
}

Result<std::vector<Minimum>> DatasetSolver::solve_at(const Prepared& prepared, const Start& start,
                                                     const Datasets& data,
                                                     std::span<const std::size_t> which) const {
  if (!kinks_.empty()) return solve_with_kinks(prepared, start, data.values, which);
  TRY(std::vector<RowOutcome> reached,
      minimize(prepared, start.metric, start.point, data, which, options_.convergence.steps_per_metric));
  return finish(prepared, start, data, which, reached);
}

// starts: [parameter] for all, or [set of which][parameter].
Result<std::vector<RowOutcome>> DatasetSolver::minimize(const Prepared& prepared, const Metric& metric,
                                                        std::span<const double> starts, const Datasets& data,
                                                        std::span<const std::size_t> which,
                                                        std::size_t steps) const {
  const bool one_start = starts.size() == model_.n_parameters();
  std::vector<MinimizeRow> rows;
  rows.reserve(which.size());
  for (std::size_t k = 0; k < which.size(); ++k) rows.push_back({which[k], one_start ? 0 : k, 0});
  const RowBounds bounds{prepared.bounds.low, prepared.bounds.high};
  MinimizeRequest request{.metric = metric};
  request.rows = rows;
  request.starts = starts;
  request.bounds = {&bounds, 1};
  if (data.drawn == nullptr) request.data = data.values;
  request.drawn = data.drawn;
  request.convergence = options_.convergence;
  request.convergence.steps_per_metric = steps;
  request.stop_token = options_.stop_token;
  return session_.minimize(request);
}

// Most rows go a long way, back to the minimum that the first start leads to: after some steps they go on
// with its metric, still side by side.
Result<std::vector<Minimum>> DatasetSolver::solve_from_other(const Prepared& prepared, const Start& start,
                                                             const Datasets& data,
                                                             std::span<const std::size_t> which,
                                                             std::span<const Minimum* const> known) const {
  if (!kinks_.empty()) return solve_with_kinks(prepared, start, data.values, which);
  TRY(std::vector<RowOutcome> reached,
      minimize(prepared, start.metric, start.point, data, which, kStepsFromOther));
  std::vector<double> points;
  std::vector<std::size_t> open, sets;
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (reached[k].status != RowStatus::MetricOutdated) continue;
    open.push_back(k);
    points.insert(points.end(), reached[k].parameters.begin(), reached[k].parameters.end());
    sets.push_back(which[k]);
  }
  if (!open.empty()) {
    TRY(std::vector<RowOutcome> further, minimize(prepared, prepared.starts.front().metric, points, data,
                                                  sets, options_.convergence.steps_per_metric));
    for (std::size_t i = 0; i < open.size(); ++i) {
      RowOutcome& row = reached[open[i]];
      further[i].iterations += row.iterations;
      row = std::move(further[i]);
    }
  }
  // What is lost now does not go on alone.
  std::vector<std::size_t> alone;
  std::vector<Minimum> minima(which.size());
  for (std::size_t k = 0; k < which.size(); ++k) {
    const RowOutcome& row = reached[k];
    const bool lost = row.status == RowStatus::NotFinite ||
                      (row.status == RowStatus::MetricOutdated && row.nll > known[k]->nll + kLost);
    if (!lost || !known[k]->converged()) {
      alone.push_back(k);
      continue;
    }
    minima[k].termination = Termination::NotConverged;
    minima[k].iterations = row.iterations;
  }
  sets.clear();
  std::vector<RowOutcome> rows;
  for (const std::size_t k : alone) {
    sets.push_back(which[k]);
    rows.push_back(std::move(reached[k]));
  }
  TRY(std::vector<Minimum> finished, finish(prepared, start, data, sets, rows));
  for (std::size_t i = 0; i < alone.size(); ++i) minima[alone[i]] = std::move(finished[i]);
  return minima;
}

// Where the slope jumps at 0, every row chooses its sides first.
Result<std::vector<Minimum>> DatasetSolver::solve_with_kinks(const Prepared& prepared, const Start& start,
                                                             std::span<const double> data,
                                                             std::span<const std::size_t> which) const {
  RowBatch batch;
  batch.data = data;
  batch.starts = {frame_.fallback, start.point};
  batch.metric_at = start.point;
  batch.bounds = {frame_.bounds};
  batch.fixed = frame_.fixed;
  for (const std::size_t set : which) batch.rows.push_back({set, 1, 0, prepared.held});
  return nextstat::solve(session_, model_, batch, options_);
}

// Rows that did not end with the metric of their kind go on alone.
Result<std::vector<Minimum>> DatasetSolver::finish(const Prepared& prepared, const Start& start,
                                                   const Datasets& data, std::span<const std::size_t> which,
                                                   std::vector<RowOutcome>& reached) const {
  const BatchContext context{session_, model_, options_, {}, plateaus_};
  const std::size_t n_data = model_.data().size();
  std::vector<double> fallback = frame_.fallback;
  for (const FixedParameter& held : prepared.held) fallback[held.parameter] = held.value;
  std::vector<Minimum> minima(which.size());
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (reached[k].status == RowStatus::Converged &&
        !plateaus_.may_hold(prepared.bounds.low, prepared.bounds.high, reached[k].parameters)) {
      minima[k] = minimum_of(std::move(reached[k]));
    } else {
      open.push_back(k);
    }
  }
  std::vector<Errors> errors(open.size());
  parallel_chunks(open.size(), options_.threads, [&](std::size_t i) {
    const std::size_t k = open[i];
    std::vector<double> room;
    RowTask task(context, data.set(which[k], n_data, room), start.point, fallback, prepared.bounds, {},
                 prepared.fixed);
    Result<Minimum> minimum = task.finish(std::move(reached[k]), {start.metric});
    if (minimum) {
      minima[k] = std::move(*minimum);
    } else {
      errors[i] = minimum.errors();
    }
  });
  for (Errors& failed : errors) {
    if (!failed.empty()) return std::move(failed);
  }
  return minima;
}

Result<std::vector<Minimum>> DatasetSolver::solve_from(const PointList& starts, std::size_t kind,
                                                       const Datasets& data,
                                                       std::span<const std::size_t> which) const {
  const std::size_t n_data = model_.data().size();
  std::vector<Minimum> minima(which.size());
  std::vector<Errors> errors(which.size());
  SolveOptions one = options_;
  one.threads = 1;
  parallel_chunks(which.size(), options_.threads, [&](std::size_t k) {
    RowBatch batch;
    batch.starts = {starts[k]};
    for (std::size_t i = 0; i < starts[k].size(); ++i) {
      if (!kinds_[kind].fixed[i])
        batch.starts[0][i] = std::clamp(starts[k][i], frame_.bounds.low[i], frame_.bounds.high[i]);
    }
    batch.bounds = {frame_.bounds};
    batch.fixed = frame_.fixed;
    std::vector<double> room;
    batch.data = data.set(which[k], n_data, room);
    batch.rows = {{0, 0, 0, kinds_[kind].held}};
    Result<std::vector<Minimum>> minimum = nextstat::solve(session_.for_single_rows(), model_, batch, one);
    if (minimum) {
      minima[k] = std::move(minimum->front());
    } else {
      errors[k] = minimum.errors();
    }
  });
  for (Errors& failed : errors) {
    if (!failed.empty()) return std::move(failed);
  }
  return minima;
}

}  // namespace nextstat

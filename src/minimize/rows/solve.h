// Minimizes rows: with a shared metric, then, for rows that go badly, their own metric, then the safe path.
//
//   RowBatch batch;  batch.starts = {model.initial()};  batch.rows = {{}};
//   Result<std::vector<Minimum>> minima = solve(session, model, batch);
//
// What happens to a row depends on that row and the point of the metric only, never on its neighbors: same
// bytes for any batch and thread count.
#pragma once

#include <nextstat/model.h>
#include <nextstat/termination.h>

#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/point_list.h"
#include "device/device_session.h"

namespace nextstat {

struct FixedParameter {
  std::size_t parameter;
  double value;
};

struct Bounds {
  std::vector<double> low, high;  // [parameter]
};

// One minimization: indices into the batch's datasets, starts and bounds, and what is fixed for it. A row
// whose start has no finite NLL begins again at the batch's first start, then where finite_start.h finds one.
struct Row {
  std::size_t data = 0, start = 0, bounds = 0;
  std::vector<FixedParameter> fixed = {};
};

struct RowBatch {
  std::span<const double> data = {};   // [dataset][datum] of the caller; empty = the model's own data
  PointList starts = {};               // at least one
  std::vector<double> metric_at = {};  // where the shared metric is made; empty = the first start
  std::vector<Bounds> bounds = {};     // empty = the model's
  std::vector<char> fixed = {};        // [parameter] fixed in every row at its start; empty = the model's
  std::vector<Row> rows = {};

  std::span<const double> data_of(const Row& row, std::size_t n_data) const {
    return data.empty() ? data : data.subspan(row.data * n_data, n_data);
  }
};

// The model's own bounds, and which of its parameters are fixed.
Bounds bounds_of(const Model& model);
std::vector<char> fixed_of(const Model& model);

// ConvergenceRule::steps_per_metric for rows far from the point of the metric, but many: they take 20 to 30 steps,
// side by side with their neighbors, and a metric of their own would cost more than the steps it saves.
constexpr std::size_t kStepsWithSharedMetric = 40;

struct SolveOptions {
  ConvergenceRule convergence = {};
  std::size_t metrics = 6;  // renewals of a row's metric before the safe path
  bool rough = false;       // a row ends where the shared metric leaves it, without either
  std::size_t threads = 1;  // 0 = all
  std::stop_token stop_token = {};
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
};

// How a row ended: what its last run on the device reached, and what that means.
struct Minimum : RowOutcome {
  Termination termination = Termination::Interrupted;
  std::vector<std::size_t> pinned = {};  // parameters held at 0 by the jump of their slope there
  std::vector<double> began_at = {};     // where, when the start has no finite NLL; empty = at the start

  bool converged() const { return has_converged(termination); }
};

Result<std::vector<Minimum>> solve(DeviceSession& session, const Model& model, const RowBatch& batch,
                                   const SolveOptions& options = {});

}  // namespace nextstat

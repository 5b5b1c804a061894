// A model on a device: bound once, then evaluated for any number of rows.
//
//   CpuSession session(model);
//   Result<EvalOutput> output = session.evaluate({.parameters = points, .rows = 1000, .gradient = true});
//
// A row's result does not depend on the other rows, on threads or on the instruction set: same bits.
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "device/metric.h"

namespace nextstat {

struct EvalRequest {
  std::span<const double> parameters = {};  // [row][parameter]
  std::size_t rows = 1;
  std::span<const double> data = {};              // [set][datum]; empty = the model's own data
  std::span<const std::size_t> data_of_row = {};  // [row] -> set; empty = set 0 for all
  bool gradient = false;
  bool expected = false;
};

struct EvalOutput {
  std::vector<double> nll;       // [row], +infinity where a count has no rate
  std::vector<double> gradient;  // [row][parameter], d NLL / d theta
  std::vector<double> expected;  // [row][datum], main bins, then auxiliary data
};

// When a minimisation stops.
struct StopRule {
  double edm = 1e-13;             // expected distance to the minimum, g P^-1 g / 2 over free parameters
  double scaled_gradient = 1e-7;  // max |g| sigma over free parameters
  std::size_t steps_per_metric = 20;
  std::size_t backtracks = 14;  // in one search
};

enum class RowStatus {
  Converged,    // both stop figures are reached
  NoDecrease,   // no step lowers the NLL beyond rounding
  WantsMetric,  // the metric no longer fits the point
  NotFinite,    // the start has no finite NLL
  Interrupted   // the stop token fired
};

// Minimisations that share a metric. A fixed parameter has low = high = its value.
struct MinimiseRequest {
  const Metric& metric;
  std::size_t rows = 1;
  std::span<const double> starts = {};          // [row][parameter]
  std::span<const double> low = {}, high = {};  // [row][parameter]
  // [row] parameters that this row fixes while the metric has them free, at most NS_HELD; empty = none
  std::span<const std::vector<std::size_t>> held = {};
  std::span<const double> data = {};  // as in EvalRequest
  std::span<const std::size_t> data_of_row = {};
  StopRule stop = {};
  std::stop_token stop_token = {};
  std::function<void()> on_row = {};  // after every row, from any thread
};

struct RowOutcome {
  RowStatus status = RowStatus::Interrupted;
  std::vector<double> parameters = {};
  double nll = 0;
  double edm = 0, scaled_gradient = 0;
  std::size_t iterations = 0, evaluations = 0;
};

struct Capabilities {
  std::string device;           // "cpu"
  std::string instruction_set;  // "x86-64-v4"
  std::size_t rows_side_by_side = 1;
  bool f64 = true;
};

class Session {
 public:
  virtual ~Session() = default;
  virtual Result<EvalOutput> evaluate(const EvalRequest& request) = 0;
  // Runs every row until it converges or its status says why it does not.
  virtual Result<std::vector<RowOutcome>> minimise(const MinimiseRequest& request) = 0;
  virtual Capabilities capabilities() const = 0;
};

}  // namespace nextstat

// A model on a device: bound once, then evaluated for any number of rows.
//
//   CpuSession session(model);
//   Result<EvalOutput> output = session.evaluate({.parameters = points, .rows = 1000, .gradient = true});
//
// A row's result does not depend on the other rows, on threads or on the instruction set: same bits.
#pragma once

#include <nextstat/backends.h>
#include <nextstat/result.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/aligned.h"
#include "device/metric.h"
#include "model/draw/draw_plan.h"

namespace nextstat {

struct EvalRequest {
  std::span<const double> parameters = {};  // [row][parameter]
  std::size_t rows = 1;
  std::span<const double> data = {};              // [dataset][datum]; empty = the model's own data
  std::span<const std::size_t> data_of_row = {};  // [row] -> set; empty = set 0 for all
  bool gradient = false;
  bool expected = false;
};

struct EvalOutput {
  std::vector<double> nll;       // [row], +infinity where a count has no rate
  std::vector<double> gradient;  // [row][parameter], d NLL / d theta
  std::vector<double> expected;  // [row][datum], main bins, then auxiliary data
};

// When a minimization stops.
struct ConvergenceRule {
  double edm = 1e-13;             // expected distance to the minimum, g P^-1 g / 2 over free parameters
  double scaled_gradient = 1e-7;  // max |g| sigma over free parameters
  std::size_t steps_per_metric = 20;
  std::size_t backtracks = 14;  // in one search
};

enum class RowStatus {
  Converged,       // both stop figures are reached
  NoDecrease,      // no step lowers the NLL beyond rounding
  MetricOutdated,  // the metric no longer fits the point
  NotFinite,       // the start has no finite NLL
  Interrupted      // the stop token fired
};

// Toys to draw: numbers first ... first + count - 1 of a hypothesis.
struct ToyDraw {
  const DrawPlan& plan;
  std::uint64_t seed;
  std::uint32_t hypothesis;
  std::uint64_t first;
  std::size_t count;
  // Whether the host wants their values too. Without, the device may be the only one to have them.
  bool values = true;
};

struct DrawnToys {
  // [toy][datum]; empty where the device alone has them.
  RawNumbers values = {};
  // Their number on a device, which keeps them for the next few draws; 0 = nowhere.
  std::uint64_t resident = 0;
  // What drew them, while values is empty; its plan must live as long.
  std::shared_ptr<const ToyDraw> unread = {};

  std::size_t count(std::size_t n_data) const { return unread ? unread->count : values.size() / n_data; }
  // All of them on the host.
  void draw_again(std::size_t threads);
  // The values of one; those that the device alone has are drawn again, in `room`.
  std::span<const double> toy(std::size_t number, std::size_t n_data, std::vector<double>& room) const;
};

// What rows may share: bounds, and what is fixed. A fixed parameter has low = high = its value.
struct RowBounds {
  std::span<const double> low, high;       // [parameter]
  std::span<const std::size_t> held = {};  // fixed here while the metric has them free, at most NS_HELD
};

// One minimization: indices into the request's datasets, starts and bounds.
struct MinimizeRow {
  std::size_t data = 0, start = 0, bounds = 0;
};

// Minimizations that share a metric.
struct MinimizeRequest {
  const Metric& metric;
  std::span<const MinimizeRow> rows = {};
  std::span<const double> starts = {};  // [start][parameter]
  std::span<const RowBounds> bounds = {};
  std::span<const double> data = {};  // [dataset][datum]; empty = the model's own data
  DrawnToys* drawn = nullptr;         // instead of data
  ConvergenceRule convergence = {};
  std::stop_token stop_token = {};
  std::function<void()> on_row = {};  // after every row, from any thread
};

struct RowOutcome {
  RowStatus status = RowStatus::Interrupted;
  std::vector<double> parameters = {};
  double nll = 0;  // +infinity when the start has none
  double edm = 0, scaled_gradient = 0;
  std::size_t iterations = 0, evaluations = 0;
};

// What a session is, for those who run it and for results.
struct SessionTraits {
  std::string device;                 // "cpu", "cuda:0"
  std::string instruction_set;        // "x86-64-v4"; of a GPU: its name
  std::size_t rows_side_by_side = 1;  // about how many rows keep it busy
  std::size_t calls_at_once = 1;      // how many calls, from different threads, it works on side by side
  bool f64 = true;
};

class DeviceSession {
 public:
  virtual ~DeviceSession() = default;
  virtual Result<EvalOutput> evaluate(const EvalRequest& request) = 0;
  // Runs every row until it converges or its status says why it does not.
  virtual Result<std::vector<RowOutcome>> minimize(const MinimizeRequest& request) = 0;
  // Toys as draw_toys makes them, wherever they are drawn.
  virtual Result<DrawnToys> draw(const ToyDraw& draw) = 0;
  // Where a row that goes on by itself runs: a session of the same model for which single rows are cheap.
  virtual DeviceSession& for_single_rows() { return *this; }
  virtual SessionTraits traits() const = 0;
  // Since it was opened; nothing where device and host share their memory.
  virtual Traffic traffic() const { return {}; }
};

}  // namespace nextstat

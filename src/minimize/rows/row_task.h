// One row of a batch on its way to its minimum:
// its bounds, the side of every kink, and the rounds that bring it to an end.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "minimize/curvature/make_metric.h"
#include "minimize/rows/newton.h"
#include "minimize/rows/plateau.h"
#include "minimize/rows/solve.h"
#include "minimize/rows/thin_walls.h"
#include "model/compile/compiled_model.h"

namespace nextstat {

// What all rows of a batch share.
struct BatchContext {
  DeviceSession& session;
  const Model& model;
  const SolveOptions& options;
  std::vector<std::size_t> kinks;  // parameters whose slope jumps at 0
  Plateaus plateaus;
};

// With the diagonal alone a row takes more steps before it is said to go badly.
ConvergenceRule convergence_rule(ConvergenceRule rule, const Metric& metric);

// What may be left to gain, as a part of the NLL, when rounding ends a minimization.
constexpr double kRounding = 1e-9;

// What a row has reached, as it stands.
Minimum minimum_of(RowOutcome outcome);

// The metric that rows share. holds: it has the parameters free that a row holds.
struct SharedMetric {
  const Metric& metric;
  bool holds = true;
};

class RowTask {
 public:
  RowTask(const BatchContext& context, std::span<const double> data, std::vector<double> start,
          std::vector<double> fallback, Bounds bounds, std::vector<std::size_t> held,
          std::vector<char> fixed);

  std::span<const double> start() const { return outcome_.parameters; }
  std::span<const double> low() const { return bounds_.low; }
  std::span<const double> high() const { return bounds_.high; }
  const std::vector<std::size_t>& held() const { return held_; }

  // Chooses the side of every kinked parameter that stands at 0.
  void choose_sides();
  // Takes over what the shared metric reached, and goes on alone to the end.
  Result<Minimum> finish(RowOutcome reached, const SharedMetric& shared);

 private:
  Result<void> run(const Metric& metric, bool holds);
  Result<void> run_to_end(const SharedMetric& shared);
  Result<void> run_on_one_side(const SharedMetric& shared);
  Result<void> leave_plateaus(const SharedMetric& shared);
  Result<void> begin_elsewhere();
  Metric own_metric(MetricCost cost = MetricCost::Little);
  Result<void> renew_metrics();
  bool has_trouble() const;
  void safe_path(std::size_t most_steps = kMostNewtonSteps);
  bool change_sides();
  std::vector<double> gradient_at(std::span<const double> parameters);
  Minimum minimum() const;

  // Near walls, in row_walls.cpp.
  ThinWalls walls();
  Result<void> run_above_walls();
  Result<void> run_safely();
  Result<bool> run_along(ThinWalls& walls);
  Result<void> run_with(std::span<const double> data);
  void go_to_start();
  void choose(const RowOutcome& before, bool always);
  void put_back(RowOutcome outcome);
  EvalOutput evaluate_at(std::span<const double> parameters);  // with rates, without a gradient
  std::span<const double> data_or_model() const { return data_.empty() ? context_.model.data() : data_; }

  const BatchContext& context_;
  std::span<const double> data_;   // empty = the model's own
  std::vector<double> fallback_;   // where to begin again when the start has no finite NLL; empty = nowhere
  Bounds bounds_, whole_bounds_;   // on this side of every kink; all of them
  std::vector<std::size_t> held_;  // fixed by this row only
  std::vector<char> fixed_;        // [parameter] fixed in any way
  RowOutcome outcome_;
  std::vector<double> start_;     // where it began, where it may have to begin again
  std::vector<double> began_at_;  // empty = at its start
};

// Interpolations whose slope jumps at alpha = 0 (code0, code1, the piecewise-linear normsys). A minimization
// stays on one side of every jump at a time: the far side of 0 is a bound, and a parameter that ends there is
// tried on the other side.
//
// A side is kept in the number itself: +kSide and -kSide have the value of 0 and the slope of their side.

constexpr double kSide = 1e-200;

// Parameters with a jump of the slope at 0, ascending.
std::vector<std::size_t> kinked_parameters(const CompiledModel& model);

}  // namespace nextstat

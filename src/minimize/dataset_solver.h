// Minimizes the same few fits for many datasets: toys. Each kind of fit has its start and its metric, made
// once; rows differ in their data only, and most of them end with that metric.
//
//   DatasetSolver solver(session, model, {bounds, fixed, start}, options);
//   const std::size_t free = solver.add({{truth}}), at_one = solver.add({{at_mu}, {{poi, 1.0}}});
//   Result<std::vector<Minimum>> minima = solver.solve(free, toys, {0, 1, 2});
//
// A fit begins at the first starts of its kind, at the others where these lead to different minima, and keeps
// the deepest. A set's minimum depends on its data and the kind of fit only.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "device/metric.h"
#include "minimize/rows/row_task.h"
#include "minimize/rows/solve.h"

namespace nextstat {

// One kind of fit.
struct FitKind {
  PointList starts;  // at least one
  std::vector<FixedParameter> fixed = {};
  // Starts of every set. The others are for sets that these lead to different minima.
  std::size_t for_all = std::numeric_limits<std::size_t>::max();
};

// Datasets of the caller, or toys that the session drew.
struct Datasets {
  std::span<const double> values;  // [dataset][datum]; of drawn where the host has them
  DrawnToys* drawn = nullptr;

  Datasets(std::span<const double> given) : values(given) {}
  Datasets(DrawnToys& toys) : values(toys.values), drawn(&toys) {}
  // One of them, in `room` where it has to be made.
  std::span<const double> set(std::size_t number, std::size_t n_data, std::vector<double>& room) const {
    return drawn != nullptr ? drawn->toy(number, n_data, room) : values.subspan(number * n_data, n_data);
  }
};

class DatasetSolver {
 public:
  struct Frame {
    Bounds bounds;
    std::vector<char> fixed;       // [parameter] fixed in every fit, at its start
    std::vector<double> fallback;  // where a fit begins whose start has no finite NLL
  };
  DatasetSolver(DeviceSession& session, const Model& model, Frame frame, SolveOptions options);

  // Its number.
  std::size_t add(FitKind kind);

  // Whether a fit looks at the data before they are minimized.
  bool looks_at_data() const { return !kinks_.empty(); }

  // Fits the datasets `which`.
  Result<std::vector<Minimum>> solve(std::size_t kind, const Datasets& data,
                                     std::span<const std::size_t> which) const;
  // Goes on from other starts, one for each of `which`.
  Result<std::vector<Minimum>> solve_from(const PointList& starts, std::size_t kind, const Datasets& data,
                                          std::span<const std::size_t> which) const;

 private:
  struct Start {
    std::vector<double> point;
    Metric metric;
  };
  struct Prepared {
    std::vector<FixedParameter> held;
    std::vector<char> fixed;
    Bounds bounds;
    std::vector<Start> starts;
    std::size_t for_all;
  };

  Result<std::vector<Minimum>> solve_at(const Prepared& prepared, const Start& start, const Datasets& data,
                                        std::span<const std::size_t> which) const;
  Result<std::vector<RowOutcome>> minimize(const Prepared& prepared, const Metric& metric,
                                           std::span<const double> starts, const Datasets& data,
                                           std::span<const std::size_t> which, std::size_t steps) const;
  // From another start than the first. known: [set of which] the deepest minima so far.
  Result<std::vector<Minimum>> solve_from_other(const Prepared& prepared, const Start& start,
                                                const Datasets& data, std::span<const std::size_t> which,
                                                std::span<const Minimum* const> known) const;
  Result<std::vector<Minimum>> solve_with_kinks(const Prepared& prepared, const Start& start,
                                                std::span<const double> data,
                                                std::span<const std::size_t> which) const;
  Result<std::vector<Minimum>> finish(const Prepared& prepared, const Start& start, const Datasets& data,
                                      std::span<const std::size_t> which,
                                      std::vector<RowOutcome>& reached) const;

  DeviceSession& session_;
  const Model& model_;
  Frame frame_;
  SolveOptions options_;
  std::vector<std::size_t> kinks_;
  Plateaus plateaus_;
  std::vector<Prepared> kinds_;
};

}  // namespace nextstat

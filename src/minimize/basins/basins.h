// The distinct minima of a fit, found from many starts: a likelihood is profiled at its deepest one.
//
//   const ModelBends bends(compiled_model(model), batch.starts[0]);
//   Result<std::vector<Basins>> basins = find_basins(session, model, &bends, batch, {});
//   basins->front().deepest().nll;
//
// Every row of the batch is a search of its own. Its starts are a function of the model, the row's data,
// bounds, start and what it fixes, and of the rule.
#pragma once

#include <vector>

#include "minimize/basins/model_bends.h"
#include "minimize/rows/solve.h"

namespace nextstat {

struct SearchRule {
  std::size_t starts = 0;         // of every row; 0 = as many as it takes, 1 = the row's own alone
  double shared_by = 1;           // rows that share what one search needs, because their minima are alike
  std::size_t least = 12;         // starts of a row that shares
  std::vector<char> relies = {};  // [row] on its neighbors: it has no starts of its own but the first
  std::vector<std::vector<std::size_t>> neighbors = {};  // [row] rows whose minima it begins at too
  std::vector<PointList> seeds = {};                     // [row] more points that it begins at

  bool searches() const { return starts != 1 || !seeds.empty() || !neighbors.empty(); }
};

struct Basins {
  std::vector<Minimum> minima;       // the deepest first; at least one
  std::vector<double> seeds_led_to;  // [seed] NLL of the minimum; NaN = nowhere
  std::size_t starts = 1;
  // The estimated chance that a deeper minimum was overlooked is below one percent. false: the search ended
  // at its budget, or was asked for a number of starts.
  bool exhausted = true;
  bool interrupted = false;  // the stop token fired before its end

  const Minimum& deepest() const { return minima.front(); }
};

// bends: may be null where the rule does not search.
Result<std::vector<Basins>> find_basins(DeviceSession& session, const Model& model, const ModelBends* bends,
                                        const RowBatch& batch, const SearchRule& rule,
                                        const SolveOptions& options = {});

// What a step of a fit costs: entries of the model's tables, and some operations for each parameter.
double terms_of(const CompiledModel& model);

// A trail that has not converged so far above the deepest minimum stands at a wall, where a rate is almost 0.
// To come away from there would take longer than a new start.
constexpr double kLost = 20;

// Two NLLs that are one and the same to a minimization.
bool same_nll(double a, double b);

}  // namespace nextstat

// A question made ready to fit: the model on a device, its data, start, bounds and fixed parameters.
//
//   Result<Setup> setup = make_setup(model, options.run);
//   RowBatch batch = setup->batch();              // one dataset, one start; rows are yours to add
//   batch.rows = {{}, {.fixed = {{poi, 1.0}}}};
//   Result<std::vector<Minimum>> minima = setup->solve(batch);
#pragma once

#include <nextstat/fit.h>
#include <nextstat/run.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device_session.h"
#include "infer/setup/open_session.h"
#include "minimize/basins/basins.h"
#include "minimize/rows/solve.h"
#include "model/data/dataset.h"

namespace nextstat {

struct Setup {
  Model model;
  RunOptions options;
  LentSession session;
  std::vector<double> data;   // main bins, then auxiliary data
  Dataset set;                // the same, cleaned
  std::vector<double> start;  // [parameter]
  Bounds bounds;
  std::vector<char> fixed;                       // [parameter]
  DeviceUse device = {};                         // that the session is on
  std::shared_ptr<const ModelBends> bends = {};  // null where one start is enough

  // Dataset 0 = `data` (this setup's own), start 0 = `start`, bounds 0 = `bounds`; no rows yet.
  RowBatch batch() const;
  Result<std::vector<Minimum>> solve(const RowBatch& batch) const;
  SolveOptions solving() const;  // threads, stop token and progress as the options say

  // The minima of every row, from as many starts as the options say (rule.starts is set by them). With one
  // start there are neither seeds nor neighbors.
  Result<std::vector<Basins>> search(const RowBatch& batch, SearchRule rule,
                                     const SolveOptions& solving) const;
  Result<std::vector<Basins>> search(const RowBatch& batch) const { return search(batch, {}, solving()); }
};

Result<Setup> make_setup(const Model& model, const RunOptions& options, const WorkEstimate& work = {});

}  // namespace nextstat

// Brings rows to their ends: one at a time, or 8 side by side, where the next row takes the place of one that
// has ended. A row's result does not depend on which.
#pragma once

#include <atomic>
#include <vector>

#include "cpu/kernels.h"
#include "device/device_session.h"
#include "model/compile/compiled_model.h"
#include "model/data/dataset.h"

namespace nextstat::cpu {

// What all threads of one request share.
struct SharedRows {
  const CompiledModel& model;
  const Minimizer& kernels;
  const MinimizeRequest& request;
  std::vector<Dataset>& sets;  // [dataset]
  bool makes_sets;             // every row has a set of its own, and makes it when its turn comes
  NsStop stop;
  std::vector<RowOutcome> outcomes = {};  // [row]
  std::atomic<std::size_t> next = 0;      // the first row that no thread has taken

  SharedRows(const CompiledModel& model, const Minimizer& kernels, const MinimizeRequest& request,
             std::vector<Dataset>& sets, bool makes_sets);

  // Takes rows until there are no more.
  void run_one_by_one();
  void run_side_by_side();
};

// Whether rows side by side are faster: enough rows for every thread, and a state that caches hold.
bool side_by_side_pays(const CompiledModel& model, const Metric& metric, std::size_t rows_per_thread);

}  // namespace nextstat::cpu

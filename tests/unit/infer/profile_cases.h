// Models and direct fits for the tests of the profile likelihood.
#pragma once

#include <nextstat/model.h>

#include <memory>
#include <vector>

#include "cpu/cpu_session.h"
#include "minimize/rows/solve.h"
#include "reference/test_workspaces.h"
#include "test_models.h"

namespace nextstat::test {

using nlohmann::json;

// Two bins, signal over a background with a shapesys; mu between the given bounds.
inline Model two_bins(const std::vector<double>& observed, double low = 0, double high = 10) {
  return model_of(reference::with_bounds(reference::two_bins_workspace(observed), "mu", low, high));
}

// One bin with a known background: NLL = nu - n log(nu) + constants, nu = signal mu + background.
inline Model counting(double signal, double background, double observed, double low = -10) {
  const json document = reference::signal_over({signal}, {background}, json::array(), {observed});
  return model_of(reference::with_bounds(document, "mu", low, 100));
}

// A fit on its own, from the model's start: shares no start, metric or batch with the code under test.
inline Minimum direct_fit(const Model& model, std::vector<FixedParameter> fixed = {}) {
  RowBatch batch;
  batch.starts = {model.initial()};
  batch.rows = {Row{.fixed = std::move(fixed)}};
  const std::unique_ptr<DeviceSession> session = make_cpu_session(model, {.threads = 1}).value();
  return solve(*session, model, batch).value().front();
}

}  // namespace nextstat::test

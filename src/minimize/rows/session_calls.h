// Plain questions to a session, each one call.
//
//   Result<double> nll = poisson_nll(session, model.initial());
//   Result<std::vector<Minimum>> toys = fit_batch(session, model, data);
#pragma once

#include <span>
#include <vector>

#include "device/device_session.h"
#include "minimize/rows/solve.h"

namespace nextstat {

// NLL of one point with its constants, and what it expects: main bins, then auxiliary data.
Result<double> poisson_nll(DeviceSession& session, std::span<const double> parameters);
Result<std::vector<double>> expected_data(DeviceSession& session, std::span<const double> parameters);

// parameters: [row][parameter].
Result<std::vector<double>> nll_batch(DeviceSession& session, std::span<const double> parameters,
                                      std::size_t rows);
// [row][parameter]
Result<std::vector<double>> gradient_batch(DeviceSession& session, std::span<const double> parameters,
                                           std::size_t rows);

// The model's own data, from its own start.
Result<Minimum> fit_single(DeviceSession& session, const Model& model, const SolveOptions& options = {});
// data: [dataset][datum], one fit each.
Result<std::vector<Minimum>> fit_batch(DeviceSession& session, const Model& model,
                                       std::span<const double> data, const SolveOptions& options = {});

}  // namespace nextstat

#include "minimize/rows/session_calls.h"

#include <fmt/format.h>

#include "base/try.h"

namespace nextstat {

Result<double> poisson_nll(DeviceSession& session, std::span<const double> parameters) {
  TRY(const std::vector<double> nll, nll_batch(session, parameters, 1));
  return nll.front();
}

Result<std::vector<double>> expected_data(DeviceSession& session, std::span<const double> parameters) {
  TRY(EvalOutput output, session.evaluate({.parameters = parameters, .expected = true}));
  return std::move(output.expected);
}

Result<std::vector<double>> nll_batch(DeviceSession& session, std::span<const double> parameters,
                                      std::size_t rows) {
  TRY(EvalOutput output, session.evaluate({.parameters = parameters, .rows = rows}));
  return std::move(output.nll);
}

Result<std::vector<double>> gradient_batch(DeviceSession& session, std::span<const double> parameters,
                                           std::size_t rows) {
  TRY(EvalOutput output, session.evaluate({.parameters = parameters, .rows = rows, .gradient = true}));
  return std::move(output.gradient);
}

Result<Minimum> fit_single(DeviceSession& session, const Model& model, const SolveOptions& options) {
  RowBatch batch;
  batch.starts = {model.initial()};
  batch.rows = {Row{}};
  TRY(std::vector<Minimum> minima, solve(session, model, batch, options));
  return std::move(minima.front());
}

Result<std::vector<Minimum>> fit_batch(DeviceSession& session, const Model& model,
                                       std::span<const double> data, const SolveOptions& options) {
  const std::size_t n_data = model.data().size();
  if (n_data == 0 || data.size() % n_data != 0)
    return Error{ErrorCode::BadUsage, "data", fmt::format("{} values, a dataset has {}", data.size(), n_data),
                 "give one value per datum of every dataset"};
  RowBatch batch;
  batch.starts = {model.initial()};
  batch.data = data;
  for (std::size_t set = 0; set < data.size() / n_data; ++set) batch.rows.push_back({.data = set});
  return solve(session, model, batch, options);
}

}  // namespace nextstat

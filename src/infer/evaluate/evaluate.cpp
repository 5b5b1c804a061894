#include <nextstat/evaluate.h>

#include <fmt/format.h>
#include <nextstat/session.h>

#include <cmath>
#include <numeric>

#include "base/try.h"
#include "device/registry.h"
#include "infer/setup/memory_need.h"
#include "infer/setup/open_session.h"
#include "model/derivatives/derivatives.h"

namespace nextstat {
namespace {

Result<void> check(const Model& model, std::span<const double> parameters, const EvaluateOptions& options) {
  const std::size_t size = model.n_parameters();
  if (parameters.empty() || parameters.size() % size != 0) {
    return Error{ErrorCode::BadUsage, "parameters",
                 fmt::format("{} parameter values, the model has {} parameters", parameters.size(), size),
                 "give one value per parameter for every row"};
  }
  const std::size_t n_data = model.data().size();
  if (!options.data.empty() && options.data.size() != n_data &&
      options.data.size() * size != n_data * parameters.size()) {
    return Error{ErrorCode::BadUsage, "data",
                 fmt::format("{} data values, the model has {}", options.data.size(), n_data),
                 "give the main bins in order, then the auxiliary data: once, or for every row"};
  }
  for (std::size_t i = 0; i < options.data.size(); ++i) {
    if (std::isfinite(options.data[i])) continue;
    return Error{ErrorCode::BadInput, fmt::format("data, datum {}", i % n_data),
                 fmt::format("{} is not finite", options.data[i]), "give finite numbers"};
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (std::isfinite(parameters[i])) continue;
    return Error{ErrorCode::BadUsage, Field::Point,
                 fmt::format("the value of \"{}\" in row {} is not finite", model.parameters()[i % size].name,
                             i / size),
                 "give finite values"};
  }
  if (options.hessian && size > options.limits.hessian_parameters) {
    return Error{
        ErrorCode::LimitExceeded, Field::Hessian,
        fmt::format(
            "a Hessian of {} parameters would take {} of memory, the limit is {} parameters", size,
            memory_text(hessian_need(model) + 8.0 * static_cast<double>(size) * static_cast<double>(size)),
            options.limits.hessian_parameters),
        "evaluate without the Hessian"};
  }
  constexpr double kMostElements = 4e8;
  const double elements = static_cast<double>(parameters.size()) * static_cast<double>(size);
  if (options.hessian && elements > kMostElements) {
    return Error{ErrorCode::LimitExceeded, Field::Hessian,
                 fmt::format("Hessians of {} elements in total, the limit is {}", elements, kMostElements),
                 "evaluate fewer rows at a time"};
  }
  return {};
}

// What the host computes for every device: the Hessian, and what the constraints give. rates: [row][datum]
void add_by_host(const Model& model, std::span<const double> parameters, const EvaluateOptions& options,
                 std::span<const double> rates, Evaluation& evaluation) {
  const CompiledModel& compiled = compiled_model(model);
  const std::size_t size = model.n_parameters(), n_data = model.data().size();
  const std::span<const double> values = options.data.empty() ? model.data() : options.data;
  Dataset data = make_dataset(compiled, values.first(n_data));
  for (std::size_t row = 0; row < evaluation.nll.size(); ++row) {
    if (row > 0 && values.size() > n_data)
      data = make_dataset(compiled, values.subspan(row * n_data, n_data));
    const std::span<const double> point = parameters.subspan(row * size, size);
    if (options.parts) {
      const double constraint = constraint_nll(compiled, data, point);
      evaluation.nll_constraint.push_back(constraint);
      // Beside an infinite part the other has its own value.
      evaluation.nll_main.push_back(std::isfinite(constraint)
                                        ? evaluation.nll[row] - constraint
                                        : main_nll(compiled, data, rates.subspan(row * n_data, n_data)));
    }
    if (!options.hessian) continue;
    const std::vector<double> matrix = hessian(compiled, data, point);
    evaluation.hessian.insert(evaluation.hessian.end(), matrix.begin(), matrix.end());
  }
}

}  // namespace

Result<Evaluation> evaluate(const Model& model, std::span<const double> parameters,
                            const EvaluateOptions& options) {
  TRY_DO(check(model, parameters, options));
  const std::size_t size = model.n_parameters(), rows = parameters.size() / size;
  RunOptions run;
  run.threads = options.threads;
  run.instruction_set = options.instruction_set;
  run.device = options.device;
  run.fallback = options.fallback;
  run.device_memory = options.device_memory;
  run.session = options.session;
  TRY(LentSession session, session_for(model, run, {.fits = 0, .evaluations = static_cast<double>(rows)}));
  // A session keeps the data of the model that it was opened with.
  const bool other_data = options.session != nullptr && options.data.empty() &&
                          model.data().data() != options.session->model().data().data();
  const std::span<const double> given = other_data ? model.data() : options.data;
  // Data of every row, or one set for all.
  std::vector<std::size_t> data_of_row;
  if (rows > 1 && options.data.size() > model.data().size()) {
    data_of_row.resize(rows);
    std::iota(data_of_row.begin(), data_of_row.end(), std::size_t{0});
  }
  TRY(EvalOutput output, session->evaluate({.parameters = parameters,
                                            .rows = rows,
                                            .data = given,
                                            .data_of_row = data_of_row,
                                            .gradient = options.gradient,
                                            .expected = options.expected || options.parts}));
  Evaluation evaluation;
  evaluation.nll = std::move(output.nll);
  evaluation.gradient = std::move(output.gradient);
  evaluation.device = std::move(session.use);
  evaluation.instruction_set = session->traits().instruction_set;
  if (options.hessian || options.parts) add_by_host(model, parameters, options, output.expected, evaluation);
  if (options.expected) evaluation.expected = std::move(output.expected);
  return evaluation;
}

Result<std::vector<double>> asimov_data(const Model& model, std::span<const double> parameters) {
  TRY(const std::unique_ptr<DeviceSession> session, native_backend().open(model, {0}, {}));
  TRY(EvalOutput output, session->evaluate({.parameters = parameters, .expected = true}));
  return std::move(output.expected);
}

}  // namespace nextstat

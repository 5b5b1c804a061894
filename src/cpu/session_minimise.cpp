#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "base/parallel.h"
#include "cpu/session.h"
#include "model/row.h"

namespace nextstat {
namespace {

RowStatus row_status(double code) {
  switch (static_cast<int>(code)) {
    case NS_RUNNING:
      return RowStatus::Interrupted;
    case NS_CONVERGED:
      return RowStatus::Converged;
    case NS_NO_DECREASE:
      return RowStatus::NoDecrease;
    case NS_WANTS_METRIC:
      return RowStatus::WantsMetric;
    default:
      return RowStatus::NotFinite;
  }
}

// Between looks at the stop token.
constexpr unsigned kStepsPerCall = 4;

NsStop stop_of(const StopRule& rule) {
  return {static_cast<float>(rule.edm), static_cast<float>(rule.scaled_gradient),
          static_cast<unsigned>(rule.steps_per_metric), static_cast<unsigned>(rule.backtracks),
          kStepsPerCall};
}

void fill_row(const MinimiseRequest& request, std::size_t number, double* row) {
  const NsSolver& solver = request.metric.layout;
  const std::size_t first = number * solver.n;
  for (std::size_t i = 0; i < solver.n; ++i) {
    row[solver.trial + i] = row[solver.x + i] = request.starts[first + i];
    row[solver.low + i] = request.low[first + i];
    row[solver.high + i] = request.high[first + i];
  }
  if (request.held.empty()) return;
  const std::vector<std::size_t>& held = request.held[number];
  row[solver.control + NS_C_HELD] = static_cast<double>(held.size());
  for (std::size_t h = 0; h < held.size(); ++h) row[solver.held_index + h] = static_cast<double>(held[h]);
}

RowOutcome outcome_of(const NsSolver& solver, const double* row, double constant) {
  const double* control = row + solver.control;
  RowOutcome outcome;
  outcome.status = row_status(control[NS_C_STATUS]);
  outcome.parameters.assign(row + solver.x, row + solver.x + solver.n);
  const bool finite = outcome.status != RowStatus::NotFinite;
  outcome.nll = finite ? control[NS_C_VALUE] + constant : std::numeric_limits<double>::infinity();
  outcome.edm = control[NS_C_EDM];
  outcome.scaled_gradient = control[NS_C_SCALED];
  outcome.iterations = static_cast<std::size_t>(control[NS_C_ITERATIONS]);
  outcome.evaluations = static_cast<std::size_t>(control[NS_C_EVALUATIONS]);
  return outcome;
}

Result<std::monostate> check_request(const MinimiseRequest& request, std::size_t n_parameters) {
  const std::size_t size = request.rows * n_parameters;
  if (request.starts.size() == size && request.low.size() == size && request.high.size() == size)
    return std::monostate{};
  return Error{ErrorCode::BadUsage, "", "starts and bounds must have one value per parameter for every row",
               "check their lengths"};
}

}  // namespace

template <class Scalar>
RowOutcome CpuSession<Scalar>::minimise_row(const MinimiseRequest& request, const DataSet& data,
                                            std::size_t number) const {
  if constexpr (!std::is_same_v<Scalar, double>) {
    throw std::logic_error("minimisations on the CPU run in f64");
  } else {
    const NsSolver& solver = request.metric.layout;
    const NsStop stop = stop_of(request.stop);
    AlignedVector<double> model_row = scratch_->take(compiled_.layout.row_size), row(solver.row_size, 0.0);
    fill_data(compiled_.layout, data, model_row.data(), 1, 0);
    fill_row(request, number, row.data());
    const cpu::Minimisation task{&compiled_.layout,
                                 &solver,
                                 &stop,
                                 compiled_.reals.data(),
                                 compiled_.indices.data(),
                                 request.metric.reals.data(),
                                 model_row.data(),
                                 row.data()};
    const double* status = row.data() + solver.control + NS_C_STATUS;
    while (*status == static_cast<double>(NS_RUNNING) && !request.stop_token.stop_requested())
      kernels_.minimise(&task);
    scratch_->give_back(std::move(model_row));
    return outcome_of(solver, row.data(), data.constant);
  }
}

template <class Scalar>
Result<std::vector<RowOutcome>> CpuSession<Scalar>::minimise(const MinimiseRequest& request) {
  if constexpr (!std::is_same_v<Scalar, double>) {
    return Error{ErrorCode::BadUsage, "", "minimisations on the CPU run in f64", "use an f64 session"};
  }
  if (auto checked = check_request(request, compiled_.n_parameters); !checked) return checked.errors();
  std::vector<DataSet> sets;
  const std::size_t n_data = compiled_.n_data;
  for (std::size_t i = 0; i < request.data.size() / n_data; ++i)
    sets.push_back(make_data_set(compiled_, request.data.subspan(i * n_data, n_data)));
  std::vector<RowOutcome> outcomes(request.rows);
  parallel_chunks(request.rows, options_.threads, [&](std::size_t row) {
    const DataSet& data =
        sets.empty() ? own_data_ : sets[request.data_of_row.empty() ? 0 : request.data_of_row[row]];
    outcomes[row] = minimise_row(request, data, row);
    if (request.on_row) request.on_row();
  });
  return outcomes;
}

template Result<std::vector<RowOutcome>> CpuSession<double>::minimise(const MinimiseRequest&);
template Result<std::vector<RowOutcome>> CpuSession<float>::minimise(const MinimiseRequest&);

}  // namespace nextstat

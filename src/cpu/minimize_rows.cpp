#include "cpu/minimize_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "device/requests.h"
#include "model/data/row.h"

namespace nextstat::cpu {
namespace {

constexpr std::size_t kWide = kRowsSideBySide;
// Between looks at the stop token.
constexpr unsigned kSweepsPerCall = 4;
// With fewer rows than this a sweep of one row after the other is shorter than one of 8 places.
constexpr std::size_t kFewRows = 4;
// Bytes of rows side by side that still stay in a processor's cache.
constexpr std::size_t kLargestState = std::size_t{8} << 20;

// The state of rows that a thread works on: `stride` of them side by side.
class Places {
 public:
  Places(SharedRows& shared, std::size_t stride)
      : shared_(shared),
        solver_(shared.request.metric.layout),
        stride_(stride),
        model_rows_(shared.model.layout.row_size * stride, 0.0),
        rows_(solver_.row_size * stride, 0.0) {
    row_of_.fill(kNoRow);
    for (std::size_t lane = 0; lane < stride; ++lane) at(lane, solver_.control + NS_C_STATUS) = NS_CONVERGED;
  }

  // Puts the next row into a place. False: there is none left.
  bool load_next(std::size_t lane) {
    const std::size_t number = shared_.next.fetch_add(1, std::memory_order_relaxed);
    if (number >= shared_.request.rows.size()) return false;
    const MinimizeRow& row = shared_.request.rows[number];
    row_of_[lane] = number;
    if (shared_.makes_sets) {
      const std::size_t size = shared_.model.n_data;
      shared_.sets[row.data] =
          make_dataset(shared_.model, shared_.request.data.subspan(row.data * size, size));
    }
    fill_data(shared_.model.layout, shared_.sets[row.data], model_rows_.data(), stride_, lane);
    const RowBounds& bounds = shared_.request.bounds[row.bounds];
    const double* start = shared_.request.starts.data() + row.start * solver_.n;
    for (std::size_t i = 0; i < solver_.n; ++i) {
      at(lane, solver_.x + i) = start[i];
      at(lane, solver_.low + i) = bounds.low[i];
      at(lane, solver_.high + i) = bounds.high[i];
    }
    fill_parameters(shared_.model.layout, start, model_rows_.data(), stride_, lane);
    const double newest = at(lane, solver_.control + NS_C_NEWEST);
    for (std::size_t i = 0; i < NS_C_SIZE; ++i) at(lane, solver_.control + i) = 0;
    at(lane, solver_.control + NS_C_NEWEST) = newest;
    hold(lane, row.bounds);
    return true;
  }

  // Runs all places for some sweeps.
  void run() {
    const Minimization task = task_of(model_rows_.data(), rows_.data());
    (stride_ == 1 ? shared_.kernels.single : shared_.kernels.batch)(&task);
  }

  bool has_row(std::size_t lane) const { return row_of_[lane] != kNoRow; }
  bool is_running(std::size_t lane) const {
    return has_row(lane) && rows_[(solver_.control + NS_C_STATUS) * stride_ + lane] == double{NS_RUNNING};
  }

  // Hands the result of a place over and leaves it empty.
  void unload(std::size_t lane) {
    const std::size_t number = row_of_[lane];
    row_of_[lane] = kNoRow;
    RowOutcome& outcome = shared_.outcomes[number];
    const auto control = [&](unsigned what) { return at(lane, solver_.control + what); };
    outcome.status = row_status(control(NS_C_STATUS));
    outcome.parameters.resize(solver_.n);
    for (std::size_t i = 0; i < solver_.n; ++i) outcome.parameters[i] = at(lane, solver_.x + i);
    const double constant = shared_.sets[shared_.request.rows[number].data].constant;
    outcome.nll = outcome.status == RowStatus::NotFinite ? std::numeric_limits<double>::infinity()
                                                         : control(NS_C_VALUE) + constant;
    outcome.edm = control(NS_C_EDM);
    outcome.scaled_gradient = control(NS_C_SCALED);
    outcome.iterations = static_cast<std::size_t>(control(NS_C_ITERATIONS));
    outcome.evaluations = static_cast<std::size_t>(control(NS_C_EVALUATIONS));
    at(lane, solver_.control + NS_C_STATUS) = NS_CONVERGED;
    if (shared_.request.on_row) shared_.request.on_row();
  }

  // A running row goes on alone, from where it stands.
  void move_to(Places& single, std::size_t lane) {
    for (std::size_t i = 0; i < solver_.row_size; ++i) single.rows_[i] = at(lane, i);
    for (std::size_t i = 0; i < shared_.model.layout.row_size; ++i)
      single.model_rows_[i] = model_rows_[i * stride_ + lane];
    single.row_of_[0] = row_of_[lane];
    row_of_[lane] = kNoRow;
    at(lane, solver_.control + NS_C_STATUS) = NS_CONVERGED;
  }

  // Runs the row of a single place to its end.
  void finish_single() {
    while (is_running(0) && !shared_.request.stop_token.stop_requested()) run();
    unload(0);
  }

 private:
  static constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

  double& at(std::size_t lane, std::size_t position) { return rows_[position * stride_ + lane]; }

  Minimization task_of(double* model_rows, double* rows) const {
    return {&shared_.model.layout,
            &solver_,
            &shared_.stop,
            shared_.model.reals.data(),
            shared_.model.indices.data(),
            shared_.request.metric.reals.data(),
            model_rows,
            rows};
  }

  // A single row makes its columns of held parameters itself. Rows that hold fewer parameters than their
  // neighbors have zeros in the place of the missing columns.
  void hold(std::size_t lane, std::size_t number) {
    const RowBounds& bounds = shared_.request.bounds[number];
    at(lane, solver_.control + NS_C_HELD) = static_cast<double>(bounds.held.size());
    for (std::size_t h = 0; h < bounds.held.size(); ++h)
      at(lane, solver_.held_index + h) = static_cast<double>(bounds.held[h]);
    if (stride_ == 1) return;
    const AlignedVector<double>& columns = held_columns(number);
    for (std::size_t i = 0; i < columns.size(); ++i) at(lane, solver_.held_column + i) = columns[i];
  }

  // The columns of P^-1 for these bounds, made once.
  const AlignedVector<double>& held_columns(std::size_t number) {
    AlignedVector<double>& columns = held_columns_[number];
    if (!columns.empty()) return columns;
    const RowBounds& bounds = shared_.request.bounds[number];
    AlignedVector<double> row(solver_.row_size, 0.0);
    row[solver_.control + NS_C_HELD] = static_cast<double>(bounds.held.size());
    for (std::size_t h = 0; h < bounds.held.size(); ++h)
      row[solver_.held_index + h] = static_cast<double>(bounds.held[h]);
    const Minimization task = task_of(nullptr, row.data());
    shared_.kernels.hold(&task);
    const double* first = row.data() + solver_.held_column;
    columns.assign(first, first + std::size_t{NS_HELD} * solver_.slices * kWide);
    return columns;
  }

  SharedRows& shared_;
  const NsSolver& solver_;
  std::size_t stride_;
  AlignedVector<double> model_rows_, rows_;
  std::array<std::size_t, kWide> row_of_;
  std::unordered_map<std::size_t, AlignedVector<double>> held_columns_;  // [bounds]
};

}  // namespace

SharedRows::SharedRows(const CompiledModel& the_model, const Minimizer& the_kernels,
                       const MinimizeRequest& the_request, std::vector<Dataset>& the_sets, bool own_sets)
    : model(the_model),
      kernels(the_kernels),
      request(the_request),
      sets(the_sets),
      makes_sets(own_sets),
      stop{static_cast<float>(request.convergence.edm),
           static_cast<float>(request.convergence.scaled_gradient),
           static_cast<unsigned>(request.convergence.steps_per_metric),
           static_cast<unsigned>(request.convergence.backtracks), kSweepsPerCall},
      outcomes(request.rows.size()) {}

void SharedRows::run_one_by_one() {
  Places place(*this, 1);
  while (place.load_next(0)) place.finish_single();
}

void SharedRows::run_side_by_side() {
  Places places(*this, kWide);
  for (bool more = true;;) {
    std::size_t running = 0;
    for (std::size_t lane = 0; lane < kWide; ++lane) {
      if (places.has_row(lane) && !places.is_running(lane)) places.unload(lane);
      if (!places.has_row(lane) && more) more = places.load_next(lane);
      running += places.has_row(lane);
    }
    const bool stopped = request.stop_token.stop_requested();
    if (running == 0) return;
    if (stopped || (!more && running < kFewRows)) break;
    places.run();
  }
  Places single(*this, 1);
  for (std::size_t lane = 0; lane < kWide; ++lane) {
    if (!places.has_row(lane)) continue;
    places.move_to(single, lane);
    single.finish_single();
  }
}

bool side_by_side_pays(const CompiledModel& model, const Metric& metric, std::size_t rows_per_thread) {
  const std::size_t bytes = (model.layout.row_size + metric.layout.row_size) * kWide * sizeof(double);
  return rows_per_thread >= kFewRows && bytes <= kLargestState;
}

}  // namespace nextstat::cpu

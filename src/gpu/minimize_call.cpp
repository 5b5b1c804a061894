#include "gpu/calls.h"

#include <algorithm>
#include <limits>

#include "base/try.h"
#include "device/requests.h"
#include "gpu/waves.h"

namespace nextstat::gpu {
namespace {

// What f32 can tell: gradients are good to 1e-3 of a sigma. The distance to the minimum goes with the square.
constexpr double kScaledGradientF32 = 1e-3, kEdmF32 = 1e-5;

template <class Scalar>
NsStop stop_of(const ConvergenceRule& rule) {
  const double edm = kIsDouble<Scalar> ? rule.edm : std::max(rule.edm, kEdmF32);
  const double scaled =
      kIsDouble<Scalar> ? rule.scaled_gradient : std::max(rule.scaled_gradient, kScaledGradientF32);
  const auto steps = static_cast<unsigned>(rule.steps_per_metric),
             backtracks = static_cast<unsigned>(rule.backtracks);
  // More than a row can take before its record ends it: a limit for kernels that would not return.
  const unsigned most_sweeps = (steps + 2) * (backtracks + 2) + 16;
  return {static_cast<float>(edm), static_cast<float>(scaled), steps, backtracks, most_sweeps};
}

}  // namespace

template <class Scalar>
struct MinimizeCall<Scalar>::Wave {
  std::size_t first, count;
  WaveData<Scalar> data;
  LocalNumbers starts, bounds;
  const Buffer* sets = nullptr;
  std::span<std::uint32_t> rows = {};  // [row][4]
  // What is uploaded, kept until the wave has been read back.
  std::vector<Scalar> start_values = {}, bound_values = {};
  std::vector<std::uint32_t> held = {};

  Wave(const MinimizeCall& call, std::size_t the_first, std::size_t the_count)
      : first(the_first),
        count(the_count),
        data(call.bound_, call.source_),
        starts(call.request_.starts.size() / std::max(1u, call.solver_.n)),
        bounds(call.request_.bounds.size()) {}
};

template <class Scalar>
MinimizeCall<Scalar>::MinimizeCall(DeviceModel& bound, const MinimizeRequest& request)
    : bound_(bound),
      request_(request),
      solver_(request.metric.layout),
      source_(bound, request.data, request.drawn),
      stop_(stop_of<Scalar>(request.convergence)),
      table_(minimize_buffers({bound.compiled.layout, sizeof(Scalar)}, solver_, request.metric.reals.size())),
      outcomes_(request.rows.size()) {}

template <class Scalar>
SlotBytes MinimizeCall<Scalar>::bytes(const Worker& worker, std::size_t rows) const {
  const WaveCounts counts{rows, source_.uploads(rows, bound_.compiled.n_data),
                          std::min(rows, request_.starts.size() / std::max(1u, solver_.n)),
                          std::min(rows, request_.bounds.size())};
  const RowSizes sizes{bound_.compiled.layout, &solver_};
  std::size_t scratch = worker.queue().shape(Kernel::Minimize, sizes, rows).scratch_bytes;
  if constexpr (!kIsDouble<Scalar>)
    scratch = std::max(scratch, worker.queue().shape(Kernel::Evaluate, sizes, rows).scratch_bytes);
  return bytes_of(table_, counts, scratch);
}

template <class Scalar>
Result<std::vector<RowOutcome>> MinimizeCall<Scalar>::run() {
  WaveTask task{.kernel = Kernel::Minimize,
                .rows = request_.rows.size(),
                .first_wave = first_wave(bound_, Kernel::Minimize, {bound_.compiled.layout, &solver_},
                                         request_.rows.size()),
                .stop_token = request_.stop_token};
  task.bytes = [&](const Worker& worker, std::size_t rows) { return bytes(worker, rows); };
  task.run = [&](Worker& worker, std::size_t first, std::size_t count) -> Result<void> {
    TRY_DO(worker.reserve(bytes(worker, count)));
    return run_wave(worker, first, count);
  };
  TRY(const std::size_t done, run_waves(bound_.workers, task));
  // Rows that were not run stand at their starts.
  for (std::size_t row = done; row < outcomes_.size(); ++row) {
    const auto start = request_.starts.subspan(request_.rows[row].start * solver_.n, solver_.n);
    outcomes_[row].parameters.assign(start.begin(), start.end());
  }
  return std::move(outcomes_);
}

template <class Scalar>
Result<void> MinimizeCall<Scalar>::run_wave(Worker& worker, std::size_t first, std::size_t count) {
  const std::size_t n = solver_.n;
  Wave wave(*this, first, count);
  Steps steps(worker.queue());
  upload(wave, worker, steps);
  launch(wave, worker, steps);
  read_constants_of_toys(worker, steps);
  const std::span<Scalar> points = worker.staging.as<Scalar>(count * n);
  std::vector<Scalar> figures(count * NS_F_SIZE);
  std::vector<double> values(count);
  steps.start_read("reading minima", worker.slot(Slot::PointList), points);
  steps.read("reading minima", worker.slot(Slot::Figures), std::span(figures));
  if constexpr (kIsDouble<Scalar>) {
    for (std::size_t row = 0; row < count; ++row) values[row] = figures[row * NS_F_SIZE + NS_F_VALUE];
  } else {
    evaluate_minima(wave, worker, steps, values);
  }
  if (!steps.ok()) return steps.errors();
  constexpr std::size_t kChunk = 256;
  parallel_chunks((count + kChunk - 1) / kChunk, bound_.options.threads, [&](std::size_t chunk) {
    for (std::size_t row = chunk * kChunk; row < std::min(count, (chunk + 1) * kChunk); ++row)
      keep(wave, row, points.data() + row * n, figures.data() + row * NS_F_SIZE, values[row]);
  });
  return {};
}

template <class Scalar>
void MinimizeCall<Scalar>::upload(Wave& wave, Worker& worker, Steps& steps) const {
  const std::size_t n = solver_.n;
  wave.rows = worker.more_staging.as<std::uint32_t>(4 * wave.count);
  for (std::size_t row = 0; row < wave.count; ++row) {
    const MinimizeRow& numbers = request_.rows[wave.first + row];
    std::uint32_t* to = wave.rows.data() + 4 * row;
    to[0] = wave.data.number_of(numbers.data);
    to[1] = wave.starts.number_of(numbers.start);
    to[2] = wave.bounds.number_of(numbers.bounds);
    to[3] = 0;
  }
  wave.sets = &wave.data.upload(worker, steps);
  std::vector<Scalar>&starts = wave.start_values, &bounds = wave.bound_values;
  starts.reserve(wave.starts.used().size() * n);
  for (const std::size_t number : wave.starts.used()) {
    for (const double x : request_.starts.subspan(number * n, n)) starts.push_back(narrowed<Scalar>(x));
  }
  bounds.reserve(wave.bounds.used().size() * 2 * n);
  std::vector<std::uint32_t>& held = wave.held;
  held.assign(4 * wave.bounds.used().size(), 0);
  for (std::size_t i = 0; i < wave.bounds.used().size(); ++i) {
    const RowBounds& given = request_.bounds[wave.bounds.used()[i]];
    for (const double x : given.low) bounds.push_back(narrowed<Scalar>(x));
    for (const double x : given.high) bounds.push_back(narrowed<Scalar>(x));
    held[4 * i] = static_cast<std::uint32_t>(given.held.size());
    for (std::size_t h = 0; h < given.held.size(); ++h)
      held[4 * i + 1 + h] = static_cast<std::uint32_t>(given.held[h]);
  }
  write_reals<Scalar>(steps, "uploading the metric", worker.slot(Slot::Metric), request_.metric.reals,
                      worker.staging);
  steps.write("uploading starts", worker.slot(Slot::Starts), std::span<const Scalar>(starts));
  steps.write("uploading bounds", worker.slot(Slot::Bounds), std::span<const Scalar>(bounds));
  steps.write("uploading bounds", worker.slot(Slot::Held), std::span<const std::uint32_t>(held));
  steps.write("uploading rows", worker.slot(Slot::Rows), std::span<const std::uint32_t>(wave.rows));
}

// Behind the minimization: other calls keep the device busy meanwhile.
template <class Scalar>
void MinimizeCall<Scalar>::read_constants_of_toys(Worker& worker, Steps& steps) {
  if (source_.drawn == nullptr) return;
  const std::lock_guard lock(constants_mutex_);
  read_constants(steps, worker, bound_.compiled.n_data, *source_.drawn);
}

template <class Scalar>
void MinimizeCall<Scalar>::launch(const Wave& wave, Worker& worker, Steps& steps) const {
  const NsLayout& layout = bound_.compiled.layout;
  steps.clear("resetting the queue of rows", worker.slot(Slot::Next));
  const auto at = [&](Slot slot) { return Argument(&worker.slot(slot)); };
  const Argument arguments[] = {ByValue{&layout, sizeof layout},
                                ByValue{&solver_, sizeof solver_},
                                ByValue{&stop_, sizeof stop_},
                                &worker.reals,
                                &worker.indices,
                                at(Slot::Metric),
                                wave.sets,
                                at(Slot::Starts),
                                at(Slot::Bounds),
                                at(Slot::Held),
                                at(Slot::Rows),
                                at(Slot::Scratch),
                                at(Slot::Next),
                                at(Slot::PointList),
                                at(Slot::Figures),
                                static_cast<std::uint32_t>(wave.count)};
  const Shape shape = worker.queue().shape(Kernel::Minimize, {layout, &solver_}, wave.count);
  steps.launch("minimizing", Kernel::Minimize, shape, arguments);
}

// The NLLs of points that an f32 device has reached, as sums in f64.
template <class Scalar>
void MinimizeCall<Scalar>::evaluate_minima(const Wave& wave, Worker& worker, Steps& steps,
                                           std::span<double> nll) const {
  const NsLayout& layout = bound_.compiled.layout;
  std::vector<std::uint32_t> data_of_row(wave.count);
  for (std::size_t row = 0; row < wave.count; ++row) data_of_row[row] = wave.rows[4 * row];
  steps.write("uploading rows", worker.slot(Slot::DataOfRow), std::span<const std::uint32_t>(data_of_row));
  const auto at = [&](Slot slot) { return Argument(&worker.slot(slot)); };
  const Argument unused = at(Slot::Nll);
  const Argument arguments[] = {ByValue{&layout, sizeof layout},
                                &worker.reals,
                                &worker.indices,
                                at(Slot::PointList),
                                wave.sets,
                                at(Slot::DataOfRow),
                                at(Slot::Scratch),
                                at(Slot::Nll),
                                unused,
                                unused,
                                at(Slot::Terms),
                                static_cast<std::uint32_t>(wave.count),
                                std::uint32_t{kTerms}};
  const Shape shape = worker.queue().shape(Kernel::Evaluate, {layout}, wave.count);
  steps.launch("evaluating the minima", Kernel::Evaluate, shape, arguments);
  read_term_sums<Scalar>(steps, worker, layout, nll);
}

template <class Scalar>
void MinimizeCall<Scalar>::keep(const Wave& wave, std::size_t row, const Scalar* point, const Scalar* figures,
                                double value) {
  RowOutcome& outcome = outcomes_[wave.first + row];
  outcome.status = row_status(static_cast<double>(figures[NS_F_STATUS]));
  if (outcome.status == RowStatus::Interrupted) outcome.status = RowStatus::MetricOutdated;
  outcome.parameters.assign(point, point + solver_.n);
  if constexpr (!kIsDouble<Scalar>) {
    // What stands at a bound stands at the f64 one.
    const RowBounds& bounds = request_.bounds[request_.rows[wave.first + row].bounds];
    for (std::size_t i = 0; i < solver_.n; ++i) {
      if (point[i] == narrowed<Scalar>(bounds.low[i])) outcome.parameters[i] = bounds.low[i];
      if (point[i] == narrowed<Scalar>(bounds.high[i])) outcome.parameters[i] = bounds.high[i];
    }
  }
  outcome.nll = outcome.status == RowStatus::NotFinite ? std::numeric_limits<double>::infinity()
                                                       : value + wave.data.constant(wave.rows[4 * row]);
  outcome.edm = static_cast<double>(figures[NS_F_EDM]);
  outcome.scaled_gradient = static_cast<double>(figures[NS_F_SCALED]);
  outcome.iterations = static_cast<std::size_t>(figures[NS_F_ITERATIONS]);
  outcome.evaluations = static_cast<std::size_t>(figures[NS_F_EVALUATIONS]);
  if (request_.on_row) request_.on_row();
}

template class MinimizeCall<double>;
template class MinimizeCall<float>;

}  // namespace nextstat::gpu

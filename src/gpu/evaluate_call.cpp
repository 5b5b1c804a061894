#include "gpu/calls.h"

#include "base/try.h"
#include "device/requests.h"
#include "gpu/waves.h"

namespace nextstat::gpu {

template <class Scalar>
EvaluateCall<Scalar>::EvaluateCall(DeviceModel& bound, const EvalRequest& request)
    : bound_(bound),
      request_(request),
      source_(bound, request.data, nullptr),
      wanted_((request.gradient ? kGradient : 0u) | (request.expected ? kRates : 0u) |
              (kIsDouble<Scalar> ? 0u : kTerms)),
      table_(evaluate_buffers({bound.compiled.layout, sizeof(Scalar)}, wanted_)) {
  output_.nll.resize(request.rows);
  if (request.gradient) output_.gradient.resize(request.rows * bound.compiled.n_parameters);
  if (request.expected) output_.expected.resize(request.rows * bound.compiled.n_data);
}

template <class Scalar>
Result<EvalOutput> EvaluateCall<Scalar>::run() {
  const RowSizes sizes{bound_.compiled.layout};
  WaveTask task{.kernel = Kernel::Evaluate,
                .rows = request_.rows,
                .first_wave = first_wave(bound_, Kernel::Evaluate, sizes, request_.rows)};
  task.bytes = [&](const Worker& worker, std::size_t rows) {
    const std::size_t sets = source_.uploads(rows, bound_.compiled.n_data);
    return bytes_of(table_, {rows, sets}, worker.queue().shape(Kernel::Evaluate, sizes, rows).scratch_bytes);
  };
  task.run = [&](Worker& worker, std::size_t first, std::size_t count) -> Result<void> {
    TRY_DO(worker.reserve(task.bytes(worker, count)));
    return run_wave(worker, first, count);
  };
  TRY_DO(run_waves(bound_.workers, task));
  return std::move(output_);
}

template <class Scalar>
Result<void> EvaluateCall<Scalar>::run_wave(Worker& worker, std::size_t first, std::size_t count) {
  const NsLayout& layout = bound_.compiled.layout;
  WaveData<Scalar> data(bound_, source_);
  const std::span<std::uint32_t> data_of_row = worker.more_staging.as<std::uint32_t>(count);
  for (std::size_t row = 0; row < count; ++row)
    data_of_row[row] = data.number_of(request_.data_of_row.empty() ? 0 : request_.data_of_row[first + row]);
  Steps steps(worker.queue());
  const Buffer& sets = data.upload(worker, steps);
  write_reals<Scalar>(steps, "uploading parameters", worker.slot(Slot::Parameters),
                      request_.parameters.subspan(first * layout.n_parameters, count * layout.n_parameters),
                      worker.staging);
  steps.write("uploading rows", worker.slot(Slot::DataOfRow), std::span<const std::uint32_t>(data_of_row));
  const Shape shape = worker.queue().shape(Kernel::Evaluate, {layout}, count);
  const auto at = [&](Slot slot) { return Argument(&worker.slot(slot)); };
  const Argument arguments[] = {ByValue{&layout, sizeof layout},
                                &worker.reals,
                                &worker.indices,
                                at(Slot::Parameters),
                                &sets,
                                at(Slot::DataOfRow),
                                at(Slot::Scratch),
                                at(Slot::Nll),
                                at(Slot::Gradient),
                                at(Slot::Rates),
                                at(Slot::Terms),
                                static_cast<std::uint32_t>(count),
                                wanted_};
  steps.launch("evaluating", Kernel::Evaluate, shape, arguments);
  read(worker, steps, first, count);
  if (!steps.ok()) return steps.errors();
  for (std::size_t row = 0; row < count; ++row) {
    double& nll = output_.nll[first + row];
    nll = number_or_infinity(nll + data.constant(data_of_row[row]));
  }
  return {};
}

// NLLs without their constants, gradients and expected data.
template <class Scalar>
void EvaluateCall<Scalar>::read(Worker& worker, Steps& steps, std::size_t first, std::size_t count) {
  const NsLayout& layout = bound_.compiled.layout;
  const std::size_t n = layout.n_parameters, bins = layout.n_bins, n_data = layout.n_data;
  const std::span<double> nll = std::span(output_.nll).subspan(first, count);
  if constexpr (kIsDouble<Scalar>) {
    if (request_.gradient) {
      steps.start_read("reading NLLs", worker.slot(Slot::Nll), nll);
    } else {
      steps.read("reading NLLs", worker.slot(Slot::Nll), nll);
    }
  } else {
    read_term_sums<Scalar>(steps, worker, layout, nll);
  }
  if (request_.gradient)
    read_reals<Scalar>(steps, "reading gradients", worker.slot(Slot::Gradient),
                       std::span(output_.gradient).subspan(first * n, count * n), worker.staging);
  if (!request_.expected) return;
  const std::span<Scalar> rates = worker.staging.as<Scalar>(count * bins);
  steps.read("reading expected data", worker.slot(Slot::Rates), rates);
  if (!steps.ok()) return;
  for (std::size_t row = 0; row < count; ++row) {
    double* expected = output_.expected.data() + (first + row) * n_data;
    for (std::size_t i = 0; i < bins; ++i) expected[i] = static_cast<double>(rates[row * bins + i]);
    fill_expected_auxiliary(bound_.compiled, request_.parameters.data() + (first + row) * n, expected);
  }
}

template class EvaluateCall<double>;
template class EvaluateCall<float>;

}  // namespace nextstat::gpu

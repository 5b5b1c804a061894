#include "cpu/session.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/parallel.h"
#include "base/try.h"
#include "cpu/instruction_set.h"
#include "device/requests.h"
#include "model/row.h"

namespace nextstat {
namespace {

constexpr std::size_t kWide = cpu::kRowsSideBySide;

template <class Scalar>
const cpu::Evaluator<Scalar>& evaluator(const cpu::Kernels& kernels) {
  if constexpr (std::is_same_v<Scalar, double>) {
    return kernels.f64;
  } else {
    return kernels.f32;
  }
}

}  // namespace

template <class Scalar>
CpuSession<Scalar>::CpuSession(const Model& model, const cpu::Kernels& kernels, const CpuOptions& options)
    : model_(model),
      compiled_(compiled_model(model_)),
      kernels_(kernels),
      options_(options),
      own_data_(make_dataset(compiled_, model_.data())),
      single_row_(compiled_.layout.row_size, Scalar{0}) {
  if constexpr (!std::is_same_v<Scalar, double>) {
    converted_tables_.resize(compiled_.reals.size());
    std::transform(compiled_.reals.begin(), compiled_.reals.end(), converted_tables_.begin(),
                   [](double x) { return static_cast<Scalar>(x); });
  }
  fill_data(compiled_.layout, own_data_, single_row_.data(), 1, 0);
}

template <class Scalar>
const Scalar* CpuSession<Scalar>::tables() const {
  if constexpr (std::is_same_v<Scalar, double>) {
    return compiled_.reals.data();
  } else {
    return converted_tables_.data();
  }
}

template <class Scalar>
double CpuSession<Scalar>::nll(const double* parameters) {
  fill_parameters(compiled_.layout, parameters, single_row_.data(), 1, 0);
  evaluator<Scalar>(kernels_).single(&compiled_.layout, tables(), compiled_.indices.data(),
                                     single_row_.data(), false);
  return number_or_infinity(row_nll(compiled_.layout, single_row_.data(), 1, 0) + own_data_.constant);
}

template <class Scalar>
double CpuSession<Scalar>::nll_and_gradient(const double* parameters, double* gradient) {
  fill_parameters(compiled_.layout, parameters, single_row_.data(), 1, 0);
  evaluator<Scalar>(kernels_).single(&compiled_.layout, tables(), compiled_.indices.data(),
                                     single_row_.data(), true);
  for (std::size_t i = 0; i < compiled_.n_parameters; ++i)
    gradient[i] = static_cast<double>(single_row_[compiled_.layout.gradient + i]);
  return number_or_infinity(row_nll(compiled_.layout, single_row_.data(), 1, 0) + own_data_.constant);
}

template <class Scalar>
void CpuSession<Scalar>::read_row(const EvalRequest& request, const Scalar* row, std::size_t stride,
                                  std::size_t lane, std::size_t to, double constant,
                                  EvalOutput& output) const {
  const NsLayout& layout = compiled_.layout;
  const auto at = [&](std::size_t position) { return static_cast<double>(row[position * stride + lane]); };
  output.nll[to] = number_or_infinity(row_nll(layout, row, stride, lane) + constant);
  if (request.gradient) {
    for (std::size_t i = 0; i < layout.n_parameters; ++i)
      output.gradient[to * layout.n_parameters + i] = at(layout.gradient + i);
  }
  if (!request.expected) return;
  double* expected = output.expected.data() + to * layout.n_data;
  for (std::size_t i = 0; i < layout.n_bins; ++i) expected[i] = at(layout.bin_rate + i);
  fill_expected_auxiliary(compiled_, request.parameters.data() + to * layout.n_parameters, expected);
}

template <class Scalar>
void CpuSession<Scalar>::run_chunk(const EvalRequest& request, const std::vector<Dataset>& sets,
                                   std::size_t first, std::size_t count, EvalOutput& output) const {
  const NsLayout& layout = compiled_.layout;
  const auto data_of = [&](std::size_t row) -> const Dataset& {
    if (sets.empty()) return own_data_;
    return sets[request.data_of_row.empty() ? 0 : request.data_of_row[row]];
  };
  // One or two rows are faster one by one; more fill the lanes, the last row standing in for missing ones.
  const std::size_t stride = count <= 2 ? 1 : kWide;
  const auto run = stride == 1 ? evaluator<Scalar>(kernels_).single : evaluator<Scalar>(kernels_).batch;
  AlignedVector<Scalar> rows = scratch_->take(layout.row_size * stride);
  std::array<const Dataset*, kWide> present{};  // [lane] the data that stand in the row already
  for (std::size_t begin = first; begin < first + count; begin += stride) {
    const std::size_t used = std::min(stride, first + count - begin);
    for (std::size_t lane = 0; lane < stride; ++lane) {
      const std::size_t row = begin + std::min(lane, used - 1);
      if (present[lane] != &data_of(row)) fill_data(layout, data_of(row), rows.data(), stride, lane);
      present[lane] = &data_of(row);
      fill_parameters(layout, request.parameters.data() + row * layout.n_parameters, rows.data(), stride,
                      lane);
    }
    run(&layout, tables(), compiled_.indices.data(), rows.data(), request.gradient);
    for (std::size_t lane = 0; lane < used; ++lane) {
      read_row(request, rows.data(), stride, lane, begin + lane, data_of(begin + lane).constant, output);
    }
  }
  scratch_->give_back(std::move(rows));
}

template <class Scalar>
Result<EvalOutput> CpuSession<Scalar>::evaluate(const EvalRequest& request) {
  const std::size_t n_data = compiled_.n_data;
  TRY_DO(check_request(request, compiled_));
  std::vector<Dataset> sets;
  for (std::size_t i = 0; i < request.data.size() / n_data; ++i)
    sets.push_back(make_dataset(compiled_, request.data.subspan(i * n_data, n_data)));
  EvalOutput output;
  output.nll.resize(request.rows);
  if (request.gradient) output.gradient.resize(request.rows * compiled_.n_parameters);
  if (request.expected) output.expected.resize(request.rows * n_data);
  constexpr std::size_t kChunk = 8 * kWide;
  const std::size_t chunks = (request.rows + kChunk - 1) / kChunk;
  const auto run = [&](std::size_t chunk) {
    run_chunk(request, sets, chunk * kChunk, std::min(kChunk, request.rows - chunk * kChunk), output);
  };
  parallel_chunks(chunks, options_.threads, run);
  return output;
}

template <class Scalar>
Result<DrawnToys> CpuSession<Scalar>::draw(const ToyDraw& draw) {
  return draw_on_host(draw, options_.threads);
}

template <class Scalar>
Capabilities CpuSession<Scalar>::capabilities() const {
  constexpr bool kIsDouble = std::is_same_v<Scalar, double>;
  return {.device = "cpu",
          .instruction_set = kernels_.name,
          .rows_side_by_side = kWide,
          .f64 = kIsDouble,
          .batched_fits = kIsDouble};
}

template class CpuSession<double>;
template class CpuSession<float>;

Result<std::unique_ptr<Session>> make_cpu_session(const Model& model, const CpuOptions& options) {
  TRY(const cpu::Kernels* kernels, cpu::choose_kernels(options.instruction_set));
  if (options.precision == Precision::F64)
    return std::unique_ptr<Session>(new CpuSession<double>(model, *kernels, options));
  return std::unique_ptr<Session>(new CpuSession<float>(model, *kernels, options));
}

}  // namespace nextstat

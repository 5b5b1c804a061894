#include "cpu/cpu_session.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/parallel.h"
#include "base/try.h"
#include "cpu/instruction_set.h"
#include "device/requests.h"
#include "model/data/row.h"

namespace nextstat {
namespace {

constexpr std::size_t kWide = cpu::kRowsSideBySide;

}  // namespace

CpuSession::CpuSession(const Model& model, const cpu::Kernels& kernels, const CpuOptions& options)
    : model_(model),
      compiled_(compiled_model(model_)),
      kernels_(kernels),
      options_(options),
      own_data_(make_dataset(compiled_, model_.data())),
      single_row_(compiled_.layout.row_size, 0.0) {
  fill_data(compiled_.layout, own_data_, single_row_.data(), 1, 0);
}

double CpuSession::nll(const double* parameters) {
  fill_parameters(compiled_.layout, parameters, single_row_.data(), 1, 0);
  kernels_.evaluator.single(&compiled_.layout, compiled_.reals.data(), compiled_.indices.data(),
                            single_row_.data(), false);
  return number_or_infinity(row_nll(compiled_.layout, single_row_.data(), 1, 0) + own_data_.constant);
}

double CpuSession::nll_and_gradient(const double* parameters, double* gradient) {
  fill_parameters(compiled_.layout, parameters, single_row_.data(), 1, 0);
  kernels_.evaluator.single(&compiled_.layout, compiled_.reals.data(), compiled_.indices.data(),
                            single_row_.data(), true);
  for (std::size_t i = 0; i < compiled_.n_parameters; ++i)
    gradient[i] = single_row_[compiled_.layout.gradient + i];
  return number_or_infinity(row_nll(compiled_.layout, single_row_.data(), 1, 0) + own_data_.constant);
}

void CpuSession::read_row(const EvalRequest& request, const double* row, std::size_t stride, std::size_t lane,
                          std::size_t to, double constant, EvalOutput& output) const {
  const NsLayout& layout = compiled_.layout;
  const auto at = [&](std::size_t position) { return row[position * stride + lane]; };
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

void CpuSession::run_chunk(const EvalRequest& request, const std::vector<Dataset>& sets, std::size_t first,
                           std::size_t count, EvalOutput& output) const {
  const NsLayout& layout = compiled_.layout;
  const auto data_of = [&](std::size_t row) -> const Dataset& {
    if (sets.empty()) return own_data_;
    return sets[request.data_of_row.empty() ? 0 : request.data_of_row[row]];
  };
  // One or two rows are faster one by one; more fill the lanes, the last row standing in for missing ones.
  const std::size_t stride = count <= 2 ? 1 : kWide;
  const auto run = stride == 1 ? kernels_.evaluator.single : kernels_.evaluator.batch;
  AlignedVector<double> rows = scratch_->take(layout.row_size * stride);
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
    run(&layout, compiled_.reals.data(), compiled_.indices.data(), rows.data(), request.gradient);
    for (std::size_t lane = 0; lane < used; ++lane) {
      read_row(request, rows.data(), stride, lane, begin + lane, data_of(begin + lane).constant, output);
    }
  }
  scratch_->give_back(std::move(rows));
}

Dataset CpuSession::set_of(std::span<const double> data) const {
  const bool own = std::memcmp(data.data(), model_.data().data(), data.size_bytes()) == 0;
  return own ? own_data_ : make_dataset(compiled_, data);
}

Result<EvalOutput> CpuSession::evaluate(const EvalRequest& request) {
  const std::size_t n_data = compiled_.n_data;
  TRY_DO(check_request(request, compiled_));
  std::vector<Dataset> sets;
  for (std::size_t i = 0; i < request.data.size() / n_data; ++i)
    sets.push_back(set_of(request.data.subspan(i * n_data, n_data)));
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

Result<DrawnToys> CpuSession::draw(const ToyDraw& draw) { return draw_on_host(draw, options_.threads); }

SessionTraits CpuSession::traits() const {
  return {.device = "cpu", .instruction_set = kernels_.name, .rows_side_by_side = kWide};
}

Result<std::unique_ptr<DeviceSession>> make_cpu_session(const Model& model, const CpuOptions& options) {
  TRY(const cpu::Kernels* kernels, cpu::choose_kernels(options.instruction_set));
  return std::unique_ptr<DeviceSession>(new CpuSession(model, *kernels, options));
}

}  // namespace nextstat

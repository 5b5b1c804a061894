// entry.cl on a real OpenCL device: NLL, gradient and whole minimisations have the bits of the CPU session.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance/cases.h"
#include "conformance/points.h"
#include "cpu/session.h"
#include "languages/opencl_device.h"
#include "minimize/make_metric.h"
#include "model/row.h"

namespace nextstat::conformance {
namespace {

// One program on one device, for one precision.
template <class Scalar>
class Device {
 public:
  explicit Device(cl_device_id device)
      : program_(device, 8 * sizeof(Scalar)),
        evaluate_(program_.kernel("evaluate_row")),
        minimise_(program_.kernel("minimise_row")) {}

  ~Device() {
    clReleaseKernel(evaluate_);
    clReleaseKernel(minimise_);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // rows: [row][position], changed in place.
  void evaluate(const CompiledModel& model, std::vector<Scalar>& rows) {
    const std::vector<Scalar> reals(model.reals.begin(), model.reals.end());
    const cl_uint gradient = 1;
    const std::vector<cl_mem> buffers = {
        program_.upload(&model.layout, sizeof model.layout), program_.upload(reals),
        program_.upload(model.indices.data(), model.indices.size() * sizeof(cl_uint)), program_.upload(rows)};
    opencl::check(clSetKernelArg(evaluate_, 4, sizeof gradient, &gradient), "argument");
    program_.run(evaluate_, buffers, {rows.size() / model.layout.row_size});
    program_.download(buffers[3], rows);
    for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
  }

  // model_rows, rows: [row][position]; rows are changed in place until every one has ended.
  void minimise(const CompiledModel& model, const Metric& metric, const NsStop& stop,
                const std::vector<Scalar>& model_rows, std::vector<Scalar>& rows) {
    const std::vector<Scalar> reals(model.reals.begin(), model.reals.end()),
        tables(metric.reals.begin(), metric.reals.end());
    const std::vector<cl_mem> buffers = {
        program_.upload(&model.layout, sizeof model.layout),
        program_.upload(&metric.layout, sizeof metric.layout),
        program_.upload(&stop, sizeof stop),
        program_.upload(reals),
        program_.upload(model.indices.data(), model.indices.size() * sizeof(cl_uint)),
        program_.upload(tables),
        program_.upload(model_rows),
        program_.upload(rows)};
    program_.run(minimise_, buffers, {rows.size() / metric.layout.row_size});
    program_.download(buffers[7], rows);
    for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
  }

 private:
  opencl::Program program_;
  cl_kernel evaluate_, minimise_;
};

template <class Scalar>
void expect_bits_of_the_cpu(cl_device_id id, const CaseName& name, const Codes& codes) {
  SCOPED_TRACE(to_string(name) + ", codes " + codes.name + (sizeof(Scalar) == 8 ? ", f64" : ", f32"));
  const Model model = load_model(name, codes);
  const CompiledModel& compiled = model.compiled();
  const DataSet data = make_data_set(compiled, model.data());
  const std::size_t size = model.n_parameters(), row_size = compiled.layout.row_size;
  std::vector<double> points;
  for (const NamedPoint& point : every_kind_of_point(model, 9))
    points.insert(points.end(), point.values.begin(), point.values.end());
  const std::size_t count = points.size() / size;
  std::vector<Scalar> rows(count * row_size);
  for (std::size_t row = 0; row < count; ++row) {
    fill_data(compiled.layout, data, rows.data() + row * row_size, 1, 0);
    fill_parameters(compiled.layout, points.data() + row * size, rows.data() + row * row_size, 1, 0);
  }
  Device<Scalar>(id).evaluate(compiled, rows);
  EvalRequest request;
  request.parameters = points;
  request.rows = count;
  request.gradient = true;
  CpuOptions options;
  options.precision = sizeof(Scalar) == 8 ? Precision::F64 : Precision::F32;
  const EvalOutput expected = make_cpu_session(model, options).value()->evaluate(request).value();
  for (std::size_t row = 0; row < count; ++row) {
    const Scalar* state = rows.data() + row * row_size;
    const double nll = row_nll(compiled.layout, state, 1, 0) + data.constant;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(nll), std::bit_cast<std::uint64_t>(expected.nll[row]))
        << "row " << row << ": " << nll << ", CPU " << expected.nll[row];
    std::size_t different = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double slope = static_cast<double>(state[compiled.layout.gradient + i]);
      different += std::bit_cast<std::uint64_t>(slope) !=
                   std::bit_cast<std::uint64_t>(expected.gradient[row * size + i]);
    }
    EXPECT_EQ(different, 0u) << "elements of the gradient, row " << row;
  }
}

// Fits at fixed values of the first free parameter, one row each.
void expect_minima_of_the_cpu(cl_device_id id, const CaseName& name) {
  SCOPED_TRACE(to_string(name));
  const Model model = load_model(name, kCodes[0]);
  const CompiledModel& compiled = model.compiled();
  const DataSet data = make_data_set(compiled, model.data());
  const std::vector<double> start = model.initial();
  std::vector<char> fixed;
  for (const Parameter& parameter : model.parameters()) fixed.push_back(parameter.fixed ? 1 : 0);
  const Metric metric = make_metric(compiled, start, fixed);
  const NsSolver& v = metric.layout;
  const auto held = static_cast<std::size_t>(std::find(fixed.begin(), fixed.end(), 0) - fixed.begin());
  constexpr std::size_t kRows = 5;
  MinimiseRequest request{.metric = metric};
  std::vector<double> starts, low, high;
  std::vector<std::vector<std::size_t>> held_of_row(kRows, std::vector<std::size_t>{held});
  held_of_row[0].clear();  // a free fit among them
  std::vector<double> rows(kRows * v.row_size, 0.0), model_rows(kRows * compiled.layout.row_size, 0.0);
  for (std::size_t row = 0; row < kRows; ++row) {
    fill_data(compiled.layout, data, model_rows.data() + row * compiled.layout.row_size, 1, 0);
    double* state = rows.data() + row * v.row_size;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const Parameter& parameter = model.parameters()[i];
      const bool is_held = row > 0 && i == held;
      const double x = is_held ? start[i] + 0.02 * static_cast<double>(row) : start[i];
      starts.push_back(x);
      low.push_back(fixed[i] || is_held ? x : parameter.low);
      high.push_back(fixed[i] || is_held ? x : parameter.high);
      state[v.x + i] = model_rows[row * compiled.layout.row_size + compiled.layout.x + i] = x;
      state[v.low + i] = low.back();
      state[v.high + i] = high.back();
    }
    state[v.control + NS_C_HELD] = static_cast<double>(held_of_row[row].size());
    state[v.held_index] = static_cast<double>(held);
  }
  const NsStop stop{1e-13f, 1e-7f, 20, 14, 1000};
  Device<double>(id).minimise(compiled, metric, stop, model_rows, rows);
  std::vector<RowBounds> bounds;
  std::vector<MinimiseRow> requested;
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::size_t first = row * start.size();
    bounds.push_back({std::span(low).subspan(first, start.size()),
                      std::span(high).subspan(first, start.size()), held_of_row[row]});
    requested.push_back({0, row, row});
  }
  request.rows = requested;
  request.starts = starts;
  request.bounds = bounds;
  const std::vector<RowOutcome> expected = make_cpu_session(model).value()->minimise(request).value();
  for (std::size_t row = 0; row < kRows; ++row) {
    const double* state = rows.data() + row * v.row_size;
    EXPECT_EQ(state[v.control + NS_C_ITERATIONS], static_cast<double>(expected[row].iterations))
        << "row " << row;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(state[v.control + NS_C_VALUE] + data.constant),
              std::bit_cast<std::uint64_t>(expected[row].nll))
        << "row " << row;
    EXPECT_TRUE(std::equal(expected[row].parameters.begin(), expected[row].parameters.end(), state + v.x));
  }
}

TEST(OpenClEntry, MinimisesWithTheBitsOfTheCpuSession) {
  cl_device_id device = opencl::find_device();
  if (device == nullptr) GTEST_SKIP() << "no OpenCL device with double precision on this machine";
  std::vector<CaseName> cases = small_cases();
  if (reference::data_folder()) cases.push_back({"thu.json"});
  for (const CaseName& name : cases) expect_minima_of_the_cpu(device, name);
}

TEST(OpenClEntry, HasTheBitsOfTheCpuSession) {
  cl_device_id device = opencl::find_device();
  if (device == nullptr) GTEST_SKIP() << "no OpenCL device with double precision on this machine";
  std::vector<CaseName> cases = small_cases();
  if (reference::data_folder()) cases.push_back({"thu.json"});
  for (const CaseName& name : cases) {
    for (const Codes& codes : kCodes) {
      expect_bits_of_the_cpu<double>(device, name, codes);
      expect_bits_of_the_cpu<float>(device, name, codes);
    }
  }
}

}  // namespace
}  // namespace nextstat::conformance

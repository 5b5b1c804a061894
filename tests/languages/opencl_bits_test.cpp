// entry.cl on a real OpenCL device: NLL and gradient have the bits of the CPU session.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/cases.h"
#include "conformance/points.h"
#include "cpu/session.h"
#include "model/row.h"

namespace nextstat::conformance {
namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + ": OpenCL error " + std::to_string(status));
}

// The first device that has doubles; none is a reason to skip.
cl_device_id find_device() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return nullptr;
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    cl_uint devices_count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices_count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> devices(devices_count);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, devices_count, devices.data(), nullptr);
    for (cl_device_id device : devices) {
      cl_device_fp_config doubles = 0;
      clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, nullptr);
      if (doubles != 0) return device;
    }
  }
  return nullptr;
}

std::string read_source() {
  std::ifstream file(NEXTSTAT_SOURCE_FOLDER "/kernels/entry.cl");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// One program on one device, for one precision.
template <class Scalar>
class Device {
 public:
  explicit Device(cl_device_id device) : device_(device) {
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "context");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    check(status, "queue");
    const std::string source = read_source();
    const char* text = source.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
    check(status, "program");
    std::string options = "-cl-std=CL1.2 -I " NEXTSTAT_SOURCE_FOLDER;
    options +=
        sizeof(Scalar) == 8 ? " -DREAL_BITS=64" : " -DREAL_BITS=32 -cl-fp32-correctly-rounded-divide-sqrt";
    if (clBuildProgram(program_, 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS)
      throw std::runtime_error(build_log());
    kernel_ = clCreateKernel(program_, "evaluate_row", &status);
    check(status, "kernel");
  }

  ~Device() {
    clReleaseKernel(kernel_);
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // rows: [row][position], changed in place.
  void evaluate(const CompiledModel& model, std::vector<Scalar>& rows) {
    const std::vector<Scalar> reals(model.reals.begin(), model.reals.end());
    const cl_uint gradient = 1;
    const cl_mem buffers[4] = {upload(&model.layout, sizeof model.layout),
                               upload(reals.data(), reals.size() * sizeof(Scalar)),
                               upload(model.indices.data(), model.indices.size() * sizeof(cl_uint)),
                               upload(rows.data(), rows.size() * sizeof(Scalar))};
    for (cl_uint i = 0; i < 4; ++i)
      check(clSetKernelArg(kernel_, i, sizeof(cl_mem), &buffers[i]), "argument");
    check(clSetKernelArg(kernel_, 4, sizeof gradient, &gradient), "argument");
    const std::size_t count = rows.size() / model.layout.row_size;
    check(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &count, nullptr, 0, nullptr, nullptr),
          "launch");
    check(clEnqueueReadBuffer(queue_, buffers[3], CL_TRUE, 0, rows.size() * sizeof(Scalar), rows.data(), 0,
                              nullptr, nullptr),
          "read");
    for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
  }

 private:
  cl_mem upload(const void* data, std::size_t bytes) {
    cl_int status = CL_SUCCESS;
    // An empty table is a valid one; a buffer of no bytes is not.
    const std::size_t size = bytes == 0 ? 8 : bytes;
    cl_mem buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE, size, nullptr, &status);
    check(status, "buffer");
    if (bytes > 0)
      check(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 0, bytes, data, 0, nullptr, nullptr), "write");
    return buffer;
  }

  std::string build_log() const {
    std::size_t size = 0;
    clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, ' ');
    clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    return log;
  }

  cl_device_id device_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
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

TEST(OpenClEntry, HasTheBitsOfTheCpuSession) {
  cl_device_id device = find_device();
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

// entry.cl built for one precision on a real OpenCL device, for tests that compare bits.
#pragma once

#include <CL/cl.h>

#include <fstream>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace nextstat::opencl {

inline void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + ": OpenCL error " + std::to_string(status));
}

// The first device that has doubles; none is a reason to skip.
inline cl_device_id find_device() {
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

inline std::string read_source() {
  std::ifstream file(NEXTSTAT_SOURCE_FOLDER "/kernels/entry.cl");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A program on a device; real_bits: 64 or 32.
class Program {
 public:
  Program(cl_device_id device, int real_bits) : device_(device) {
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
    options += real_bits == 64 ? " -DREAL_BITS=64" : " -DREAL_BITS=32 -cl-fp32-correctly-rounded-divide-sqrt";
    if (clBuildProgram(program_, 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS)
      throw std::runtime_error(build_log());
  }

  ~Program() {
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  cl_kernel kernel(const char* name) {
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program_, name, &status);
    check(status, name);
    return kernel;
  }

  // Launches work[0] x work[1] ... items with these buffers as the first arguments.
  void run(cl_kernel kernel, const std::vector<cl_mem>& buffers, std::initializer_list<std::size_t> work) {
    for (cl_uint i = 0; i < buffers.size(); ++i)
      check(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), "argument");
    check(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(work.size()), nullptr, work.begin(),
                                 nullptr, 0, nullptr, nullptr),
          "launch");
  }

  template <class T>
  void download(cl_mem buffer, std::vector<T>& values) {
    check(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, values.size() * sizeof(T), values.data(), 0,
                              nullptr, nullptr),
          "read");
  }

  template <class T>
  cl_mem upload(const std::vector<T>& values) {
    return upload(values.data(), values.size() * sizeof(T));
  }
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

 private:
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
};

}  // namespace nextstat::opencl

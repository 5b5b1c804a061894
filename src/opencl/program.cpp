#include "opencl/program.h"

#include <fmt/format.h>

namespace nextstat::opencl {
namespace {

std::string options_of(const Device& device, unsigned real_bits) {
  std::string options = fmt::format("-cl-std=CL1.2 -DREAL_BITS={}", real_bits);
  if (real_bits == 32 && device.rounds_f32) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

std::string build_log(const Loader& cl, cl_program program, cl_device_id device) {
  std::size_t size = 0;
  cl.GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  if (size > 0) cl.GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return log.c_str();
}

Error failure(const char* call, cl_int status, const std::string& log = "") {
  std::string what = "the kernels cannot be built: " + describe(call, status);
  if (!log.empty()) what += "\n" + log;
  return {ErrorCode::DeviceUnavailable, "", std::move(what), "update the OpenCL driver of the device"};
}

std::optional<Owned<cl_program>> from_binary(const Loader& cl, cl_context context, const Device& device,
                                             const std::string& binary, const std::string& options) {
  const std::size_t size = binary.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  cl_int status = CL_SUCCESS, loaded = CL_SUCCESS;
  Owned<cl_program> program(
      cl.CreateProgramWithBinary(context, 1, &device.id, &size, &bytes, &loaded, &status), cl.ReleaseProgram);
  if (status != CL_SUCCESS || loaded != CL_SUCCESS) return std::nullopt;
  if (cl.BuildProgram(program.get(), 1, &device.id, options.c_str(), nullptr, nullptr) != CL_SUCCESS)
    return std::nullopt;
  return program;
}

// The binary for the one device of a program; "" where there is none.
std::string binary_of(const Loader& cl, cl_program program) {
  std::size_t size = 0;
  if (cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS)
    return "";
  std::string binary(size, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(binary.data());
  if (cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS) return "";
  return binary;
}

}  // namespace

Result<Owned<cl_program>> build_program(const Loader& cl, cl_context context, const Device& device,
                                        unsigned real_bits, const ProgramCache& cache) {
  const std::string options = options_of(device, real_bits);
  const std::string key = fmt::format("{}\n{}\n{}", device.identity, options, kKernelSource);
  if (const std::optional<std::string> known = cache.find(key)) {
    if (auto program = from_binary(cl, context, device, *known, options)) return std::move(*program);
  }
  cl_int status = CL_SUCCESS;
  const char* source = kKernelSource;
  Owned<cl_program> program(cl.CreateProgramWithSource(context, 1, &source, nullptr, &status),
                            cl.ReleaseProgram);
  if (status != CL_SUCCESS) return failure("clCreateProgramWithSource", status);
  status = cl.BuildProgram(program.get(), 1, &device.id, options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) return failure("clBuildProgram", status, build_log(cl, program.get(), device.id));
  if (const std::string binary = binary_of(cl, program.get()); !binary.empty()) cache.keep(key, binary);
  return program;
}

}  // namespace nextstat::opencl

#include "opencl/opencl_program.h"

#include <unistd.h>

#include <fmt/format.h>
#include <nextstat/files.h>

#include <filesystem>

#include "base/files/kept_file.h"
#include "base/hash.h"

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

Error build_failure(const char* call, cl_int status, const std::string& log = "") {
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
  if (status != CL_SUCCESS) return build_failure("clCreateProgramWithSource", status);
  status = cl.BuildProgram(program.get(), 1, &device.id, options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS)
    return build_failure("clBuildProgram", status, build_log(cl, program.get(), device.id));
  if (const std::string binary = binary_of(cl, program.get()); !binary.empty()) cache.keep(key, binary);
  return program;
}

namespace {

constexpr std::string_view kMark = "nextstat opencl program 1\n";
constexpr std::size_t kLargest = std::size_t{256} << 20;

std::string sealed(std::string_view binary) { return hash_bytes(binary).value() + "\n"; }

}  // namespace

std::string ProgramCache::path_of(std::string_view key) const {
  return folder_ + "/" + hash_bytes(key).value() + ".bin";
}

std::optional<std::string> ProgramCache::find(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  const Result<std::string> read = read_text(path_of(key), kLargest);
  if (!read) return std::nullopt;
  const std::string_view text = *read;
  const std::size_t seal = sealed("").size();
  if (!text.starts_with(kMark) || text.size() < kMark.size() + seal) return std::nullopt;
  const std::string_view binary = text.substr(kMark.size() + seal);
  if (text.substr(kMark.size(), seal) != sealed(binary)) return std::nullopt;
  return std::string(binary);
}

void ProgramCache::keep(std::string_view key, std::string_view binary) const {
  if (folder_.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  const std::string path = path_of(key);
  const Result<bool> written = write_durably(path, fmt::format("{}{}{}", kMark, sealed(binary), binary),
                                             fmt::format("{}.{}.part", path, ::getpid()));
  static_cast<void>(written);
}

}  // namespace nextstat::opencl

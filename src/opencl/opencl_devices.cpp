#include "opencl/opencl_devices.h"

#include <fmt/format.h>

namespace nextstat::opencl {
namespace {

constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR
constexpr const char* kHint = "`clinfo` shows what the loader sees; install the OpenCL driver of the device";

// A property of a device; 0 where the device does not tell.
template <class T>
T number(const Loader& cl, cl_device_id device, cl_device_info what) {
  T value{};
  return cl.GetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

template <class Ask>
std::string text_of(const Ask& ask) {
  std::size_t size = 0;
  if (ask(std::size_t{0}, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  if (ask(size, text.data(), nullptr) != CL_SUCCESS) return "";
  return text.c_str();
}

std::string text(const Loader& cl, cl_device_id device, cl_device_info what) {
  return text_of([&](std::size_t size, void* to, std::size_t* needed) {
    return cl.GetDeviceInfo(device, what, size, to, needed);
  });
}

std::string platform_version(const Loader& cl, cl_platform_id platform) {
  return text_of([&](std::size_t size, void* to, std::size_t* needed) {
    return cl.GetPlatformInfo(platform, CL_PLATFORM_VERSION, size, to, needed);
  });
}

DeviceKind kind_of(const Loader& cl, cl_device_id device, bool unified) {
  const auto type = number<cl_device_type>(cl, device, CL_DEVICE_TYPE);
  if (type & CL_DEVICE_TYPE_GPU) return unified ? DeviceKind::IntegratedGpu : DeviceKind::Gpu;
  return type & CL_DEVICE_TYPE_CPU ? DeviceKind::Cpu : DeviceKind::Accelerator;
}

Device describe_device(const Loader& cl, cl_platform_id platform, cl_device_id id, std::size_t index) {
  Device device{.id = id, .info = {}, .identity = {}};
  device.info.index = index;
  device.info.name = text(cl, id, CL_DEVICE_NAME);
  device.info.total_memory = number<cl_ulong>(cl, id, CL_DEVICE_GLOBAL_MEM_SIZE);
  device.info.unified_memory = number<cl_bool>(cl, id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  device.info.kind = kind_of(cl, id, device.info.unified_memory);
  device.info.fp64 =
      number<cl_device_fp_config>(cl, id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0 ? Fp64::Full : Fp64::None;
  device.info.driver = text(cl, id, CL_DRIVER_VERSION);
  device.identity = fmt::format("{}\n{}\n{}\n{}", platform_version(cl, platform), device.info.name,
                                text(cl, id, CL_DEVICE_VERSION), device.info.driver);
  device.compute_units = std::max(1u, number<cl_uint>(cl, id, CL_DEVICE_MAX_COMPUTE_UNITS));
  device.largest_buffer = number<cl_ulong>(cl, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  device.rounds_f32 = (number<cl_device_fp_config>(cl, id, CL_DEVICE_SINGLE_FP_CONFIG) &
                       CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  return device;
}

void add_platform(const Loader& cl, cl_platform_id platform, Found& found, std::string& failed) {
  cl_uint count = 0;
  cl_int status = cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> ids(status == CL_SUCCESS ? count : 0);
  if (!ids.empty()) status = cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
  if (status != CL_SUCCESS) {
    if (status != CL_DEVICE_NOT_FOUND && failed.empty()) failed = describe("clGetDeviceIDs", status);
    return;
  }
  for (cl_device_id id : ids) {
    if (number<cl_bool>(cl, id, CL_DEVICE_AVAILABLE) && number<cl_bool>(cl, id, CL_DEVICE_COMPILER_AVAILABLE))
      found.devices.push_back(describe_device(cl, platform, id, found.devices.size()));
  }
}

}  // namespace

Found find_devices(const Loader& cl) {
  Found found;
  cl_uint count = 0;
  cl_int status = cl.GetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(status == CL_SUCCESS ? count : 0);
  if (!platforms.empty()) status = cl.GetPlatformIDs(count, platforms.data(), nullptr);
  if (status == kNoPlatform || (status == CL_SUCCESS && platforms.empty())) {
    found.absent = {AbsentStage::NoDevice,
                    fmt::format("{} is installed but has no platform", cl.library.name()), kHint};
    return found;
  }
  if (status != CL_SUCCESS) {
    found.absent = {AbsentStage::InitializationFailed, describe("clGetPlatformIDs", status), kHint};
    return found;
  }
  std::string failed;
  for (cl_platform_id platform : platforms) add_platform(cl, platform, found, failed);
  if (!found.devices.empty()) return found;
  if (failed.empty())
    found.absent = {AbsentStage::NoDevice, "no OpenCL platform has a device that can build kernels", kHint};
  else
    found.absent = {AbsentStage::InitializationFailed, failed, kHint};
  return found;
}

}  // namespace nextstat::opencl

#include "cuda/cuda_backend.h"

#include <fmt/format.h>

#include <array>

#include "cuda/cuda_driver.h"
#include "cuda/free_memory.h"

namespace nextstat {
namespace {

using cuda::Driver;

constexpr const char* kDriverHint = "`nvidia-smi` shows what the driver sees";

Absent not_opened(const Error& error) {
  if (error.code != ErrorCode::NotFound)
    return {AbsentStage::SymbolMissing, fmt::format("{} {}", to_text(error.where), error.what), error.hint};
  std::string hint = "install the NVIDIA driver; a container must be started with access to the GPUs";
  if (*cuda::why_no_kernels() != '\0')
    hint += fmt::format("; this build has no CUDA kernels either: {}", cuda::why_no_kernels());
  return {AbsentStage::LibraryMissing, fmt::format("no NVIDIA driver ({})", error.what), hint};
}

int attribute(const Driver& driver, cuda::CUdevice device, int number) {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, number, device) == 0 ? value : 0;
}

void add_attributes(const Driver& driver, cuda::CUdevice device, DeviceInfo& info) {
  const int major = attribute(driver, device, cuda::kCapabilityMajor);
  if (major > 0)
    info.compute_capability = fmt::format("{}.{}", major, attribute(driver, device, cuda::kCapabilityMinor));
  info.unified_memory = attribute(driver, device, cuda::kIntegrated) != 0;
  info.kind = info.unified_memory ? DeviceKind::IntegratedGpu : DeviceKind::Gpu;
  // 2 or 3 on cards for computing, 32 or 64 on others.
  info.fp64 = attribute(driver, device, cuda::kSingleToDoubleRatio) > 4 ? Fp64::Slow : Fp64::Full;
  info.driver = driver.version();
}

Result<DeviceInfo> describe(const Driver& driver, int ordinal, FreeMemory free_memory) {
  const auto failed = [&](const std::string& what) {
    return Error{ErrorCode::DeviceUnavailable, "", fmt::format("device {}: {}", ordinal, what), kDriverHint};
  };
  cuda::CUdevice device = 0;
  std::array<char, 256> name{};
  std::size_t total = 0;
  if (auto what = driver.check("cuDeviceGet", driver.cuDeviceGet(&device, ordinal)); !what.empty())
    return failed(what);
  const int length = static_cast<int>(name.size()) - 1;
  if (auto what = driver.check("cuDeviceGetName", driver.cuDeviceGetName(name.data(), length, device));
      !what.empty())
    return failed(what);
  if (auto what = driver.check("cuDeviceTotalMem", driver.cuDeviceTotalMem(&total, device)); !what.empty())
    return failed(what);
  DeviceInfo info;
  info.index = static_cast<std::size_t>(ordinal);
  info.name = name.data();
  info.total_memory = total;
  if (free_memory == FreeMemory::Asked) info.free_memory = cuda::free_memory(driver, device, total);
  add_attributes(driver, device, info);
  return info;
}

// CUDA_ERROR_NO_DEVICE and, from drivers that count before they look, a count of 0.
constexpr cuda::CUresult kNoDevice = 100;

Absent no_device(const Driver& driver) {
  const std::string version = driver.version();
  return {AbsentStage::NoDevice,
          fmt::format("the NVIDIA driver{} is installed but sees no device",
                      version.empty() ? "" : fmt::format(" (CUDA {})", version)),
          fmt::format("{}; CUDA_VISIBLE_DEVICES may hide devices", kDriverHint)};
}

Absent without_kernels(const std::vector<DeviceInfo>& devices) {
  const std::string more = devices.size() > 1 ? fmt::format(" and {} more", devices.size() - 1) : "";
  return {AbsentStage::NotBuilt,
          fmt::format("built without CUDA kernels: {} (found {}{})", cuda::why_no_kernels(),
                      devices.front().name, more),
          "build with nvcc on the PATH (-DNEXTSTAT_WITH_CUDA=ON)"};
}

// Stage by stage. That the build has no kernels is said last, of a machine where they would run: elsewhere
// what the machine lacks is the better answer.
BackendReport look(const Driver& driver, FreeMemory free_memory) {
  const auto absent = [](AbsentStage stage, std::string reason) {
    return BackendReport{BackendType::Cuda, {}, Absent{stage, std::move(reason), kDriverHint}};
  };
  const cuda::CUresult started = driver.cuInit(0);
  if (started == kNoDevice) return {BackendType::Cuda, {}, no_device(driver)};
  if (auto what = driver.check("cuInit", started); !what.empty())
    return absent(AbsentStage::InitializationFailed, what);
  int count = 0;
  if (auto what = driver.check("cuDeviceGetCount", driver.cuDeviceGetCount(&count)); !what.empty())
    return absent(AbsentStage::InitializationFailed, what);
  if (count == 0) return {BackendType::Cuda, {}, no_device(driver)};
  BackendReport report{BackendType::Cuda, {}, {}};
  std::string broken;
  if (count > 1) free_memory = FreeMemory::Asked;
  for (int i = 0; i < count; ++i) {
    Result<DeviceInfo> device = describe(driver, i, free_memory);
    if (device) report.devices.push_back(std::move(*device));
    if (!device && broken.empty()) broken = device.errors().front().what;
  }
  if (report.devices.empty()) return absent(AbsentStage::InitializationFailed, broken);
  if (*cuda::why_no_kernels() != '\0') return {BackendType::Cuda, {}, without_kernels(report.devices)};
  return report;
}

class CudaBackend final : public Backend {
 public:
  BackendType type() const override { return BackendType::Cuda; }
  BackendReport discover(FreeMemory free_memory) const override {
    const Result<Driver> driver = cuda::open_driver();
    if (!driver) return {BackendType::Cuda, {}, not_opened(driver.errors().front())};
    return look(*driver, free_memory);
  }
  Result<std::unique_ptr<DeviceSession>> open(const Model& model, const std::vector<std::size_t>& devices,
                                              const DeviceSessionOptions& options) const override {
    return cuda::make_cuda_session(model, devices, options);
  }
};

}  // namespace

const Backend& cuda_backend() {
  static const CudaBackend backend;
  return backend;
}

}  // namespace nextstat

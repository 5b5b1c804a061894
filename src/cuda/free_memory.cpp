#include "cuda/free_memory.h"

#include <array>

namespace nextstat::cuda {
namespace {

// The types of nvml.h that the functions below need, with its sizes.
using NvmlDevice = struct NvmlDevice_st*;
struct NvmlMemory {
  unsigned long long total, free, used;
};

// libnvidia-ml, which comes with the driver.
struct Nvml {
  int (*init)();  // 0 = success, as of all of them
  int (*shutdown)();
  int (*device_by_bus)(const char* bus, NvmlDevice* device);
  int (*memory)(NvmlDevice device, NvmlMemory* memory);
};

std::optional<Nvml> open_nvml() {
  const Result<DynamicLibrary> library = DynamicLibrary::open({"libnvidia-ml.so.1"});
  if (!library) return std::nullopt;
  Nvml nvml{};
  SymbolReader read(*library);
  read("nvmlInit_v2", nvml.init);
  read("nvmlShutdown", nvml.shutdown);
  read("nvmlDeviceGetHandleByPciBusId_v2", nvml.device_by_bus);
  read("nvmlDeviceGetMemoryInfo", nvml.memory);
  return read.missing().empty() ? std::optional(nvml) : std::nullopt;
}

// A part of a card (MIG) is not what the bus knows: then the numbers do not fit the device's own memory.
std::optional<std::uint64_t> from_management(const Driver& driver, CUdevice device,
                                             std::uint64_t total_memory) {
  std::array<char, 32> bus{};
  if (driver.cuDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()) - 1, device) != 0)
    return std::nullopt;
  const std::optional<Nvml> nvml = open_nvml();
  if (!nvml || nvml->init() != 0) return std::nullopt;
  NvmlDevice handle = nullptr;
  NvmlMemory memory{};
  const bool known = nvml->device_by_bus(bus.data(), &handle) == 0 && nvml->memory(handle, &memory) == 0;
  nvml->shutdown();
  if (!known || memory.total < total_memory || memory.total / 10 * 9 > total_memory) return std::nullopt;
  return memory.free < total_memory ? memory.free : total_memory;
}

std::optional<std::uint64_t> from_context(const Driver& driver, CUdevice device) {
  CUcontext context = nullptr;
  if (driver.cuDevicePrimaryCtxRetain(&context, device) != 0) return std::nullopt;
  std::optional<std::uint64_t> result;
  if (driver.cuCtxPushCurrent(context) == 0) {
    std::size_t free = 0, total = 0;
    if (driver.cuMemGetInfo(&free, &total) == 0) result = free;
    driver.cuCtxPopCurrent(&context);
  }
  driver.cuDevicePrimaryCtxRelease(device);
  return result;
}

}  // namespace

std::optional<std::uint64_t> free_memory(const Driver& driver, CUdevice device, std::uint64_t total_memory) {
  if (std::optional<std::uint64_t> known = from_management(driver, device, total_memory)) return known;
  return from_context(driver, device);
}

}  // namespace nextstat::cuda

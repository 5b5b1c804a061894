#include "cuda/cuda_driver.h"

#include <fmt/format.h>

#include "base/try.h"

namespace nextstat::cuda {
namespace {

// Names with a version are those that cuda.h puts behind the plain ones.
void read_devices(SymbolReader& read, Driver& driver) {
  read("cuInit", driver.cuInit);
  read("cuDriverGetVersion", driver.cuDriverGetVersion);
  read("cuGetErrorName", driver.cuGetErrorName);
  read("cuGetErrorString", driver.cuGetErrorString);
  read("cuDeviceGetCount", driver.cuDeviceGetCount);
  read("cuDeviceGet", driver.cuDeviceGet);
  read("cuDeviceGetName", driver.cuDeviceGetName);
  read("cuDeviceGetAttribute", driver.cuDeviceGetAttribute);
  read("cuDeviceTotalMem_v2", driver.cuDeviceTotalMem);
  read("cuDeviceGetPCIBusId", driver.cuDeviceGetPCIBusId);
  read("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain);
  read("cuDevicePrimaryCtxRelease_v2", driver.cuDevicePrimaryCtxRelease);
  read("cuCtxSetCurrent", driver.cuCtxSetCurrent);
  read("cuCtxPushCurrent_v2", driver.cuCtxPushCurrent);
  read("cuCtxPopCurrent_v2", driver.cuCtxPopCurrent);
  read("cuMemGetInfo_v2", driver.cuMemGetInfo);
}

void read_kernels(SymbolReader& read, Driver& driver) {
  read("cuModuleLoadDataEx", driver.cuModuleLoadDataEx);
  read("cuModuleUnload", driver.cuModuleUnload);
  read("cuModuleGetFunction", driver.cuModuleGetFunction);
  read("cuFuncSetAttribute", driver.cuFuncSetAttribute);
  read("cuOccupancyMaxActiveBlocksPerMultiprocessor", driver.cuOccupancyMaxActiveBlocksPerMultiprocessor);
  read("cuLaunchKernel", driver.cuLaunchKernel);
}

void read_memory(SymbolReader& read, Driver& driver) {
  read("cuMemAlloc_v2", driver.cuMemAlloc);
  read("cuMemFree_v2", driver.cuMemFree);
  read("cuMemHostAlloc", driver.cuMemHostAlloc);
  read("cuMemFreeHost", driver.cuMemFreeHost);
  read("cuMemcpyHtoDAsync_v2", driver.cuMemcpyHtoDAsync);
  read("cuMemcpyDtoHAsync_v2", driver.cuMemcpyDtoHAsync);
  read("cuMemsetD8Async", driver.cuMemsetD8Async);
}

void read_streams(SymbolReader& read, Driver& driver) {
  read("cuStreamCreate", driver.cuStreamCreate);
  read("cuStreamDestroy_v2", driver.cuStreamDestroy);
  read("cuStreamSynchronize", driver.cuStreamSynchronize);
}

}  // namespace

std::string Driver::check(const char* call, CUresult result) const {
  if (result == 0) return "";
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != 0 || name == nullptr) return fmt::format("{}: error {}", call, result);
  if (cuGetErrorString(result, &text) != 0 || text == nullptr) return fmt::format("{}: {}", call, name);
  return fmt::format("{}: {} ({})", call, name, text);
}

std::string Driver::version() const {
  int version = 0;
  if (cuDriverGetVersion(&version) != 0 || version <= 0) return "";
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Result<Driver> open_driver() {
  TRY(DynamicLibrary library, DynamicLibrary::open({"libcuda.so.1"}));
  Driver driver(std::move(library));
  SymbolReader read(driver.library);
  read_devices(read, driver);
  read_kernels(read, driver);
  read_memory(read, driver);
  read_streams(read, driver);
  if (!read.missing().empty())
    return Error{ErrorCode::BadInput, driver.library.name(),
                 fmt::format("has no {}", fmt::join(read.missing(), ", ")), "install a newer NVIDIA driver"};
  return driver;
}

}  // namespace nextstat::cuda

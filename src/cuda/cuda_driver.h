// The CUDA driver API as a table of functions, opened at run time: a program built with CUDA starts on a
// machine without a driver, and looking for devices needs no toolkit.
//
//   Result<cuda::Driver> driver = cuda::open_driver();
//   if (!driver) ...                                  // NotFound: no library; BadInput: symbols are missing
//   if (auto failed = driver->check("cuInit", driver->cuInit(0)); !failed.empty()) ...
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/dynamic_library.h"

namespace nextstat::cuda {

// The types of cuda.h that the functions below need, with its names and sizes.
using CUresult = int;  // 0 = CUDA_SUCCESS
using CUdevice = int;
using CUdeviceptr = std::uint64_t;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;

// Attributes, as numbered in cuda.h.
constexpr int kMultiprocessors = 16;
constexpr int kIntegrated = 18;
constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;
constexpr int kSingleToDoubleRatio = 87;

struct Driver {
  DynamicLibrary library;

  CUresult (*cuInit)(unsigned flags);
  CUresult (*cuDriverGetVersion)(int* version);
  CUresult (*cuGetErrorName)(CUresult error, const char** text);
  CUresult (*cuGetErrorString)(CUresult error, const char** text);

  CUresult (*cuDeviceGetCount)(int* count);
  CUresult (*cuDeviceGet)(CUdevice* device, int ordinal);
  CUresult (*cuDeviceGetName)(char* name, int length, CUdevice device);
  CUresult (*cuDeviceGetAttribute)(int* value, int attribute, CUdevice device);
  CUresult (*cuDeviceTotalMem)(std::size_t* bytes, CUdevice device);
  CUresult (*cuDeviceGetPCIBusId)(char* bus, int length, CUdevice device);

  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext* context, CUdevice device);
  CUresult (*cuDevicePrimaryCtxRelease)(CUdevice device);
  CUresult (*cuCtxSetCurrent)(CUcontext context);
  CUresult (*cuCtxPushCurrent)(CUcontext context);
  CUresult (*cuCtxPopCurrent)(CUcontext* context);
  CUresult (*cuMemGetInfo)(std::size_t* free, std::size_t* total);  // of the current context's device

  CUresult (*cuModuleLoadDataEx)(CUmodule* module, const void* image, unsigned options, int* option_names,
                                 void** option_values);
  CUresult (*cuModuleUnload)(CUmodule module);
  CUresult (*cuModuleGetFunction)(CUfunction* function, CUmodule module, const char* name);
  CUresult (*cuFuncSetAttribute)(CUfunction function, int attribute, int value);
  CUresult (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, CUfunction function, int threads,
                                                          std::size_t shared_bytes);

  CUresult (*cuMemAlloc)(CUdeviceptr* pointer, std::size_t bytes);
  CUresult (*cuMemFree)(CUdeviceptr pointer);
  CUresult (*cuMemHostAlloc)(void** pointer, std::size_t bytes, unsigned flags);
  CUresult (*cuMemFreeHost)(void* pointer);
  CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream);
  CUresult (*cuMemcpyDtoHAsync)(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream);
  CUresult (*cuMemsetD8Async)(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream);

  CUresult (*cuStreamCreate)(CUstream* stream, unsigned flags);
  CUresult (*cuStreamDestroy)(CUstream stream);
  CUresult (*cuStreamSynchronize)(CUstream stream);
  CUresult (*cuLaunchKernel)(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                             CUstream stream, void** arguments, void** extra);

  explicit Driver(DynamicLibrary opened) : library(std::move(opened)) {}

  // "" for success, else "cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)".
  std::string check(const char* call, CUresult result) const;
  // "12.8", or "" where the driver does not say.
  std::string version() const;
};

// Errors: NotFound where there is no library, BadInput with the names where it lacks functions.
Result<Driver> open_driver();

}  // namespace nextstat::cuda

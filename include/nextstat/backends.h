// Devices: what is here, which one is chosen, and why.
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nextstat {

enum class BackendType { Cpu, Cuda, Rocm, Metal, OpenCL, WebGPU };
enum class BackendPreference { Auto, Cpu, Cuda, Rocm, Metal, OpenCL, WebGPU };

enum class DeviceKind { Cpu, Gpu, IntegratedGpu, Accelerator };
enum class Fp64 { Full, Slow, None };

struct DeviceInfo {
  std::size_t index = 0;
  std::string name;
  std::uint64_t total_memory = 0;            // bytes
  std::optional<std::uint64_t> free_memory;  // empty = unknown
  std::string compute_capability = {};       // "9.0"; "" where there is no such thing
  bool unified_memory = false;
  DeviceKind kind = DeviceKind::Gpu;
  Fp64 fp64 = Fp64::Full;
  std::string driver = {};  // version; "" = unknown
};

// Why a backend has no usable device.
enum class AbsentStage {
  NotBuilt,
  LibraryMissing,
  SymbolMissing,
  InitialisationFailed,
  NoDevice,
  NoFp64,
  TooLittleMemory,
  SelfCheckFailed
};

struct Absent {
  AbsentStage stage = AbsentStage::NotBuilt;
  std::string reason, hint;
};

struct BackendReport {
  BackendType type = BackendType::Cpu;
  std::vector<DeviceInfo> devices = {};
  std::optional<Absent> absent = {};  // set exactly where there are no devices
};

}  // namespace nextstat

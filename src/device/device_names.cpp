// What types, stages and kinds are called.
#include "device/device_names.h"

#include <stdexcept>

namespace nextstat {
namespace {

struct BackendNames {
  BackendType type;
  BackendPreference preference;
  const char* name;     // for options, JSON and toy folders
  const char* display;  // for people
};

constexpr BackendNames kBackends[] = {
    {BackendType::Cpu, BackendPreference::Cpu, "cpu", "CPU"},
    {BackendType::Cuda, BackendPreference::Cuda, "cuda", "CUDA"},
    {BackendType::Rocm, BackendPreference::Rocm, "rocm", "ROCm"},
    {BackendType::Metal, BackendPreference::Metal, "metal", "Metal"},
    {BackendType::OpenCL, BackendPreference::OpenCL, "opencl", "OpenCL"},
    {BackendType::WebGPU, BackendPreference::WebGPU, "webgpu", "WebGPU"},
};
constexpr const char* kAuto = "auto";

const BackendNames& names_of(BackendType type) {
  for (const BackendNames& entry : kBackends)
    if (entry.type == type) return entry;
  throw std::logic_error("a type of device without a name");
}

}  // namespace

const char* to_string(BackendType type) { return names_of(type).name; }
const char* display_name(BackendType type) { return names_of(type).display; }

Capabilities capabilities_of(const DeviceInfo& device) {
  Capabilities can;
  can.f64 = device.fp64 != Fp64::None;
  return can;
}

std::optional<BackendType> type_of(BackendPreference preference) {
  for (const BackendNames& entry : kBackends)
    if (entry.preference == preference) return entry.type;
  return std::nullopt;
}

const char* to_string(BackendPreference preference) {
  const std::optional<BackendType> type = type_of(preference);
  return type ? to_string(*type) : kAuto;
}

std::optional<BackendPreference> preference_named(std::string_view name) {
  if (name == kAuto) return BackendPreference::Auto;
  for (const BackendNames& entry : kBackends)
    if (name == entry.name) return entry.preference;
  return std::nullopt;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names = {kAuto};
  for (const BackendNames& entry : kBackends) names.emplace_back(entry.name);
  return names;
}

const char* to_string(AbsentStage stage) {
  switch (stage) {
    case AbsentStage::LibraryMissing:
      return "library missing";
    case AbsentStage::SymbolMissing:
      return "symbol missing";
    case AbsentStage::InitializationFailed:
      return "initialization failed";
    case AbsentStage::NoDevice:
      return "no device";
    case AbsentStage::NoFp64:
      return "no fp64";
    case AbsentStage::TooLittleMemory:
      return "too little memory";
    case AbsentStage::SelfCheckFailed:
      return "self-check failed";
    case AbsentStage::NotBuilt:
      break;
  }
  return "not built";
}

const char* to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::Gpu:
      return "gpu";
    case DeviceKind::IntegratedGpu:
      return "igpu";
    case DeviceKind::Accelerator:
      return "accel";
    case DeviceKind::Cpu:
      break;
  }
  return "cpu";
}

const char* to_string(Fp64 fp64) {
  switch (fp64) {
    case Fp64::Slow:
      return "slow";
    case Fp64::None:
      return "none";
    case Fp64::Full:
      break;
  }
  return "full";
}

}  // namespace nextstat

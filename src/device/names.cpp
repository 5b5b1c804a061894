// What types, stages and kinds are called.
#include <nextstat/backends.h>

namespace nextstat {

const char* to_string(BackendType type) {
  switch (type) {
    case BackendType::Cuda:
      return "cuda";
    case BackendType::Rocm:
      return "rocm";
    case BackendType::Metal:
      return "metal";
    case BackendType::OpenCL:
      return "opencl";
    case BackendType::WebGPU:
      return "webgpu";
    case BackendType::Cpu:
      break;
  }
  return "cpu";
}

const char* display_name(BackendType type) {
  switch (type) {
    case BackendType::Cuda:
      return "CUDA";
    case BackendType::Rocm:
      return "ROCm";
    case BackendType::Metal:
      return "Metal";
    case BackendType::OpenCL:
      return "OpenCL";
    case BackendType::WebGPU:
      return "WebGPU";
    case BackendType::Cpu:
      break;
  }
  return "CPU";
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

// Devices without a session in this version, each with the reason that cmake/NextstatDevices.cmake found.
#include <stdexcept>

#include "device/registry.h"

namespace nextstat {
namespace {

class AbsentBackend final : public Backend {
 public:
  AbsentBackend(BackendType type, const char* reason, const char* hint)
      : type_(type), reason_(reason), hint_(hint) {}

  BackendType type() const override { return type_; }
  BackendReport discover(FreeMemory) const override {
    return {type_, {}, Absent{AbsentStage::NotBuilt, reason_, hint_}};
  }
  Result<std::unique_ptr<DeviceSession>> open(const Model&, const std::vector<std::size_t>&,
                                              const DeviceSessionOptions&) const override {
    return Error{ErrorCode::DeviceUnavailable, "", reason_, hint_};
  }

 private:
  BackendType type_;
  const char *reason_, *hint_;
};

}  // namespace

const Backend& absent_backend(BackendType type) {
  constexpr const char* kOthers = "use another device";
  static const AbsentBackend backends[] = {
      {BackendType::Rocm, NEXTSTAT_WITHOUT_ROCM, kOthers},
      {BackendType::Metal, NEXTSTAT_WITHOUT_METAL, kOthers},
      {BackendType::OpenCL, NEXTSTAT_WITHOUT_OPENCL,
       "build where the OpenCL headers (CL/cl.h) are installed"},
      {BackendType::WebGPU, NEXTSTAT_WITHOUT_WEBGPU, kOthers},
  };
  for (const AbsentBackend& backend : backends) {
    if (backend.type() == type) return backend;
  }
  throw std::logic_error("absent_backend: this type is never absent");
}

}  // namespace nextstat

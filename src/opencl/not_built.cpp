// In place of everything else here, in a build without OpenCL.
#include "device/registry.h"
#include "opencl/opencl_backend.h"

namespace nextstat {

const Backend& opencl_backend() { return absent_backend(BackendType::OpenCL); }

Result<std::unique_ptr<DeviceSession>> opencl::make_opencl_session(const Model& model,
                                                                   const std::vector<std::size_t>& devices,
                                                                   const DeviceSessionOptions& session,
                                                                   const OpenOptions&) {
  return opencl_backend().open(model, devices, session);
}

}  // namespace nextstat

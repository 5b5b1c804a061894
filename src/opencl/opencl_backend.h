// OpenCL devices: found and used through the loader, where one is installed.
#pragma once

#include "device/backend.h"

namespace nextstat {

const Backend& opencl_backend();

namespace opencl {

enum class Bits { AsDevice, F64, F32 };  // f64 where the device has it

struct OpenOptions {
  Bits bits = Bits::AsDevice;
  std::string cache_folder = "";  // "" = nowhere
};
Result<std::unique_ptr<DeviceSession>> make_opencl_session(const Model& model,
                                                           const std::vector<std::size_t>& devices,
                                                           const DeviceSessionOptions& session,
                                                           const OpenOptions& options);

}  // namespace opencl
}  // namespace nextstat

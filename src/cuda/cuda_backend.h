// CUDA devices: found through the driver in every build, used where the build has the kernels.
#pragma once

#include "device/backend.h"

namespace nextstat {

const Backend& cuda_backend();

namespace cuda {

// In cuda/cuda_queue.cpp where there was a CUDA compiler, in cuda/no_kernels.cpp where there was none.
Result<std::unique_ptr<DeviceSession>> make_cuda_session(const Model& model,
                                                         const std::vector<std::size_t>& devices,
                                                         const DeviceSessionOptions& options);
// Why this build has no kernels; "" = it has them.
const char* why_no_kernels();

}  // namespace cuda
}  // namespace nextstat

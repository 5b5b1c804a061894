// A build without a CUDA compiler: devices are seen, and cannot be used.
#include "cuda/cuda_backend.h"

namespace nextstat::cuda {

const char* why_no_kernels() { return NEXTSTAT_WITHOUT_CUDA; }

Result<std::unique_ptr<DeviceSession>> make_cuda_session(const Model&, const std::vector<std::size_t>&,
                                                         const DeviceSessionOptions&) {
  return Error{ErrorCode::DeviceUnavailable, "",
               std::string("built without CUDA kernels: ") + why_no_kernels(),
               "build with nvcc on the PATH (-DNEXTSTAT_WITH_CUDA=ON)"};
}

}  // namespace nextstat::cuda

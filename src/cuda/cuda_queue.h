// A gpu::Queue on a CUDA device, by the driver API: kernels of entry.cu, a whole minimization in one launch.
#pragma once

#include <memory>

#include "cuda/cuda_driver.h"
#include "gpu/queue.h"

namespace nextstat::cuda {

Result<std::unique_ptr<gpu::Queue>> make_queue(std::shared_ptr<const Driver> driver, std::size_t index);

// The compiled kernels, as nvcc made them for every architecture of this build.

const void* kernels_image();
// "75, 80, 90"
const char* kernel_architectures();

}  // namespace nextstat::cuda

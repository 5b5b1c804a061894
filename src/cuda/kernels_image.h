// The compiled kernels, as nvcc made them for every architecture of this build.
#pragma once

namespace nextstat::cuda {

const void* kernels_image();
// "75, 80, 90"
const char* kernel_architectures();

}  // namespace nextstat::cuda

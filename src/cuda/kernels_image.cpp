#include "cuda/cuda_queue.h"

// NEXTSTAT_CUDA_IMAGE: the file that nvcc wrote.
asm(".pushsection .rodata\n"
    ".balign 64\n"
    ".global nextstat_cuda_kernels\n"
    "nextstat_cuda_kernels:\n"
    ".incbin \"" NEXTSTAT_CUDA_IMAGE
    "\"\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const unsigned char nextstat_cuda_kernels[];

namespace nextstat::cuda {

const void* kernels_image() { return nextstat_cuda_kernels; }
const char* kernel_architectures() { return NEXTSTAT_CUDA_ARCHITECTURE_NAMES; }

}  // namespace nextstat::cuda

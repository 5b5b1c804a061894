// entry.cu as C++.
#include "software/cuda_stand_in.h"

#define REAL_BITS 64
#include "kernels/entry.cu"

alignas(16) scalar_pair near_memory[(std::size_t{256} << 10) / sizeof(scalar_pair)];

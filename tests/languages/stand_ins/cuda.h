// Stands in for the CUDA headers, so that clang can check entry.cu without a toolkit.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __forceinline__ inline __attribute__((always_inline))

typedef __SIZE_TYPE__ size_t;

struct StandInIndex {
  unsigned x, y, z;
};
extern __device__ const StandInIndex blockIdx, blockDim, threadIdx;

__device__ long long __double_as_longlong(double);
__device__ double __longlong_as_double(long long);
__device__ unsigned __float_as_uint(float);
__device__ float __uint_as_float(unsigned);

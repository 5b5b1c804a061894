// Stands in for the CUDA headers, so that clang can check entry.cu without a toolkit.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__

typedef __SIZE_TYPE__ size_t;

struct StandInIndex {
  unsigned x, y, z;
};
extern __device__ const StandInIndex blockIdx, blockDim, threadIdx, gridDim;

struct __attribute__((aligned(16))) double2 {
  double x, y;
};
struct __attribute__((aligned(8))) float2 {
  float x, y;
};

__device__ long long __double_as_longlong(double);
__device__ double __longlong_as_double(long long);
__device__ unsigned __float_as_uint(float);
__device__ float __uint_as_float(unsigned);
__device__ void __syncthreads();
__device__ int __syncthreads_or(int);
__device__ void __syncwarp();
__device__ double __shfl_xor_sync(unsigned, double, int);
__device__ float __shfl_xor_sync(unsigned, float, int);
__device__ unsigned __shfl_xor_sync(unsigned, unsigned, int);
__device__ unsigned __shfl_sync(unsigned, unsigned, int);
__device__ double __shfl_sync(unsigned, double, int);
__device__ float __shfl_sync(unsigned, float, int);
__device__ unsigned atomicAdd(unsigned*, unsigned);
template <class T>
__device__ T __ldg(const T*);

// What entry.cu needs of CUDA, on the CPU (cuda_machine.cpp).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#define __device__
#define __global__
#define __shared__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)

struct Index3 {
  unsigned x, y, z;
};
extern Index3 threadIdx, blockIdx, blockDim, gridDim;

struct double2 {
  double x, y;
} __attribute__((aligned(16)));
struct float2 {
  float x, y;
} __attribute__((aligned(8)));

void __syncthreads();
void __syncwarp();
int __syncthreads_or(int value);
double __shfl_xor_sync(unsigned mask, double value, int lane_mask);
unsigned __shfl_sync(unsigned mask, unsigned value, int lane);
double __shfl_sync(unsigned mask, double value, int lane);
unsigned atomicAdd(unsigned* to, unsigned value);

inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
template <class T>
T __ldg(const T* p) {
  return *p;
}

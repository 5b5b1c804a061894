// The types of an f32 instantiation, and all kernels with them. See isa.cpp.
#define REAL_BITS 32
typedef float scalar;
typedef FloatLanes real;
typedef FloatLanesU Stored;
typedef FloatBits u64;
typedef u32 UnsignedOf;
#include "cpu/lanes.h"
#undef REAL_BITS

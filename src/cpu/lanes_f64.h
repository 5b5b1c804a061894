// The types of an f64 instantiation, and all kernels with them. See isa.cpp.
#define REAL_BITS 64
typedef double scalar;
typedef DoubleLanes real;
typedef DoubleLanesU Stored;
typedef DoubleBits u64;
typedef unsigned long long UnsignedOf;
#include "cpu/lanes.h"
#undef REAL_BITS

// The kernel math and the drawing of toys as scalar f64 functions for host code, in namespace
// nextstat::host: the bits of every device.
//
//   double y = nextstat::host::ns_log(x);
//
// Kernel headers are included in the middle, between the macros of the dialect (dialect.md) and their end.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/draw_layout.h"

namespace nextstat::host {

#define FN static inline
#define HERE
#define TABLE const
#define ROW
#define REAL_BITS 64
#define R(x) static_cast<double>(x)
#define U(x) static_cast<std::uint64_t>(x)
#define AS_BITS(x) std::bit_cast<std::uint64_t>(x)
#define FROM_BITS(u) std::bit_cast<double>(u)

using real = double;
using u64 = std::uint64_t;
using u32 = std::uint32_t;
using wide = std::uint64_t;
using scalar = double;

#include "kernels/counts.h"
#include "kernels/math.h"
//
#include "kernels/interpolation.h"
#include "kernels/normal.h"
#include "kernels/random.h"
//
#include "kernels/draw.h"
//
#include "kernels/factorial.h"

#undef FN
#undef HERE
#undef TABLE
#undef ROW
#undef REAL_BITS
#undef R
#undef U
#undef AS_BITS
#undef FROM_BITS

}  // namespace nextstat::host

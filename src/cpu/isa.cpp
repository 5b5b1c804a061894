// The kernel bodies in loops, for one instruction set. CMake compiles this file once per set with its flags
// and NEXTSTAT_ISA_SYMBOL / NEXTSTAT_ISA_NAME; it includes dialect headers only (see kernels.h for why).
#include "cpu/kernels.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace nextstat::cpu {
namespace {

// Lanes are as wide as this instruction set's registers: compilers split wider vectors badly. Tables and rows
// keep their slots of 8, which are walked in parts.
#if defined(__AVX512F__)
#define LANES_F64 8
#define LANES_F32 8
#elif defined(__AVX2__)
#define LANES_F64 4
#define LANES_F32 8
#else
#define LANES_F64 2
#define LANES_F32 4
#endif

typedef unsigned int u32;
typedef unsigned long offset;
// "u": with the alignment of one element, for loads and stores.
typedef double DoubleLanes __attribute__((vector_size(LANES_F64 * 8)));
typedef double DoubleLanesU __attribute__((vector_size(LANES_F64 * 8), aligned(8)));
typedef unsigned long long DoubleBits __attribute__((vector_size(LANES_F64 * 8)));
typedef float FloatLanes __attribute__((vector_size(LANES_F32 * 4)));
typedef float FloatLanesU __attribute__((vector_size(LANES_F32 * 4), aligned(4)));
typedef u32 FloatBits __attribute__((vector_size(LANES_F32 * 4)));

#define FN static inline __attribute__((always_inline))
// One value in all lanes; adding it to zeros instead would cost an addition and lose the sign of -0.
FN DoubleLanes splat(double x) {
#if LANES_F64 == 8
  return DoubleLanes{x, x, x, x, x, x, x, x};
#elif LANES_F64 == 4
  return DoubleLanes{x, x, x, x};
#else
  return DoubleLanes{x, x};
#endif
}
FN FloatLanes splat(float x) {
#if LANES_F32 == 8
  return FloatLanes{x, x, x, x, x, x, x, x};
#else
  return FloatLanes{x, x, x, x};
#endif
}
#define ROUTINE static
#define HERE
#define SCALAR_AT(p, i) ((p)[i])
#define LAYOUT const
#define TABLE const
#define ROW
#define R(x) splat(static_cast<scalar>(x))
#define U(x) (u64{} + static_cast<UnsignedOf>(x))
#define AS_BITS(x) ((u64)(x))
#define FROM_BITS(u) ((real)(u))

// --- lanes are rows: row[position * 8 + row]; tables are the same for all rows
// -----------------------------------------
#define TABLE_REAL(p, base, slot) splat((p)[(offset)(base) + (offset)(slot)*8 + lane])
#define TABLE_INDEX(p, base, slot) ((index)(p)[(offset)(base) + (offset)(slot)*8 + lane])
#define TRIPS(p, list, slice) ((p)[(list).length + (slice)*8 + lane])
#define SAME_INDEX(i) (i)
#define ROW_AT(p, i) (*(const Stored*)((p) + (offset)(i)*8))
#define ROW_SLOT(p, base, slot) (*(const Stored*)((p) + ((offset)(base) + (offset)(slot)*8 + lane) * 8))
#define ROW_STORE(p, base, slot, v) (*(Stored*)((p) + ((offset)(base) + (offset)(slot)*8 + lane) * 8) = (v))
#define STORE_TOTAL(p, i, v) (*(Stored*)((p) + (offset)(i)*8) = (v))
#define LANE_STEP 1
#define ROW_STEP (sizeof(real) / sizeof(scalar))

namespace batch_f64 {
typedef offset index;
#include "cpu/lanes_f64.h"
}  // namespace batch_f64
namespace batch_f32 {
typedef offset index;
#include "cpu/lanes_f32.h"
}  // namespace batch_f32

#undef TABLE_REAL
#undef TABLE_INDEX
#undef TRIPS
#undef SAME_INDEX
#undef ROW_AT
#undef ROW_SLOT
#undef ROW_STORE
#undef STORE_TOTAL
#undef LANE_STEP
#undef ROW_STEP

// --- lanes are indices of one row: row[position]; tables hold 8 owners side by side
// -------------------------------------
#define TABLE_REAL(p, base, slot) (*(const Stored*)((p) + (offset)(base) + (offset)(slot)*8 + lane))
#define TABLE_INDEX(p, base, slot) (index{(p) + (offset)(base) + (offset)(slot)*8 + lane, 0})
#define TRIPS(p, list, slice) ((p)[(list).begin + (slice) + 1] - (p)[(list).begin + (slice)])
#define SAME_INDEX(i) (Same{i})
#define ROW_AT(p, i) gather(p, i)
#define ROW_SLOT(p, base, slot) (*(const Stored*)((p) + (offset)(base) + (offset)(slot)*8 + lane))
#define ROW_STORE(p, base, slot, v) (*(Stored*)((p) + (offset)(base) + (offset)(slot)*8 + lane) = (v))
#define STORE_TOTAL(p, i, v) ((p)[i] = (v)[0])
#define LANE_STEP (sizeof(real) / sizeof(scalar))
#define ROW_STEP 8

// Indices stay in memory until they are used: loading them one by one is faster than taking a vector apart.
struct index {
  const u32* at;
  u32 add;
};
struct Same {
  u32 at;
};
FN index operator+(index i, u32 add) { return {i.at, i.add + add}; }

namespace single_f64 {
FN DoubleLanes gather(const double* p, index i) {
  p += i.add;
#if LANES_F64 == 8
  return DoubleLanes{p[i.at[0]], p[i.at[1]], p[i.at[2]], p[i.at[3]],
                     p[i.at[4]], p[i.at[5]], p[i.at[6]], p[i.at[7]]};
#elif LANES_F64 == 4
  return DoubleLanes{p[i.at[0]], p[i.at[1]], p[i.at[2]], p[i.at[3]]};
#else
  return DoubleLanes{p[i.at[0]], p[i.at[1]]};
#endif
}
FN DoubleLanes gather(const double* p, Same i) { return splat(p[i.at]); }
#define ONE_ROW
#include "cpu/lanes_f64.h"
#undef ONE_ROW
}  // namespace single_f64
namespace single_f32 {
FN FloatLanes gather(const float* p, index i) {
  p += i.add;
#if LANES_F32 == 8
  return FloatLanes{p[i.at[0]], p[i.at[1]], p[i.at[2]], p[i.at[3]],
                    p[i.at[4]], p[i.at[5]], p[i.at[6]], p[i.at[7]]};
#else
  return FloatLanes{p[i.at[0]], p[i.at[1]], p[i.at[2]], p[i.at[3]]};
#endif
}
FN FloatLanes gather(const float* p, Same i) { return splat(p[i.at]); }
#include "cpu/lanes_f32.h"
}  // namespace single_f32

}  // namespace

extern const Kernels NEXTSTAT_ISA_SYMBOL;
const Kernels NEXTSTAT_ISA_SYMBOL = {NEXTSTAT_ISA_NAME,
                                     {single_f64::evaluate, batch_f64::evaluate},
                                     {single_f32::evaluate, batch_f32::evaluate},
                                     single_f64::minimise};

}  // namespace nextstat::cpu

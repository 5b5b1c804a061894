// The kernel bodies in loops, for one instruction set. CMake compiles this file once per set with its flags and
// NEXTSTAT_ISA_SYMBOL / NEXTSTAT_ISA_NAME; it includes dialect headers only (see kernels.h for why).
#include "cpu/kernels.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace nextstat::cpu {
namespace {

// Lanes are as wide as this instruction set's registers: compilers split wider vectors badly. Tables and rows keep their
// slots of 8, which are walked in parts.
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
typedef unsigned long Offset;
// "u": with the alignment of one element, for loads and stores.
typedef double DoubleLanes __attribute__((vector_size(LANES_F64 * 8)));
typedef double DoubleLanesU __attribute__((vector_size(LANES_F64 * 8), aligned(8)));
typedef unsigned long long DoubleBits __attribute__((vector_size(LANES_F64 * 8)));
typedef u32 DoubleIndex __attribute__((vector_size(LANES_F64 * 4)));
typedef u32 DoubleIndexU __attribute__((vector_size(LANES_F64 * 4), aligned(4)));
typedef float FloatLanes __attribute__((vector_size(LANES_F32 * 4)));
typedef float FloatLanesU __attribute__((vector_size(LANES_F32 * 4), aligned(4)));
typedef u32 FloatBits __attribute__((vector_size(LANES_F32 * 4)));
typedef u32 FloatIndexU __attribute__((vector_size(LANES_F32 * 4), aligned(4)));

#define FN static inline __attribute__((always_inline))
#define LAYOUT const
#define TABLE const
#define ROW
#define R(x) (real{} + static_cast<scalar>(x))
#define U(x) (u64{} + static_cast<UnsignedOf>(x))
#define AS_BITS(x) ((u64)(x))
#define FROM_BITS(u) ((real)(u))

// --- lanes are rows: row[position * 8 + row]; tables are the same for all rows -----------------------------------------
#define TABLE_REAL(p, base, slot) (real{} + (p)[(base) + (slot)*8 + lane])
#define TABLE_INDEX(p, base, slot) ((p)[(base) + (slot)*8 + lane])
#define TRIPS(p, list, slice) ((p)[(list).length + (slice)*8 + lane])
#define SAME_INDEX(i) (i)
#define ROW_AT(p, i) (*(const Stored*)((p) + (Offset)(i)*8))
#define ROW_SLOT(p, base, slot) (*(const Stored*)((p) + (Offset)((base) + (slot)*8 + lane) * 8))
#define ROW_STORE(p, base, slot, v) (*(Stored*)((p) + (Offset)((base) + (slot)*8 + lane) * 8) = (v))
#define STORE_TOTAL(p, i, v) (*(Stored*)((p) + (Offset)(i)*8) = (v))
#define LANE_STEP 1
#define ROW_STEP (sizeof(real) / sizeof(scalar))

namespace batch_f64 {
typedef u32 index;
#include "cpu/lanes_f64.h"
}  // namespace batch_f64
namespace batch_f32 {
typedef u32 index;
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

// --- lanes are indices of one row: row[position]; tables hold 8 owners side by side -------------------------------------
#define TABLE_REAL(p, base, slot) (*(const Stored*)((p) + (Offset)(base) + (Offset)(slot)*8 + lane))
#define TABLE_INDEX(p, base, slot) (*(const StoredIndex*)((p) + (Offset)(base) + (Offset)(slot)*8 + lane))
#define TRIPS(p, list, slice) ((p)[(list).begin + (slice) + 1] - (p)[(list).begin + (slice)])
#define SAME_INDEX(i) (index{} + (i))
#define ROW_AT(p, i) gather(p, i)
#define ROW_SLOT(p, base, slot) (*(const Stored*)((p) + (Offset)(base) + (Offset)(slot)*8 + lane))
#define ROW_STORE(p, base, slot, v) (*(Stored*)((p) + (Offset)(base) + (Offset)(slot)*8 + lane) = (v))
#define STORE_TOTAL(p, i, v) ((p)[i] = (v)[0])
#define LANE_STEP (sizeof(real) / sizeof(scalar))
#define ROW_STEP 8

namespace single_f64 {
typedef DoubleIndex index;
FN DoubleLanes gather(const double* p, DoubleIndex i) {
#if LANES_F64 == 8
  return DoubleLanes{p[i[0]], p[i[1]], p[i[2]], p[i[3]], p[i[4]], p[i[5]], p[i[6]], p[i[7]]};
#elif LANES_F64 == 4
  return DoubleLanes{p[i[0]], p[i[1]], p[i[2]], p[i[3]]};
#else
  return DoubleLanes{p[i[0]], p[i[1]]};
#endif
}
#include "cpu/lanes_f64.h"
}  // namespace single_f64
namespace single_f32 {
typedef FloatBits index;
FN FloatLanes gather(const float* p, FloatBits i) {
#if LANES_F32 == 8
  return FloatLanes{p[i[0]], p[i[1]], p[i[2]], p[i[3]], p[i[4]], p[i[5]], p[i[6]], p[i[7]]};
#else
  return FloatLanes{p[i[0]], p[i[1]], p[i[2]], p[i[3]]};
#endif
}
#include "cpu/lanes_f32.h"
}  // namespace single_f32

}  // namespace

extern const Kernels NEXTSTAT_ISA_SYMBOL;
const Kernels NEXTSTAT_ISA_SYMBOL = {NEXTSTAT_ISA_NAME, {single_f64::evaluate, batch_f64::evaluate}, {single_f32::evaluate, batch_f32::evaluate}};

}  // namespace nextstat::cpu

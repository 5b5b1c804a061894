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
#if defined(NEXTSTAT_ONE_LANE)
#define LANES 1
#elif defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX2__)
#define LANES 4
#else
#define LANES 2
#endif

typedef unsigned int u32;
typedef unsigned long offset;
typedef double scalar;
#define REAL_BITS 64
#if defined(NEXTSTAT_ONE_LANE)
typedef double real, Stored;
typedef unsigned long long u64;
#else
typedef double real __attribute__((vector_size(LANES * 8)));
typedef unsigned long long u64 __attribute__((vector_size(LANES * 8)));
// In memory: with the alignment of one element.
typedef double Stored __attribute__((vector_size(LANES * 8), aligned(8)));
#endif

// Bodies are copied into their loops, except where sanitizers watch every access:
// that would take a compiler minutes.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NEXTSTAT_WATCHED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NEXTSTAT_WATCHED
#endif
#if defined(NEXTSTAT_WATCHED)
#define FN static
#else
#define FN static inline __attribute__((always_inline))
#endif
// One value in all lanes; adding it to zeros instead would cost an addition and lose the sign of -0.
FN real splat(double x) {
#if LANES == 8
  return real{x, x, x, x, x, x, x, x};
#elif LANES == 4
  return real{x, x, x, x};
#elif LANES == 2
  return real{x, x};
#else
  return x;
#endif
}
#define ROUTINE static
#define HERE
#define LAYOUT const
#define TABLE const
#define ROW
#define R(x) splat(static_cast<scalar>(x))
#define U(x) (u64{} + static_cast<unsigned long long>(x))
#define AS_BITS(x) __builtin_bit_cast(u64, x)
#define FROM_BITS(u) __builtin_bit_cast(real, u)
// One lane of a value.
#if defined(NEXTSTAT_ONE_LANE)
#define LANE_OF(v, i) (v)
#else
#define LANE_OF(v, i) ((v)[i])
#endif

// --- lanes are rows: row[position * 8 + row]; tables are the same for all rows -----------------------------
#define TABLE_REAL(p, base, slot) splat((p)[(offset)(base) + (offset)(slot)*8 + lane])
#define TABLE_INDEX(p, base, slot) ((index)(p)[(offset)(base) + (offset)(slot)*8 + lane])
#define TRIPS(p, list, slice) ((p)[(list).length + (slice)*8 + lane])
#define SAME_INDEX(i) (i)
#define ROW_AT(p, i) (*(const Stored*)((p) + (offset)(i)*8))
#define ROW_SLOT(p, base, slot) (*(const Stored*)((p) + ((offset)(base) + (offset)(slot)*8 + lane) * 8))
#define ROW_STORE(p, base, slot, v) (*(Stored*)((p) + ((offset)(base) + (offset)(slot)*8 + lane) * 8) = (v))
#define STORE_TOTAL(p, i, v) (*(Stored*)((p) + (offset)(i)*8) = (v))
#define ROW_UPDATE(p, flag, base, slot, v)                            \
  (*(Stored*)((p) + ((offset)(base) + (offset)(slot)*8 + lane) * 8) = \
       ROW_AT(p, flag) > R(0.0) ? (v) : ROW_SLOT(p, base, slot))
#define SCALAR_STEP 8
#define SCALAR_AT(p, i) ((p)[(offset)(i)*8])
#define LANE_STEP 1
#define ROW_STEP (sizeof(real) / sizeof(scalar))
#define ROWS_HERE ROW_STEP
#define SLICES_OF_4 1
#define LANES_OF_4 4
#define OWNER_SLICE(k) (slice)
#define OWNER_LANE(k) (lane + (k))

namespace batch {
typedef offset index;
#include "cpu/lanes.h"

static u32 running(const NsSolver* v, const double* row) {
  u32 count = 0;
  for (u32 r = 0; r < ROWS_HERE; ++r)
    count += SCALAR_AT(row + r, v->control + NS_C_STATUS) == (double)NS_RUNNING;
  return count;
}

// Groups of as many rows as a vector has lanes; each until one of its rows ends or the sweeps are spent.
static void minimize(const Minimization* at) {
  for (u32 group = 0; group < 8; group += ROWS_HERE) {
    NsRowWork work = work_of(at);
    work.model_row += group;
    work.row += group;
    const u32 rows = running(at->solver, work.row);
    for (u32 sweep = 0; rows > 0 && sweep < at->stop->sweeps_per_call; ++sweep) {
      ns_sweep(&work);
      if (running(at->solver, work.row) < rows) break;
    }
  }
}
}  // namespace batch

#undef TABLE_REAL
#undef TABLE_INDEX
#undef TRIPS
#undef SAME_INDEX
#undef ROW_AT
#undef ROW_SLOT
#undef ROW_STORE
#undef STORE_TOTAL
#undef ROW_UPDATE
#undef SCALAR_STEP
#undef SCALAR_AT
#undef LANE_STEP
#undef ROW_STEP
#undef ROWS_HERE
#undef SLICES_OF_4
#undef LANES_OF_4
#undef OWNER_SLICE
#undef OWNER_LANE
#undef EACH_ROW
#undef ONE
#undef ANY_ROW
#undef MOST_OF
#undef KEEP_PACE

// --- lanes are indices of one row: row[position]; tables hold 8 owners side by side ------------------------
#define TABLE_REAL(p, base, slot) (*(const Stored*)((p) + (offset)(base) + (offset)(slot)*8 + lane))
#define TABLE_INDEX(p, base, slot) (index{(p) + (offset)(base) + (offset)(slot)*8 + lane, 0})
#define TRIPS(p, list, slice) ((p)[(list).begin + (slice) + 1] - (p)[(list).begin + (slice)])
#define SAME_INDEX(i) (Same{i})
#define ROW_AT(p, i) gather(p, i)
#define ROW_SLOT(p, base, slot) (*(const Stored*)((p) + (offset)(base) + (offset)(slot)*8 + lane))
#define ROW_STORE(p, base, slot, v) (*(Stored*)((p) + (offset)(base) + (offset)(slot)*8 + lane) = (v))
#define STORE_TOTAL(p, i, v) ((p)[i] = LANE_OF(v, 0))
#define ROW_UPDATE(p, flag, base, slot, v) ROW_STORE(p, base, slot, v)
#define SCALAR_STEP 1
#define SCALAR_AT(p, i) ((p)[i])
#define LANE_STEP (sizeof(real) / sizeof(scalar))
#define ROW_STEP 8
#define ROWS_HERE 1u
#define SLICES_OF_4 4
#define LANES_OF_4 LANE_STEP
#define OWNER_SLICE(k) (slice + (k))
#define OWNER_LANE(k) (lane)

// Indices stay in memory until they are used: loading them one by one is faster than taking a vector apart.
struct index {
  const u32* at;
  u32 add;
};
struct Same {
  u32 at;
};
FN index operator+(index i, u32 add) { return {i.at, i.add + add}; }

namespace single {
FN real gather(const double* p, index i) {
  p += i.add;
#if LANES == 8
  return real{p[i.at[0]], p[i.at[1]], p[i.at[2]], p[i.at[3]], p[i.at[4]], p[i.at[5]], p[i.at[6]], p[i.at[7]]};
#elif LANES == 4
  return real{p[i.at[0]], p[i.at[1]], p[i.at[2]], p[i.at[3]]};
#elif LANES == 2
  return real{p[i.at[0]], p[i.at[1]]};
#else
  return p[i.at[0]];
#endif
}
FN real gather(const double* p, Same i) { return splat(p[i.at]); }
#include "cpu/lanes.h"

static void minimize(const Minimization* at) {
  NsRowWork work = work_of(at);
  ns_minimize_row(&work);
}
static void hold(const Minimization* at) {
  NsRowWork work = work_of(at);
  ns_make_held_columns(&work);
}
}  // namespace single
}  // namespace

extern const Kernels NEXTSTAT_ISA_SYMBOL;
const Kernels NEXTSTAT_ISA_SYMBOL = {NEXTSTAT_ISA_NAME,
                                     {single::evaluate, batch::evaluate},
                                     {single::minimize, batch::minimize, single::hold}};

}  // namespace nextstat::cpu

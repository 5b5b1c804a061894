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
namespace batch {
typedef offset index;
typedef scalar* NsRow;
typedef const u32* NsIndices;
// Owners that a phase has at once; rows that run side by side, of how many; which four owners metric_by_four.h takes.
enum : u32 {
  NS_LANE_STEP = 1,
  NS_ROWS = LANES,
  NS_ALL_ROWS = 8,
  NS_FOUR_SLICES = 1,
  NS_FOUR_LANES = 4,
  NS_FOUR_STEP = 1
};

FN real ns_table(const scalar* reals, offset at) { return splat(reals[at]); }
FN index ns_index(NsIndices indices, offset at) { return indices[at]; }
FN offset ns_list_size(NsIndices indices, const NsList* list, offset place) {
  return indices[list->length + place];
}
FN real ns_get(const scalar* row, offset at) { return *(const Stored*)(row + at * 8); }
FN real ns_at(const scalar* row, index i) { return ns_get(row, i); }
FN real ns_same(const scalar* row, u32 i) { return ns_get(row, i); }
FN void ns_put(NsRow row, offset at, real x) { *(Stored*)(row + at * 8) = x; }
FN void ns_put_same(NsRow row, u32 i, real x) { ns_put(row, i, x); }
FN void ns_update(NsRow row, u32 flag, offset at, real x) {
  ns_put(row, at, ns_get(row, flag) > R(0.0) ? x : ns_get(row, at));
}
FN scalar* ns_scalar(NsRow row, offset at) { return row + at * 8; }
FN NsRow ns_one(NsRow row, u32 r) { return row + r; }
#include "cpu/lanes.h"

static u32 running(const NsSolver* v, NsRow rows) {
  u32 count = 0;
  FOR_ROWS (r) count += *ns_control(v, ns_one(rows, r), NS_C_STATUS) == (double)NS_RUNNING;
  return count;
}

// Groups of as many rows as a vector has lanes; each until one of its rows ends or the sweeps are spent.
static void minimize(const Minimization* at) {
  for (u32 group = 0; group < NS_ALL_ROWS; group += NS_ROWS) {
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

// --- lanes are indices of one row: row[position]; tables hold 8 owners side by side ------------------------
// Indices stay in memory until they are used: loading them one by one is faster than taking a vector apart.
struct index {
  const u32* at;
  u32 add;
};
FN index operator+(index i, u32 add) { return {i.at, i.add + add}; }

namespace single {
typedef scalar* NsRow;
typedef const u32* NsIndices;
enum : u32 {
  NS_LANE_STEP = LANES,
  NS_ROWS = 1,
  NS_ALL_ROWS = 1,
  NS_FOUR_SLICES = 4,
  NS_FOUR_LANES = LANES,
  NS_FOUR_STEP = 8
};

FN real ns_at(const double* p, index i) {
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
FN real ns_table(const scalar* reals, offset at) { return *(const Stored*)(reals + at); }
FN index ns_index(NsIndices indices, offset at) { return {indices + at, 0}; }
FN offset ns_list_size(NsIndices indices, const NsList* list, offset place) {
  return indices[list->begin + place / 8 + 1] - indices[list->begin + place / 8];
}
FN real ns_same(const scalar* row, u32 i) { return splat(row[i]); }
FN real ns_get(const scalar* row, offset at) { return *(const Stored*)(row + at); }
FN void ns_put(NsRow row, offset at, real x) { *(Stored*)(row + at) = x; }
FN void ns_put_same(NsRow row, u32 i, real x) { row[i] = LANE_OF(x, 0); }
FN void ns_update(NsRow row, u32, offset at, real x) { ns_put(row, at, x); }
FN scalar* ns_scalar(NsRow row, offset at) { return row + at; }
FN NsRow ns_one(NsRow row, u32) { return row; }
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

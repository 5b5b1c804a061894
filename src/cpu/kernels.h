// The kernels of one instruction set: what a file compiled for it offers. No C++ library types here: files
// built for a newer instruction set must not instantiate inline functions that the rest of the program could
// be linked against.
#pragma once

#include "kernels/layout.h"

namespace nextstat::cpu {

constexpr unsigned kRowsSideBySide = 8;

template <class Scalar>
struct Evaluator {
  // Evaluates one row: lanes run over indices. row: layout->row_size values.
  void (*single)(const NsLayout* layout, const Scalar* reals, const unsigned* indices, Scalar* row,
                 bool gradient);
  // Evaluates 8 rows: lanes run over rows. rows: layout->row_size x 8 values, [position][row].
  void (*batch)(const NsLayout* layout, const Scalar* reals, const unsigned* indices, Scalar* rows,
                bool gradient);
};

struct Kernels {
  const char* name;  // "x86-64-v3"
  Evaluator<double> f64;
  Evaluator<float> f32;
};

// Defined in one object file per instruction set.
#if defined(__x86_64__)
extern const Kernels kKernelsV2, kKernelsV3, kKernelsV4;
#else
extern const Kernels kKernelsBaseline;
#endif

}  // namespace nextstat::cpu

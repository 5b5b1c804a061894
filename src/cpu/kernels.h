// The kernels of one instruction set: what a file compiled for it offers. No C++ library types here: files
// built for a newer instruction set must not instantiate inline functions that the rest of the program could
// be linked against.
#pragma once

#include "kernels/layout.h"
#include "kernels/solver_layout.h"

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

// One row's minimisation: the model, the metric, and both states of the row.
struct Minimisation {
  const NsLayout* layout;
  const NsSolver* solver;
  const NsStop* stop;
  const double* reals;
  const unsigned* indices;
  const double* metric;
  double* model_row;
  double* row;  // trial = start, low and high filled in
};

struct Kernels {
  const char* name;  // "x86-64-v3"
  Evaluator<double> f64;
  Evaluator<float> f32;
  void (*minimise)(const Minimisation*);  // lanes run over indices
};

// Defined in one object file per instruction set.
#if defined(__x86_64__)
extern const Kernels kKernelsV2, kKernelsV3, kKernelsV4;
#else
extern const Kernels kKernelsBaseline;
#endif

}  // namespace nextstat::cpu

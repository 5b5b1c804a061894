// The kernels of one instruction set: what a file compiled for it offers.
// No C++ library types here: a file built for a newer instruction set must not instantiate inline functions
// that the linker could pick for the rest of the program.
#pragma once

#include "kernels/layout.h"
#include "kernels/solver_layout.h"

namespace nextstat::cpu {

constexpr unsigned kRowsSideBySide = 8;

struct Evaluator {
  // Evaluates one row: lanes run over indices. row: layout->row_size values.
  void (*single)(const NsLayout* layout, const double* reals, const unsigned* indices, double* row,
                 bool gradient);
  // Evaluates 8 rows: lanes run over rows. rows: layout->row_size x 8 values, [position][row].
  void (*batch)(const NsLayout* layout, const double* reals, const unsigned* indices, double* rows,
                bool gradient);
};

// A minimization of one row, or of 8 side by side ([position][row]): the model, the metric, both states.
struct Minimization {
  const NsLayout* layout;
  const NsSolver* solver;
  const NsStop* stop;
  const double* reals;
  const unsigned* indices;
  const double* metric;
  double* model_row;
  double* row;  // x = start as in model_row, low and high filled in
};

struct Minimizer {
  // Lanes run over indices of one row.
  void (*single)(const Minimization*);
  // Lanes run over 8 rows. Rows come with the columns of the parameters that they hold; a row that takes a
  // place keeps the NS_C_NEWEST that stands there. Ended rows stay as they are.
  void (*batch)(const Minimization*);
  // Makes the columns of P^-1 of the parameters that a single row holds.
  void (*hold)(const Minimization*);
};

struct Kernels {
  const char* name;  // "x86-64-v3"
  Evaluator evaluator;
  Minimizer minimizer;
};

// Defined in one object file per instruction set.
extern const Kernels kKernelsScalar;
#if defined(__x86_64__)
extern const Kernels kKernelsV2, kKernelsV3, kKernelsV4;
#else
extern const Kernels kKernelsBaseline;
#endif

}  // namespace nextstat::cpu

// The entry points of entry.cu, compiled as C++ in f64 (cuda_kernels.cpp).
#pragma once

#include <cstdint>

#include "kernels/draw_layout.h"
#include "kernels/layout.h"
#include "kernels/solver_layout.h"

extern "C" {
#define NS_EVALUATE(name)                                                                                    \
  void name(NsLayout m, const double* reals, const unsigned* indices, const double* parameters,              \
            const double* data, const unsigned* data_of_row, double* scratch, double* nll, double* gradient, \
            double* rates, double* terms, unsigned rows, unsigned wanted);
#define NS_MINIMIZE(name)                                                                                \
  void name(NsLayout m, NsSolver v, NsStop stop, const double* reals, const unsigned* indices,           \
            const double* metric, const double* data, const double* starts, const double* bounds,        \
            const unsigned* held, const unsigned* rows, double* scratch, unsigned* next, double* points, \
            double* figures, unsigned count, unsigned near_size);
NS_EVALUATE(evaluate_0)
NS_EVALUATE(evaluate_1)
NS_EVALUATE(evaluate_2)
NS_MINIMIZE(minimize_0)
NS_MINIMIZE(minimize_1)
NS_MINIMIZE(minimize_2)
NS_MINIMIZE(minimize_shared)
#undef NS_EVALUATE
#undef NS_MINIMIZE
void draw(const NsDatum* data, const double* reals, const unsigned long long* thresholds,
          const unsigned* guide, double* values, unsigned n_data, unsigned long long seed,
          unsigned hypothesis, unsigned long long first, unsigned count);
void constants(double* values, unsigned n_data, const unsigned* places, unsigned n_counts,
               const double* normals, unsigned n_normals, const double* known, unsigned count);
}

// Constants of the interpolation codes (kernels/interpolation.h), made once when a model is compiled.
#pragma once

#include "model/compile/compiled_model.h"

namespace nextstat {

// normsys, code4: the polynomial 1 + sum_i c_i a^i that meets hi^a and lo^(-a) at a = +-1 in value, slope and
// curvature; code1 uses the logarithms only. Needs low > 0 and high > 0.
void set_norm_coefficients(CompiledModel::Norm& norm, double low, double high);

// normsys with low <= 0 or high <= 0: straight lines through (-1, low), (0, 1), (1, high).
inline void set_linear_coefficients(CompiledModel::Linear& linear, double low, double high) {
  linear.odd = ((high - 1) + (1 - low)) / 2;
  linear.even = ((high - 1) - (1 - low)) / 2;
}

// histosys: delta(a) = a S + t(a) A
//   S = (up + down) / 2,  A = (up - down) / 16,  up = hi - nominal,  down = nominal - lo
inline void set_shift_coefficients(CompiledModel::Shift& shift, double up, double down) {
  shift.odd = (up + down) / 2;
  shift.even = (up - down) / 16;
}

}  // namespace nextstat

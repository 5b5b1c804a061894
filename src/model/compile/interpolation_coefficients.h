// Constants of the interpolation codes (kernels/interpolation.h), made once when a model is compiled.
#pragma once

#include "kernels/host.h"
#include "model/compile/compiled_model.h"

namespace nextstat {

// normsys, code4: the polynomial 1 + sum_i c_i a^i that meets hi^a and lo^(-a) at a = +-1 in value, slope and
// curvature; code1 uses the logarithms only. Needs low > 0 and high > 0.
inline void set_norm_coefficients(CompiledModel::Norm& norm, double low, double high) {
  norm.high = high;
  norm.low = low;
  norm.log_high = host::ns_log(high);
  norm.log_low = host::ns_log(low);
  // c = M b / 16 with b = (hi - 1, lo - 1, hi ln hi, -lo ln lo, hi ln^2 hi, lo ln^2 lo)
  static constexpr double kRows[6][6] = {{15, -15, -7, -7, 1, -1}, {24, 24, -9, 9, 1, 1},
                                         {-10, 10, 10, 10, -2, 2}, {-24, -24, 14, -14, -2, -2},
                                         {3, -3, -3, -3, 1, -1},   {8, 8, -5, 5, 1, 1}};
  const double b[6] = {high - 1,
                       low - 1,
                       high * norm.log_high,
                       -(low * norm.log_low),
                       high * norm.log_high * norm.log_high,
                       low * norm.log_low * norm.log_low};
  for (int i = 0; i < 6; ++i) {
    double sum = 0;
    for (int j = 0; j < 6; ++j) sum += kRows[i][j] * b[j];
    norm.coefficients[i] = sum / 16;
  }
}

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

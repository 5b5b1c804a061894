// Constants of the interpolation codes (kernels/interpolation.h), made once when a model is compiled.
#pragma once

#include <cmath>
#include <cstring>

#include "kernels/host.h"
#include "model/compile/compiled_model.h"

namespace nextstat {

// The logarithms of both factors, with the bits of ns_log. Without its cases, which normal numbers do not need, compilers
// take both at once.
inline void set_norm_logarithms(CompiledModel::Norm& norm) {
  const double x[2] = {norm.high, norm.low};
  double logs[2];
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t moved = host::ns_moved_bits(x[i]);
    logs[i] = host::ns_log_of_parts(host::ns_exponent(host::ns_biased_exponent(moved)),
                                    host::ns_mantissa(moved) - 1.0);
  }
  norm.log_high = logs[0], norm.log_low = logs[1];
  if (!std::isnormal(norm.high) || !std::isnormal(norm.low)) [[unlikely]]
    norm.log_high = host::ns_log(norm.high), norm.log_low = host::ns_log(norm.low);
}

// normsys, code4: the polynomial 1 + sum_i c_i a^i that meets hi^a and lo^(-a) at a = +-1 in value, slope and
// curvature; code1 uses the logarithms only. Needs low > 0 and high > 0.
inline void set_norm_polynomial(CompiledModel::Norm& norm) {
  const double high = norm.high, low = norm.low, log_high = norm.log_high, log_low = norm.log_low;
  // c = M b / 16 with b = (hi - 1, lo - 1, hi ln hi, -lo ln lo, hi ln^2 hi, lo ln^2 lo), two rows of M at once
  static constexpr double kRows[6][6] = {{15, -15, -7, -7, 1, -1}, {24, 24, -9, 9, 1, 1},
                                         {-10, 10, 10, 10, -2, 2}, {-24, -24, 14, -14, -2, -2},
                                         {3, -3, -3, -3, 1, -1},   {8, 8, -5, 5, 1, 1}};
  const double up = high * log_high, down = low * log_low;
  const double b[6] = {high - 1, low - 1, up, -down, up * log_high, down * log_low};
  using Pair [[gnu::vector_size(16)]] = double;
  for (int i = 0; i < 6; i += 2) {
    Pair sum = {};
    for (int j = 0; j < 6; ++j) sum += Pair{kRows[i][j], kRows[i + 1][j]} * b[j];
    sum /= 16;
    std::memcpy(&norm.coefficients[i], &sum, sizeof sum);
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

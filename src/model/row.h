// One row's state (kernels/layout.h), for every device: how inputs are written and the NLL is read.
//
//   fill_data(layout, data, row, 1, 0);  fill_parameters(layout, parameters, row, 1, 0);
//   ... kernels ...
//   double nll = row_nll(layout, row, 1, 0) + data.constant;
//
// Position p of the row in lane l stands at row[p * stride + l]: stride 1 for a single row, 8 for rows side
// by side. A row starts as zeros.
#pragma once

#include <cstddef>
#include <type_traits>

#include "kernels/layout.h"
#include "model/dataset.h"

namespace nextstat {

// 1 / n of a count as kernels see it; 0 where n is as good as zero.
template <class Scalar>
Scalar inverse_of(double count, double inverse) {
  if constexpr (std::is_same_v<Scalar, double>) {
    return inverse;
  } else {
    const Scalar n = static_cast<Scalar>(count);
    return inverse != 0 && n > 0 ? 1 / n : Scalar{0};
  }
}

// Writes the constants and one row's data.
template <class Scalar>
void fill_data(const NsLayout& layout, const Dataset& data, Scalar* row, std::size_t stride,
               std::size_t lane) {
  row[stride + lane] = 1;
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    const std::size_t place = i < layout.n_bins ? i : i + layout.auxiliary_gap;
    row[(layout.data + place) * stride + lane] = static_cast<Scalar>(data.values[i]);
    row[(layout.inverse_data + place) * stride + lane] = inverse_of<Scalar>(data.values[i], data.inverse[i]);
  }
}

template <class Scalar>
void fill_parameters(const NsLayout& layout, const double* parameters, Scalar* row, std::size_t stride,
                     std::size_t lane) {
  for (std::size_t i = 0; i < layout.n_parameters; ++i)
    row[(layout.x + i) * stride + lane] = static_cast<Scalar>(parameters[i]);
}

// The NLL without its constant. f64: the kernels' own sum. f32: the terms are f32, their sum is made in f64.
template <class Scalar>
double row_nll(const NsLayout& layout, const Scalar* row, std::size_t stride, std::size_t lane) {
  if constexpr (std::is_same_v<Scalar, double>) {
    return row[layout.nll * stride + lane];
  } else {
    double sum = 0;
    for (std::size_t i = 0; i < layout.term_slices * 8; ++i)
      sum += static_cast<double>(row[(layout.term + i) * stride + lane]);
    return sum;
  }
}

}  // namespace nextstat

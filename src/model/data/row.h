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

#include "kernels/layout.h"
#include "model/data/dataset.h"

namespace nextstat {

// Writes the constants and one row's data.
inline void fill_data(const NsLayout& layout, const Dataset& data, double* row, std::size_t stride,
                      std::size_t lane) {
  row[stride + lane] = 1;
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    const std::size_t place = i < layout.n_bins ? i : i + layout.auxiliary_gap;
    row[(layout.data + place) * stride + lane] = data.values[i];
    row[(layout.inverse_data + place) * stride + lane] = data.inverse[i];
  }
}

inline void fill_parameters(const NsLayout& layout, const double* parameters, double* row, std::size_t stride,
                            std::size_t lane) {
  for (std::size_t i = 0; i < layout.n_parameters; ++i) row[(layout.x + i) * stride + lane] = parameters[i];
}

// The NLL without its constant.
inline double row_nll(const NsLayout& layout, const double* row, std::size_t stride, std::size_t lane) {
  return row[layout.nll * stride + lane];
}

}  // namespace nextstat

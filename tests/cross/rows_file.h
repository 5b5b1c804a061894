// A compiled model and 8 rows as one binary file, for programs that link the kernels and nothing else.
//
//   header | layout | indices | reals | rows        rows: [row][position]
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cpu/kernels.h"

namespace nextstat::cross {

constexpr std::uint32_t kRows = cpu::kRowsSideBySide;

struct Header {
  std::uint32_t layout_bytes, n_indices, n_reals, row_size;
};

// Memory that starts on a cache line.
template <class T>
T* allocate(std::size_t count) {
  return static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 127) / 64 * 64));
}

inline void write(std::FILE* file, const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, file) != bytes) std::abort();
}

template <class T>
T* read(std::FILE* file, std::size_t count) {
  T* data = allocate<T>(count);
  if (std::fread(data, sizeof(T), count, file) != count) std::abort();
  return data;
}

// Evaluates all rows one by one, then side by side, and writes NLL, terms and gradient of each, in bytes.
inline void evaluate(const NsLayout& layout, const cpu::Evaluator& evaluator, const unsigned* indices,
                     const double* reals, const double* rows, std::FILE* results) {
  double* single = allocate<double>(layout.row_size);
  double* batch = allocate<double>(layout.row_size * kRows);
  const auto report = [&](const double* row, std::size_t stride, std::size_t lane) {
    const auto put = [&](std::size_t begin, std::size_t count) {
      for (std::size_t i = begin; i < begin + count; ++i)
        write(results, row + i * stride + lane, sizeof(double));
    };
    put(layout.nll, 1);
    put(layout.term, layout.term_slices * 8);
    put(layout.gradient, layout.n_parameters);
  };
  for (std::size_t row = 0; row < kRows; ++row) {
    std::memcpy(single, rows + row * layout.row_size, layout.row_size * sizeof(double));
    for (std::size_t i = 0; i < layout.row_size; ++i) batch[i * kRows + row] = single[i];
    evaluator.single(&layout, reals, indices, single, true);
    report(single, 1, 0);
  }
  evaluator.batch(&layout, reals, indices, batch, true);
  for (std::size_t row = 0; row < kRows; ++row) report(batch, kRows, row);
  std::free(single);
  std::free(batch);
}

}  // namespace nextstat::cross

// How many rows a block works on and with how many threads, from what a multiprocessor can hold.
#pragma once

#include <cstddef>
#include <functional>

#include "gpu/queue.h"
#include "kernels/layout.h"
#include "kernels/solver_layout.h"

namespace nextstat::cuda {

// What a kernel keeps of one row: near in shared memory where that is large enough, far in device memory.
struct RowState {
  std::size_t near_reals, far_reals;
  std::size_t block_bytes;  // of shared memory besides the rows
  bool may_be_all_shared;   // whether there is a kernel that keeps far values in shared memory too
};

constexpr std::size_t kAllShared = 3;

struct Multiprocessors {
  std::size_t count;
  std::size_t shared_bytes;  // that a block may have
  // How many blocks of `rows` rows and `threads` threads one multiprocessor holds.
  // rows = kAllShared: one row, all of it in shared memory.
  std::function<std::size_t(std::size_t rows, std::size_t threads, std::size_t shared_bytes)> blocks;
};

// near_bytes = 0: the row is too large for shared memory and stands in device memory; scratch_bytes = 0: all
// of it stands in shared memory.
gpu::Shape choose_shape(const RowState& row, const Multiprocessors& device, std::size_t rows);

// Where the near values of a row's evaluation and of its minimization stand together. What lives within an
// evaluation and what lives outside of one share places: a row takes less of a multiprocessor's memory.

struct NearLayout {
  NsSolver solver;         // its near positions count in the common array
  unsigned int near_size;  // of that array
};

NearLayout share_near(const NsLayout& model, const NsSolver& solver);

}  // namespace nextstat::cuda

#include "cuda/block_shape.h"

#include <algorithm>

namespace nextstat::cuda {
namespace {

constexpr std::size_t kFewThreads = 256, kManyThreads = 512;

gpu::Shape shape_of(const RowState& row, std::size_t rows_per_block, std::size_t threads,
                    std::size_t most_blocks, std::size_t rows) {
  gpu::Shape shape;
  shape.rows_per_group = static_cast<std::uint32_t>(rows_per_block);
  shape.threads = static_cast<std::uint32_t>(threads);
  shape.groups = static_cast<std::uint32_t>(std::clamp<std::size_t>(
      (rows + rows_per_block - 1) / rows_per_block, 1, std::max<std::size_t>(1, most_blocks)));
  shape.near_bytes = row.block_bytes + rows_per_block * row.near_reals * sizeof(double);
  shape.scratch_bytes = shape.groups * rows_per_block * row.far_reals * sizeof(double);
  return shape;
}

}  // namespace

// While every row has a multiprocessor's threads for itself, a row alone is fastest; then more rows with
// fewer threads each; and when there are more rows than places, two share what a block loads.
gpu::Shape choose_shape(const RowState& row, const Multiprocessors& device, std::size_t rows) {
  const auto bytes = [&](std::size_t together) {
    return row.block_bytes + together * row.near_reals * sizeof(double);
  };
  const auto places = [&](std::size_t together, std::size_t threads) {
    return bytes(together) > device.shared_bytes
               ? 0
               : device.count * device.blocks(together, threads, bytes(together));
  };
  const std::size_t alone = places(1, kManyThreads), side_by_side = places(1, kFewThreads),
                    pairs = places(2, kFewThreads);
  if (alone == 0 && side_by_side == 0) {
    gpu::Shape shape = shape_of(row, 1, kManyThreads, 2 * device.count, rows);
    shape.near_bytes = 0;
    shape.scratch_bytes += shape.groups * row.near_reals * sizeof(double);
    return shape;
  }
  const std::size_t all_bytes = bytes(1) + row.far_reals * sizeof(double);
  if (row.may_be_all_shared && all_bytes <= device.shared_bytes) {
    const std::size_t inside = device.count * device.blocks(kAllShared, kManyThreads, all_bytes);
    if (rows <= inside) {
      gpu::Shape shape = shape_of(row, 1, kManyThreads, inside, rows);
      shape.near_bytes = all_bytes;
      shape.scratch_bytes = 0;
      return shape;
    }
  }
  if (rows <= alone) return shape_of(row, 1, kManyThreads, alone, rows);
  if (rows <= side_by_side || 2 * pairs < side_by_side)
    return shape_of(row, 1, kFewThreads, side_by_side, rows);
  return shape_of(row, 2, kFewThreads, pairs, rows);
}

NearLayout share_near(const NsLayout& model, const NsSolver& solver) {
  const unsigned kept = std::max(model.near_size, model.passing + solver.kept);
  NearLayout near{solver, kept + solver.near_size - solver.kept};
  NsSolver& v = near.solver;
  for (unsigned* place : {&v.trial_gradient, &v.product, &v.partial}) *place += model.passing;
  for (unsigned* place : {&v.held_index, &v.held_share, &v.sums, &v.dots, &v.gram_sy, &v.gram_yp, &v.alpha,
                          &v.beta, &v.used, &v.control})
    *place += kept - solver.kept;
  return near;
}

}  // namespace nextstat::cuda

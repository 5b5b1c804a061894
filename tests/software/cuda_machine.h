// The CUDA kernels on the CPU: entry.cu compiled as C++, every thread of a block a fiber. Barriers and
// shuffles are real, so what runs here is the code that a GPU runs, at the speed of a toy.
//
//   run_kernel({.blocks = 4, .threads = 64}, [&] { minimize_1(layout, ...); });
//
// A barrier that some threads do not reach, or a shuffle that a warp does not take part in, throws.
#pragma once

#include <cstddef>
#include <functional>

namespace nextstat::software {

struct Launch {
  unsigned blocks = 1, blocks_y = 1;
  unsigned threads = 32;  // of a block, a multiple of 32 where warps shuffle
};

// Runs a kernel, block after block.
void run_kernel(const Launch& launch, const std::function<void()>& kernel);

}  // namespace nextstat::software

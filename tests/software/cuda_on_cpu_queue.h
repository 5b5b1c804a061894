// A queue that runs the CUDA kernels on the CPU (cuda_machine.h): everything of the CUDA path but the driver.
#pragma once

#include <memory>

#include "gpu/queue.h"

namespace nextstat::software {

struct CudaOptions {
  std::size_t multiprocessors = 2;
  std::size_t shared_bytes = 230000;  // that a block may have; it decides which kernels run
  std::size_t blocks = 1;             // of a multiprocessor
  unsigned threads = 64;              // of a block, whatever the shape says
};

// launched: the names of the kernels that ran.
std::unique_ptr<gpu::Queue> make_cuda_queue(const CudaOptions& options,
                                            std::shared_ptr<std::vector<std::string>> launched);

}  // namespace nextstat::software

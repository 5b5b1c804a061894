// Kernels of an entry file as functions of this processor.
#pragma once

#include <cstddef>
#include <span>

#include "gpu/queue.h"

namespace nextstat::gpu {

// One argument as a kernel sees it: a pointer to memory, or a number.
struct KernelArgument {
  void* memory = nullptr;
  std::uint64_t number = 0;
};

// Runs one work-item of a kernel. A language whose threads wait for each other would run a whole group here.
using KernelFunction = void (*)(Kernel kernel, std::size_t item, std::size_t items,
                                std::span<const KernelArgument> arguments);

// entry.cl, one work-item at a time.
void run_opencl_64(Kernel kernel, std::size_t item, std::size_t items,
                   std::span<const KernelArgument> arguments);
void run_opencl_32(Kernel kernel, std::size_t item, std::size_t items,
                   std::span<const KernelArgument> arguments);

}  // namespace nextstat::gpu

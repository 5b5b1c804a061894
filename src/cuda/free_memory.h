// Free memory of an NVIDIA device.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/cuda_driver.h"

namespace nextstat::cuda {

// From the management library, which needs no context on the device: to make one takes a tenth of a second or more.
// Where that library is missing or does not know the device, from a context; empty where there is none to be had.
std::optional<std::uint64_t> free_memory(const Driver& driver, CUdevice device, std::uint64_t total_memory);

}  // namespace nextstat::cuda

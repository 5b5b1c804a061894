// A gpu::Queue on an OpenCL device: one work-item works on one row at a time.
#pragma once

#include <memory>

#include "gpu/queue.h"
#include "opencl/opencl_program.h"

namespace nextstat::opencl {

// real_bits: 64 where the device has doubles, or 32. The cache folder may be "".
Result<std::unique_ptr<gpu::Queue>> make_queue(std::shared_ptr<const Loader> loader, const Device& device,
                                               unsigned real_bits, const std::string& cache_folder);

}  // namespace nextstat::opencl

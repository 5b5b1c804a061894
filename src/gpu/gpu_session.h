// A model on one GPU or several. The model is uploaded once; data, starts and bounds follow with each call,
// results come back in the rows' own order. Everything here is written against gpu::Queue.
//
//   Result<std::unique_ptr<DeviceSession>> session = gpu::make_session(model, std::move(queues), {.threads = 0});
//
// Same semantics and, in f64, same bits as the CPU's session. Calls may come from several threads, which work side by
// side where queues do on the device, else they take turns. On a device of f32 everything is converted at the boundary,
// the NLL is summed in f64 on the host, and minimizations stop at a scaled gradient of 1e-3.
#pragma once

#include <nextstat/model.h>

#include <memory>
#include <vector>

#include "device/backend.h"
#include "gpu/queue.h"

namespace nextstat::gpu {

// All queues have the same precision.
Result<std::unique_ptr<DeviceSession>> make_session(const Model& model,
                                                    std::vector<std::unique_ptr<Queue>> queues,
                                                    const DeviceSessionOptions& options);

}  // namespace nextstat::gpu

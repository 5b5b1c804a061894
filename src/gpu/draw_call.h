// Toys drawn on every device of a session, where they stay for a while.
#pragma once

#include "gpu/device_model.h"

namespace nextstat::gpu {

// f64 only. On the host where the devices lack the memory.
Result<DrawnToys> draw_on_devices(DeviceModel& bound, const ToyDraw& draw);

}  // namespace nextstat::gpu

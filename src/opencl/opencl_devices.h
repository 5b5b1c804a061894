// The OpenCL devices of this machine, over all platforms, in their order.
#pragma once

#include <nextstat/backends.h>

#include <vector>

#include "opencl/opencl_loader.h"

namespace nextstat::opencl {

struct Device {
  cl_device_id id;
  DeviceInfo info;
  std::string identity;  // platform, device and driver with their versions: what a program is built for
  std::size_t compute_units = 1;
  std::size_t largest_buffer = 0;
  bool rounds_f32 = false;  // divisions and square roots in f32 can be asked to be exact
};

struct Found {
  std::vector<Device> devices = {};
  std::optional<Absent> absent = {};  // set exactly where there are none
};

// Devices that can build and run kernels.
Found find_devices(const Loader& cl);

}  // namespace nextstat::opencl

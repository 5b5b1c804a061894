// Every device that the conformance suite runs on, in each precision that it has: the software queue, what
// the registry finds, and OpenCL devices in f32 too.
//
//   for (const TestDevice& device : test_devices()) { auto session = device.open(model, {}).value(); ... }
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "device/backend.h"

namespace nextstat::conformance {

struct TestDevice {
  std::string name;  // "opencl_0_f32"
  bool f64 = true;
  std::function<Result<std::unique_ptr<DeviceSession>>(const Model&, const DeviceSessionOptions&)> open = {};
  bool slow = false;  // a processor standing in for a device
};
void PrintTo(const TestDevice& device, std::ostream* out);

const std::vector<TestDevice>& test_devices();

// One line of device_tolerances.json.
struct Tolerance {
  bool bits = false;
  double absolute = 0, relative = 0;
};
Tolerance device_tolerance(const std::string& precision, const std::string& what);

// The number itself where bits are promised; else within absolute + relative |expected| + more.
bool is_within(const Tolerance& tolerance, double found, double expected, double more = 0);

}  // namespace nextstat::conformance

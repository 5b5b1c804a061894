#include "conformance/devices.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "device/registry.h"
#include "gpu/gpu_session.h"
#include "gpu/software_queue.h"
#include "opencl/opencl_backend.h"
#include "same_bits.h"

namespace nextstat::conformance {
namespace {

TestDevice software(unsigned real_bits) {
  TestDevice device{fmt::format("software_0_f{}", real_bits), real_bits == 64, {}, true};
  device.open = [real_bits](const Model& model, const DeviceSessionOptions& options) {
    std::vector<std::unique_ptr<gpu::Queue>> queues;
    queues.push_back(gpu::make_software_queue({.real_bits = real_bits}));
    return gpu::make_session(model, std::move(queues), options);
  };
  return device;
}

TestDevice registered(const Backend& backend, const DeviceInfo& info) {
  const bool f64 = info.fp64 != Fp64::None;
  TestDevice device{fmt::format("{}_{}_{}", to_string(backend.type()), info.index, f64 ? "f64" : "f32"),
                    f64,
                    {},
                    info.kind == DeviceKind::Cpu};
  device.open = [&backend, index = info.index](const Model& model, const DeviceSessionOptions& options) {
    return backend.open(model, {index}, options);
  };
  return device;
}

TestDevice opencl_f32(const DeviceInfo& info) {
  TestDevice device{fmt::format("opencl_{}_f32", info.index), false, {}, info.kind == DeviceKind::Cpu};
  device.open = [index = info.index](const Model& model, const DeviceSessionOptions& options) {
    return opencl::make_opencl_session(model, {index}, options, {.bits = opencl::Bits::F32});
  };
  return device;
}

std::vector<TestDevice> find() {
  std::vector<TestDevice> devices = {software(64), software(32)};
  for (const Backend* backend : registered_backends()) {
    if (backend->type() == BackendType::Cpu) continue;  // what others are compared with
    for (const DeviceInfo& info : backend->discover().devices) {
      devices.push_back(registered(*backend, info));
      if (backend->type() == BackendType::OpenCL && info.fp64 != Fp64::None)
        devices.push_back(opencl_f32(info));
    }
  }
  return devices;
}

}  // namespace

void PrintTo(const TestDevice& device, std::ostream* out) { *out << device.name; }

const std::vector<TestDevice>& test_devices() {
  static const std::vector<TestDevice> devices = find();
  return devices;
}

Tolerance device_tolerance(const std::string& precision, const std::string& what) {
  static const nlohmann::json table = nlohmann::json::parse(std::ifstream(NEXTSTAT_DEVICE_TOLERANCES));
  const nlohmann::json& line = table.at(precision).at(what);
  return {line.at("bits"), line.at("absolute"), line.at("relative")};
}

bool is_within(const Tolerance& tolerance, double found, double expected, double more) {
  if (test::same_bits(found, expected)) return true;
  if (tolerance.bits) return false;
  if (std::isnan(found) || std::isnan(expected)) return std::isnan(found) && std::isnan(expected);
  if (std::isinf(expected)) return found == expected;
  return std::abs(found - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected) + more;
}

}  // namespace nextstat::conformance

// Which device is used: a function of a list of backends and a request, so that tests bring their own.
//
//   Result<DeviceName> name = parse_device("cuda:1");
//   Result<Selection> chosen = select_device(registered_backends(), {.name = *name}, try_it);
//   chosen->backend->open(model, {chosen->devices.front().index}, options);
#pragma once

#include <nextstat/backends.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/backend.h"

namespace nextstat {

// "cuda:1"; the CPU, of which there is one, is "cpu". Of several devices: "cuda:all".
std::string device_text(BackendType type, std::size_t index);
std::string device_text(BackendType type, std::span<const DeviceInfo> devices);

struct DeviceRequest {
  DeviceName name = {};
  // Unknown: what is named is tried, and says itself that its memory is too small.
  FreeMemory free_memory = FreeMemory::Asked;
  std::uint64_t bytes = 0;  // that the device must be able to hold
  bool f64 = false;       // Auto passes over devices without it; a device asked for by name need not have it
  bool fallback = false;  // the CPU where the device asked for cannot be used
};

// The last word on devices that look right: nothing, or why they cannot be used after all.
using TryDevices =
    std::function<std::optional<Absent>(const Backend& backend, std::span<const DeviceInfo> devices)>;

struct PassedOver {
  BackendType type = BackendType::Cpu;
  Absent why = {};
};

struct Selection {
  const Backend* backend = nullptr;
  std::vector<DeviceInfo> devices = {};      // one, unless all were asked for
  std::vector<PassedOver> passed_over = {};  // one entry per backend that came first and could not be used
  std::string fallback = {};                 // why the device asked for is not used; "" = it is
};

// Auto: the first of CUDA, ROCm, Metal, OpenCL on a GPU, WebGPU and the CPU that has room and passes `use`.
// Otherwise a device of that name, or all of them, or an error that says why not.
Result<Selection> select_device(std::span<const Backend* const> backends, const DeviceRequest& request,
                                const TryDevices& use);

}  // namespace nextstat

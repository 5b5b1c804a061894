// A kind of device: what of it is here, and how a model gets onto it. One implementation per folder (src/cpu,
// src/cuda, src/opencl); device/registry.cpp lists them.
#pragma once

#include <nextstat/backends.h>
#include <nextstat/model.h>
#include <nextstat/result.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "device/device_session.h"

namespace nextstat {

struct DeviceSessionOptions {
  std::size_t threads = 1;           // of the host; 0 = all
  std::string instruction_set = {};  // of the CPU; "" = the widest
  std::size_t memory_limit = 0;      // bytes that the session may take on each device; 0 = what is free
  // For rows that go on by themselves (DeviceSession::for_single_rows); null = the device.
  std::shared_ptr<DeviceSession> host = {};
};

// Whether devices are asked for their free memory, which takes a driver as long as many fits. Where there are several, it
// is asked for in any case: it decides among them.
enum class FreeMemory { Asked, Unknown };

class Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendType type() const = 0;
  // Its devices, or why there are none. Never throws; quick where there is no driver.
  virtual BackendReport discover(FreeMemory free_memory = FreeMemory::Asked) const = 0;
  // A session that shares its rows among the devices with these indices: one, or several of one precision.
  virtual Result<std::unique_ptr<DeviceSession>> open(const Model& model,
                                                      const std::vector<std::size_t>& devices,
                                                      const DeviceSessionOptions& options) const = 0;
};

}  // namespace nextstat

// The options that say where to compute: --device, --gpu, --fallback, --device-memory.
#pragma once

#include <nextstat/result.h>
#include <nextstat/run.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "screen/console.h"

namespace nextstat::cli {

// Of --device.
std::string device_help(const std::string& chosen);

class DeviceInput {
 public:
  void declare(CLI::App& command);
  // Names that mean nothing, and clashes. Whether the device is there shows when it is opened.
  Errors check() const;
  void apply(RunOptions& options) const;

 private:
  RunOptions where_ = {};  // device, fallback, device_memory
  std::string gpu_;
  CLI::Option *device_option_ = nullptr, *gpu_option_ = nullptr;
};

// On standard error, and among the result's warnings.
void warn_about_fallback(const Console& console, const DeviceUse& device, nlohmann::json& json);

}  // namespace nextstat::cli

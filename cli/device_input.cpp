#include "device_input.h"

#include <fmt/format.h>
#include <nextstat/backends.h>

namespace nextstat::cli {

void DeviceInput::declare(CLI::App& command) {
  device_option_ = command
                       .add_option("--device", device_,
                                   "Where to compute: auto (default: a GPU if there is enough work for one), "
                                   "cpu, cuda, opencl, ...; cuda:1 is the second CUDA device")
                       ->type_name("NAME");
  gpu_option_ =
      command.add_option("--gpu", gpu_, "The same as --device, for a GPU: cuda, opencl, metal, ...")
          ->type_name("NAME");
  command.add_flag("--fallback", fallback_,
                   "Use the CPU, with a warning, if the requested device is not available");
  command
      .add_option("--device-memory", memory_,
                  "GPU memory to use at most, in MB (default: all that is free; results do not depend on it)")
      ->check(CLI::Range(1e-6, 1e9))
      ->type_name("MB");
}

void DeviceInput::apply(RunOptions& options) const {
  options.device = gpu_option_->count() > 0 ? gpu_ : device_;
  options.fallback = fallback_;
  options.device_memory = static_cast<std::size_t>(memory_ * 1e6);
}

Errors DeviceInput::check() const {
  if (device_option_->count() > 0 && gpu_option_->count() > 0)
    return {{ErrorCode::BadUsage, "--gpu", "--device and --gpu both choose the device", "give one of them"}};
  const bool by_gpu = gpu_option_->count() > 0;
  const Result<DeviceName> name = parse_device(by_gpu ? gpu_ : device_);
  if (!name) {
    Errors errors = name.errors();
    if (by_gpu) errors.front().where = "--gpu";
    return errors;
  }
  if (by_gpu && (name->preference == BackendPreference::Auto || name->preference == BackendPreference::Cpu))
    return {{ErrorCode::BadUsage, "--gpu", fmt::format("\"{}\" is not a GPU", gpu_),
             "write e.g. --gpu cuda, or --device cpu"}};
  return {};
}

void warn_about_fallback(const Console& console, const DeviceUse& device, nlohmann::json& json) {
  if (device.fallback.empty()) return;
  const std::string warning = device.fallback + "; the CPU is used instead";
  console.warn(warning);
  if (json.contains("warnings")) json["warnings"].push_back(warning);
}

}  // namespace nextstat::cli

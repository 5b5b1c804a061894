#include "input/device_input.h"

#include <fmt/format.h>
#include <nextstat/backends.h>
#include <nextstat/names.h>

#include "input/choice.h"
#include "input/values.h"

namespace nextstat::cli {

std::string device_help(const std::string& chosen) {
  return choice_help("Where to compute", device_names(), chosen) +
         "; auto takes a GPU if there is enough work for one, cuda:1 is the second CUDA device, cuda:all are "
         "all of them";
}

void DeviceInput::declare(CLI::App& command) {
  device_option_ =
      command.add_option("--device", where_.device, device_help(where_.device))->type_name("NAME");
  gpu_option_ = command.add_option("--gpu", gpu_, "The same as --device, for a device that is not the CPU")
                    ->type_name("NAME");
  command.add_flag("--fallback", where_.fallback,
                   "Use the CPU, with a warning, if the requested device is not available");
  const auto take_memory = [this](const std::string& text) -> Errors {
    const Result<std::uint64_t> bytes = parse_memory(text);
    if (bytes) where_.device_memory = *bytes;
    Errors errors = bytes ? Errors() : bytes.errors();
    for (Error& error : errors) error.where = Field::DeviceMemory;
    return errors;
  };
  add_word(
      command, "--device-memory",
      "GPU memory to use at most, such as 200MB or 2GiB; a number alone is in MB (default: all that is free; "
      "results do not depend on it)",
      take_memory)
      ->type_name("SIZE");
}

void DeviceInput::apply(RunOptions& options) const {
  options.device = gpu_option_->count() > 0 ? gpu_ : where_.device;
  options.fallback = where_.fallback;
  options.device_memory = where_.device_memory;
}

Errors DeviceInput::check() const {
  if (device_option_->count() > 0 && gpu_option_->count() > 0)
    return {{ErrorCode::BadUsage, "--gpu", "--device and --gpu both choose the device", "give one of them"}};
  const bool by_gpu = gpu_option_->count() > 0;
  const Result<DeviceName> name = parse_device(by_gpu ? gpu_ : where_.device);
  if (!name) {
    Errors errors = name.errors();
    if (by_gpu) errors.front().where = "--gpu";
    return errors;
  }
  if (by_gpu && (name->preference == BackendPreference::Auto || name->preference == BackendPreference::Cpu))
    return {{ErrorCode::BadUsage, "--gpu", fmt::format("\"{}\" is not a GPU", gpu_),
             fmt::format("write e.g. --gpu cuda, or --device {}", gpu_)}};
  return {};
}

void warn_about_fallback(const Console& console, const DeviceUse& device, nlohmann::json& json) {
  if (device.fallback.empty()) return;
  const std::string warning = device.fallback + "; the CPU is used instead";
  console.warn(warning);
  if (json.contains("warnings")) json["warnings"].push_back(warning);
}

}  // namespace nextstat::cli

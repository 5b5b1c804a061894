#include <nextstat/result_json.h>

namespace nextstat {
namespace {

nlohmann::json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

}  // namespace

nlohmann::json capabilities_json(const Capabilities& can) {
  return {{"batched_nll", can.batched_nll},   {"batched_gradient", can.batched_gradient},
          {"batched_fits", can.batched_fits}, {"max_batch_size", can.max_batch_size},
          {"autodiff", can.autodiff},         {"f64", can.f64}};
}

nlohmann::json device_json(const DeviceInfo& device) {
  return {{"index", device.index},
          {"name", device.name},
          {"total_memory", device.total_memory},
          {"free_memory", device.free_memory ? nlohmann::json(*device.free_memory) : nlohmann::json(nullptr)},
          {"compute_capability", text_or_null(device.compute_capability)},
          {"unified_memory", device.unified_memory},
          {"kind", to_string(device.kind)},
          {"fp64", to_string(device.fp64)},
          {"driver", text_or_null(device.driver)},
          {"capabilities", capabilities_json(capabilities_of(device))}};
}

nlohmann::json absent_json(const Absent& absent, const Voice& voice) {
  return {
      {"stage", to_string(absent.stage)}, {"reason", absent.reason}, {"hint", to_text(absent.hint, voice)}};
}

nlohmann::json backend_json(const BackendReport& report, const Voice& voice) {
  nlohmann::json devices = nlohmann::json::array();
  for (const DeviceInfo& device : report.devices) devices.push_back(device_json(device));
  return {{"type", to_string(report.type)},
          {"name", display_name(report.type)},
          {"available", !report.devices.empty()},
          {"devices", std::move(devices)},
          {"error", report.absent ? absent_json(*report.absent, voice) : nlohmann::json(nullptr)}};
}

}  // namespace nextstat

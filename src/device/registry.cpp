#include "device/registry.h"

#include <fmt/format.h>
#include <nextstat/backends.h>
#include <nextstat/text.h>

#include <stdexcept>

namespace nextstat {

#define NEXTSTAT_BACKEND(name) const Backend& name##_backend();
#define NEXTSTAT_ABSENT(type)
#include "device/backends.def"
#undef NEXTSTAT_BACKEND
#undef NEXTSTAT_ABSENT

std::span<const Backend* const> registered_backends() {
#define NEXTSTAT_BACKEND(name) &name##_backend(),
#define NEXTSTAT_ABSENT(type) &absent_backend(BackendType::type),
  static const Backend* const backends[] = {
#include "device/backends.def"
  };
#undef NEXTSTAT_BACKEND
#undef NEXTSTAT_ABSENT
  return backends;
}

const Backend& native_backend() {
  for (const Backend* backend : registered_backends()) {
    if (backend->type() == BackendType::Cpu) return *backend;
  }
  throw std::logic_error("backends.def lists no CPU");
}

std::vector<BackendReport> discover_backends() {
  std::vector<BackendReport> reports;
  for (const Backend* backend : registered_backends()) reports.push_back(backend->discover());
  return reports;
}

std::string gigabytes(std::uint64_t bytes) {
  return fmt::format("{:.2f} GB", static_cast<double>(bytes) / (1u << 30));
}

namespace {

// [0] NVIDIA H200: 139.72 GB (139.10 GB free), compute 9.0
std::string device_line(const DeviceInfo& device) {
  std::string line =
      fmt::format("    [{}] {}: {}", device.index, printable(device.name), gigabytes(device.total_memory));
  if (device.free_memory) line += fmt::format(" ({} free)", gigabytes(*device.free_memory));
  if (!device.compute_capability.empty()) line += fmt::format(", compute {}", device.compute_capability);
  if (device.unified_memory) line += " (unified memory)";
  return line + "\n";
}

}  // namespace

std::string backend_summary(std::span<const BackendReport> reports, BackendType recommended) {
  std::string text = "=== Available Backends ===\n";
  for (const BackendReport& report : reports) {
    const char* name = display_name(report.type);
    text += fmt::format("{} {} ({})\n", report.devices.empty() ? "✗" : "✓", name, name);
    for (const DeviceInfo& device : report.devices) text += device_line(device);
    if (report.absent) text += fmt::format("    Error: {}\n", printable(report.absent->reason));
  }
  return text + fmt::format("\nRecommended backend: {}\n", display_name(recommended));
}

}  // namespace nextstat

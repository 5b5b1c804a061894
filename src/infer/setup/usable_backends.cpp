// The public questions about devices.
#include <nextstat/backends.h>

#include "base/try.h"
#include "device/registry.h"
#include "device/selection.h"
#include "infer/setup/self_check.h"

namespace nextstat {
namespace {

Result<ReadyDevice> init(const DeviceRequest& request) {
  TRY(const Selection chosen, select_device(registered_backends(), request, self_checks));
  ReadyDevice ready{chosen.backend->type(),
                    chosen.devices.front(),
                    device_text(chosen.backend->type(), chosen.devices),
                    {}};
  for (const PassedOver& one : chosen.passed_over)
    ready.passed_over.push_back(std::string(display_name(one.type)) + ": " + one.why.reason);
  return ready;
}

}  // namespace

BackendType best_available_backend() {
  const Result<ReadyDevice> best = init_backend(BackendPreference::Auto);
  return best ? best->type : BackendType::Cpu;
}

Result<ReadyDevice> init_backend(BackendPreference preference, std::size_t index) {
  DeviceRequest request;
  request.name.preference = preference;
  if (preference != BackendPreference::Auto) request.name.index = index;
  return init(request);
}

Result<ReadyDevice> init_backend_with_memory_check(BackendPreference preference, std::uint64_t bytes) {
  DeviceRequest request;
  request.name.preference = preference;
  request.bytes = bytes;
  return init(request);
}

std::optional<Absent> self_test(BackendType type, const DeviceInfo& device) {
  for (const Backend* backend : registered_backends()) {
    if (backend->type() == type) return self_check(*backend, device);
  }
  return Absent{AbsentStage::NotBuilt, "this build has no such devices", {}};
}

std::string backend_summary() { return backend_summary(discover_backends(), best_available_backend()); }

}  // namespace nextstat

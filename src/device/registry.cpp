#include "device/registry.h"

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

}  // namespace nextstat

// Stands for the queue of a new device in tests/python/test_add_device.py: rows run on the processor.
#include "device/registry.h"

namespace nextstat {

Result<std::unique_ptr<DeviceSession>> make_rocm_session(const Model& model, const std::vector<std::size_t>&,
                                                         const DeviceSessionOptions& options) {
  return native_backend().open(model, {0}, options);
}

}  // namespace nextstat

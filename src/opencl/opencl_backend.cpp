#include "opencl/opencl_backend.h"

#include <fmt/format.h>

#include "base/files/kept_file.h"
#include "base/try.h"
#include "gpu/gpu_session.h"
#include "opencl/opencl_queue.h"

namespace nextstat {
namespace {

Absent not_opened(const Error& error) {
  if (error.code == ErrorCode::NotFound)
    return {AbsentStage::LibraryMissing,
            fmt::format("no OpenCL loader: {} cannot be opened ({})", to_text(error.where), error.what),
            "install an OpenCL loader (ocl-icd-libopencl1) and the driver of the device"};
  return {AbsentStage::SymbolMissing, fmt::format("{} {}", to_text(error.where), error.what), error.hint};
}

class OpenClBackend final : public Backend {
 public:
  BackendType type() const override { return BackendType::OpenCL; }
  BackendReport discover(FreeMemory) const override {
    const Result<opencl::Loader> loader = opencl::open_loader();
    if (!loader) return {BackendType::OpenCL, {}, not_opened(loader.errors().front())};
    const opencl::Found found = opencl::find_devices(*loader);
    BackendReport report{BackendType::OpenCL, {}, found.absent};
    for (const opencl::Device& device : found.devices) report.devices.push_back(device.info);
    return report;
  }
  Result<std::unique_ptr<DeviceSession>> open(const Model& model, const std::vector<std::size_t>& devices,
                                              const DeviceSessionOptions& options) const override {
    const std::string cache = cache_folder();
    return opencl::make_opencl_session(model, devices, options,
                                       {.cache_folder = cache.empty() ? "" : cache + "/opencl"});
  }
};

Error no_such_device(std::size_t index, const opencl::Found& found) {
  if (found.absent)
    return {ErrorCode::DeviceUnavailable, fmt::format("opencl:{}", index), found.absent->reason,
            found.absent->hint};
  return {ErrorCode::DeviceUnavailable, fmt::format("opencl:{}", index),
          fmt::format("there are {} OpenCL devices, counted from 0", found.devices.size()), Listing::Devices};
}

}  // namespace

namespace opencl {

namespace {

Result<std::unique_ptr<gpu::Queue>> open_queue(const std::shared_ptr<const Loader>& cl, const Found& found,
                                               std::size_t index, const OpenOptions& options) {
  if (index >= found.devices.size()) return no_such_device(index, found);
  const Device& device = found.devices[index];
  const bool has_f64 = device.info.fp64 != Fp64::None;
  if (options.bits == Bits::F64 && !has_f64)
    return Error{ErrorCode::DeviceUnavailable, fmt::format("opencl:{} ({})", index, device.info.name),
                 "the device has no double precision", "let it run in single precision, or use the CPU"};
  const bool f64 = options.bits == Bits::F64 || (options.bits == Bits::AsDevice && has_f64);
  return make_queue(cl, device, f64 ? 64 : 32, options.cache_folder);
}

}  // namespace

Result<std::unique_ptr<DeviceSession>> make_opencl_session(const Model& model,
                                                           const std::vector<std::size_t>& devices,
                                                           const DeviceSessionOptions& session,
                                                           const OpenOptions& options) {
  Result<Loader> loader = open_loader();
  if (!loader) {
    const Absent absent = not_opened(loader.errors().front());
    return Error{ErrorCode::DeviceUnavailable, to_string(BackendType::OpenCL), absent.reason, absent.hint};
  }
  const auto cl = std::make_shared<const Loader>(std::move(*loader));
  const Found found = find_devices(*cl);
  std::vector<std::unique_ptr<gpu::Queue>> queues;
  for (const std::size_t index : devices) {
    TRY(std::unique_ptr<gpu::Queue> queue, open_queue(cl, found, index, options));
    queues.push_back(std::move(queue));
  }
  return gpu::make_session(model, std::move(queues), session);
}

}  // namespace opencl

const Backend& opencl_backend() {
  static const OpenClBackend backend;
  return backend;
}

}  // namespace nextstat

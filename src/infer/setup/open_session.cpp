#include "infer/setup/open_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/try.h"
#include "device/registry.h"
#include "device/selection.h"
#include "infer/setup/self_check.h"
#include "model/compile/compiled_model.h"

namespace nextstat {
namespace {

// The tables, the data, one row with its minimization, and a metric: less cannot be of use.
std::uint64_t least_bytes(const CompiledModel& compiled) {
  const std::uint64_t n = compiled.n_parameters, rank = std::min<std::uint64_t>(n, compiled.n_bins);
  const std::uint64_t reals =
      compiled.reals.size() + 2 * compiled.n_data + compiled.layout.row_size + 40 * n + 2 * rank * n;
  return reals * sizeof(double) + compiled.indices.size() * sizeof(std::uint32_t);
}

// "CUDA: library missing, OpenCL: no device"
std::string stages(const std::vector<PassedOver>& passed_over) {
  std::vector<std::string> parts;
  for (const PassedOver& one : passed_over)
    parts.push_back(fmt::format("{}: {}", display_name(one.type), to_string(one.why.stage)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

class Opener {
 public:
  // any_work: questions that nobody knows yet.
  Opener(const Model& model, const RunOptions& options, const DeviceName& name, bool any_work)
      : model_(model),
        options_(options),
        name_(name),
        is_auto_(name.preference == BackendPreference::Auto),
        any_work_(any_work) {}

  Result<OpenedSession> open(std::span<const Backend* const> backends, bool worth_a_gpu) {
    DeviceRequest request{.name = name_, .f64 = true, .fallback = options_.fallback};
    if (is_auto_ && !worth_a_gpu) request.name.preference = BackendPreference::Cpu;
    const bool native = request.name.preference == BackendPreference::Cpu && !request.name.index;
    request.bytes = native ? 0 : least_bytes(compiled_model(model_));
    if (!options_.fallback) request.free_memory = FreeMemory::Unknown;
    const Result<Selection> chosen = native ? processor(backends) : select_device(backends, request, use_);
    if (!native_errors_.empty() && !session_) return native_errors_;
    if (!chosen) return chosen.errors();
    DeviceUse used;
    used.name = device_text(chosen->backend->type(), chosen->devices);
    used.precision = session_->traits().f64 ? "f64" : "f32";
    used.choice = reason(*chosen, worth_a_gpu);
    used.fallback = chosen->fallback;
    return OpenedSession{std::move(session_), std::move(used)};
  }

 private:
  // Without looking at its memory: a workspace that could be read has its place, and small fits are many.
  Result<Selection> processor(std::span<const Backend* const> backends) {
    for (const Backend* backend : backends) {
      if (backend->type() == BackendType::Cpu && !use(*backend, std::vector<DeviceInfo>(1)))
        return Selection{backend, std::vector<DeviceInfo>(1), {}, {}};
    }
    return Error{ErrorCode::DeviceUnavailable, Field::Device, "this build has no CPU session", ""};
  }

  std::optional<Absent> use(const Backend& backend, std::span<const DeviceInfo> devices) {
    const bool native = backend.type() == BackendType::Cpu;
    if (is_auto_ && !native) {
      if (std::optional<Absent> wrong = self_checks(backend, devices)) return wrong;
    }
    const std::uint64_t least = least_bytes(compiled_model(model_));
    if (!native && options_.device_memory > 0 && options_.device_memory < least)
      return Absent{AbsentStage::TooLittleMemory,
                    fmt::format("{} bytes are needed for the model and one row, {} may be used", least,
                                options_.device_memory),
                    {"allow more", {Field::DeviceMemory}}};
    DeviceSessionOptions session{options_.threads, options_.instruction_set, options_.device_memory, {}};
    if (!native) session.host = on_processor();
    std::vector<std::size_t> indices;
    for (const DeviceInfo& device : devices) indices.push_back(device.index);
    Result<std::unique_ptr<DeviceSession>> opened = backend.open(model_, indices, session);
    if (opened) {
      session_ = std::move(*opened);
      return std::nullopt;
    }
    if (native) native_errors_ = opened.errors();
    const Error& error = opened.errors().front();
    return Absent{AbsentStage::InitializationFailed, error.what, error.hint};
  }

  // For rows that go on by themselves beside a device; null where this build has no CPU session.
  std::shared_ptr<DeviceSession> on_processor() const {
    for (const Backend* backend : registered_backends()) {
      if (backend->type() != BackendType::Cpu) continue;
      Result<std::unique_ptr<DeviceSession>> opened =
          backend->open(model_, {0}, {1, options_.instruction_set, 0, nullptr});
      if (opened) return std::move(*opened);
    }
    return nullptr;
  }

  // Why this device. Without numbers: the same for every run of the same question on the same machine.
  std::string reason(const Selection& chosen, bool worth_a_gpu) const {
    if (!chosen.fallback.empty()) return "fallback: " + chosen.fallback;
    if (!is_auto_) return "asked for";
    if (!worth_a_gpu) return "auto: too little work for a GPU";
    const bool on_gpu = chosen.backend->type() != BackendType::Cpu;
    if (any_work_) return on_gpu ? "auto: a GPU is ready" : no_gpu("auto: no GPU can be used", chosen);
    return on_gpu ? "auto: enough work for a GPU"
                  : no_gpu("auto: enough work for a GPU, but none can be used", chosen);
  }

  static std::string no_gpu(const char* words, const Selection& chosen) {
    return fmt::format("{} ({})", words, stages(chosen.passed_over));
  }

  const Model& model_;
  const RunOptions& options_;
  const DeviceName name_;
  const bool is_auto_, any_work_;
  const TryDevices use_ = [this](const Backend& backend, std::span<const DeviceInfo> devices) {
    return use(backend, devices);
  };
  std::unique_ptr<DeviceSession> session_;
  Errors native_errors_;  // of the CPU: they name the options that they are about
};

}  // namespace

double estimated_cpu_seconds(const Model& model, const WorkEstimate& work) {
  // Measured on workspaces of 34 to 250 parameters, on one core: fits take 1 to 10 ns per number of the
  // tables, evaluations in a batch 0.02 to 0.12.
  constexpr double kPointsOfAFit = 60;
  constexpr double kSecondsPerNumber = 0.06e-9;
  const CompiledModel& compiled = compiled_model(model);
  const double numbers =
      static_cast<double>(compiled.reals.size() + compiled.indices.size() + compiled.layout.row_size);
  return (work.fits * kPointsOfAFit + work.evaluations) * numbers * kSecondsPerNumber /
         static_cast<double>(processors());
}

Result<OpenedSession> open_session(std::span<const Backend* const> backends, const Model& model,
                                   const RunOptions& options, const WorkEstimate& work) {
  TRY(const DeviceName name, parse_device(options.device));
  const bool worth_a_gpu = estimated_cpu_seconds(model, work) > kWorthAGpu;
  Opener opener(model, options, name, std::isinf(work.fits));
  return opener.open(backends, worth_a_gpu);
}

Result<OpenedSession> open_session(const Model& model, const RunOptions& options, const WorkEstimate& work) {
  return open_session(registered_backends(), model, options, work);
}

Result<void> check_device(const RunOptions& options) {
  const Result<DeviceName> name = parse_device(options.device);
  if (!name) return name.errors();
  if (name->preference == BackendPreference::Auto) return {};
  TRY_DO(select_device(registered_backends(), {.name = *name, .fallback = options.fallback}, {}));
  return {};
}

}  // namespace nextstat

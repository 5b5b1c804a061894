#include "device/selection.h"

#include <fmt/format.h>
#include <nextstat/names.h>

#include <algorithm>
#include <charconv>

#include "device/device_names.h"
#include "device/registry.h"

namespace nextstat {
namespace {

constexpr BackendType kAutoOrder[] = {BackendType::Cuda,   BackendType::Rocm,   BackendType::Metal,
                                      BackendType::OpenCL, BackendType::WebGPU, BackendType::Cpu};

constexpr const char* kAll = "all";

Absent too_small(const DeviceInfo& device, std::uint64_t bytes) {
  const std::string has = device.free_memory ? fmt::format("{} free", gigabytes(*device.free_memory))
                                             : fmt::format("{} in total", gigabytes(device.total_memory));
  return {AbsentStage::TooLittleMemory,
          fmt::format("{} is needed ({} bytes), {} has {}", gigabytes(bytes), bytes, device.name, has),
          "use a device with more memory, or ask for less at a time"};
}

// Looks at the devices of one backend after the other.
class Selector {
 public:
  Selector(std::span<const Backend* const> backends, const DeviceRequest& request, const TryDevices& use)
      : backends_(backends), request_(request), use_(use) {}

  Result<Selection> automatic() {
    for (BackendType type : kAutoOrder) {
      if (try_type(type, {}, true)) return std::move(chosen_);
    }
    return none_left();
  }

  Result<Selection> by_name(BackendType type) {
    if (try_type(type, request_.name.index, false)) return std::move(chosen_);
    const Error error = unavailable();
    if (!request_.fallback || type == BackendType::Cpu) return error;
    if (!try_type(BackendType::Cpu, {}, false)) return none_left();
    chosen_.fallback = error.what;
    return std::move(chosen_);
  }

 private:
  bool try_type(BackendType type, std::optional<std::size_t> index, bool is_automatic) {
    bool registered = false;
    for (const Backend* backend : backends_) {
      if (backend->type() != type) continue;
      registered = true;
      if (try_backend(*backend, index, is_automatic)) return true;
    }
    if (!registered)
      pass_over(type,
                {AbsentStage::NotBuilt, fmt::format("this build does not know {}", display_name(type)), ""});
    return false;
  }

  bool try_backend(const Backend& backend, std::optional<std::size_t> index, bool is_automatic) {
    BackendReport report = backend.discover(is_automatic ? FreeMemory::Asked : request_.free_memory);
    if (report.devices.empty()) {
      pass_over(backend.type(), report.absent.value_or(Absent{AbsentStage::NoDevice, "no device", ""}));
      return false;
    }
    // A processor behind another interface comes after everything else, and never before the native one.
    const auto is_processor = [](const DeviceInfo& device) { return device.kind == DeviceKind::Cpu; };
    const auto first_processor =
        std::stable_partition(report.devices.begin(), report.devices.end(), std::not_fn(is_processor));
    if (request_.name.all) {
      if (first_processor != report.devices.begin())
        report.devices.erase(first_processor, report.devices.end());
      return try_all(backend, std::move(report.devices));
    }
    std::optional<Absent> first_reason;
    for (const DeviceInfo& device : report.devices) {
      if (index && device.index != *index) continue;
      std::optional<Absent> why_not = check(backend, device, is_automatic);
      if (!why_not && use_) why_not = use_(backend, {&device, 1});
      if (!why_not) {
        chosen_.backend = &backend;
        chosen_.devices = {device};
        return true;
      }
      if (!first_reason) first_reason = std::move(why_not);
    }
    pass_over(backend.type(), first_reason.value_or(no_such_index(report, index)));
    return false;
  }

  std::optional<Absent> check(const Backend& backend, const DeviceInfo& device, bool is_automatic) {
    const bool native = backend.type() == BackendType::Cpu;
    if (is_automatic && !native && device.kind == DeviceKind::Cpu)
      return Absent{AbsentStage::NoDevice,
                    fmt::format("{} is a processor, which is used directly", device.name),
                    fmt::format("ask for it by name: {}", device_text(backend.type(), device.index))};
    if (is_automatic && request_.f64 && device.fp64 == Fp64::None)
      return Absent{AbsentStage::NoFp64, fmt::format("{} computes in f32 only", device.name),
                    fmt::format("ask for it by name: {}", device_text(backend.type(), device.index))};
    if (!can_fit(device, request_.bytes)) {
      const std::uint64_t room = device.free_memory.value_or(device.total_memory / 10 * 8);
      if (room >= most_room_) {
        most_room_ = room;
        roomiest_ = fmt::format("{}, {}", display_name(backend.type()), device.name);
      }
      return too_small(device, request_.bytes);
    }
    return std::nullopt;
  }

  // Every device or none: a run that leaves one out is slower than it was asked to be.
  bool try_all(const Backend& backend, std::vector<DeviceInfo> devices) {
    std::optional<Absent> why_not;
    for (const DeviceInfo& device : devices) {
      if (!why_not) why_not = check(backend, device, false);
      if (!why_not && (device.fp64 == Fp64::None) != (devices.front().fp64 == Fp64::None))
        why_not = Absent{AbsentStage::NoFp64,
                         fmt::format("{} computes in f32 only, and others do not", device.name),
                         "name devices of one precision, one run each"};
    }
    if (!why_not && use_) why_not = use_(backend, devices);
    if (why_not) {
      pass_over(backend.type(), *std::move(why_not));
      return false;
    }
    chosen_.backend = &backend;
    chosen_.devices = std::move(devices);
    return true;
  }

  static Absent no_such_index(const BackendReport& report, std::optional<std::size_t> index) {
    std::vector<std::string> names;
    for (const DeviceInfo& device : report.devices) names.push_back(device_text(report.type, device.index));
    return {AbsentStage::NoDevice, fmt::format("there is no device {}", index.value_or(0)),
            fmt::format("available: {}", fmt::join(names, ", "))};
  }

  void pass_over(BackendType type, Absent why) { chosen_.passed_over.push_back({type, std::move(why)}); }

  // Of a device asked for by name: nothing else was looked at.
  Error unavailable() const {
    const Absent& why = chosen_.passed_over.back().why;
    Hint hint("use the CPU, or allow it instead", {{Field::Device, "cpu"}, Field::Fallback}, why.hint.see);
    if (!why.hint.text.empty()) hint.text = why.hint.text + "; or " + hint.text;
    hint.set.insert(hint.set.begin(), why.hint.set.begin(), why.hint.set.end());
    return {ErrorCode::DeviceUnavailable, Field::Device,
            fmt::format("the device \"{}\" is not available: {}", to_string(request_.name), why.reason),
            std::move(hint)};
  }

  Error none_left() const {
    if (!roomiest_.empty())
      return {ErrorCode::DeviceUnavailable, Field::Device,
              fmt::format(
                  "no device has room for {} bytes ({}): the most that one can hold is {} bytes ({}; {})",
                  request_.bytes, gigabytes(request_.bytes), most_room_, gigabytes(most_room_), roomiest_),
              "ask for less at a time, or use a machine with more memory"};
    std::vector<std::string> reasons;
    for (const PassedOver& one : chosen_.passed_over)
      reasons.push_back(fmt::format("{}: {}", display_name(one.type), one.why.reason));
    return {ErrorCode::DeviceUnavailable, Field::Device,
            fmt::format("no device can be used: {}", fmt::join(reasons, "; ")), Listing::DeviceChecks};
  }

  std::span<const Backend* const> backends_;
  const DeviceRequest& request_;
  const TryDevices& use_;
  Selection chosen_;
  std::uint64_t most_room_ = 0;  // of devices that were too small
  std::string roomiest_;
};

}  // namespace

std::string device_text(BackendType type, std::size_t index) {
  return type == BackendType::Cpu ? "cpu" : fmt::format("{}:{}", to_string(type), index);
}

std::string device_text(BackendType type, std::span<const DeviceInfo> devices) {
  return devices.size() == 1 ? device_text(type, devices.front().index)
                             : fmt::format("{}:{}", to_string(type), kAll);
}

std::string to_string(const DeviceName& wish) {
  const char* name = to_string(wish.preference);
  if (wish.all) return fmt::format("{}:{}", name, kAll);
  return wish.index ? fmt::format("{}:{}", name, *wish.index) : name;
}

Result<DeviceName> parse_device(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::optional<BackendPreference> preference = preference_named(name);
  if (!preference) {
    Error error = unknown_name(name, device_names(), "a kind of device", Field::Device);
    if (name == "gpu") error.hint = "choose one of them";  // closest to it is the CPU
    return error;
  }
  DeviceName wish{*preference, {}};
  if (colon == text.npos) return wish;
  const std::string digits = text.substr(colon + 1);
  wish.all = digits == kAll && wish.preference != BackendPreference::Auto;
  if (wish.all) return wish;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size() ||
      wish.preference == BackendPreference::Auto)
    return Error{ErrorCode::BadUsage, Field::Device, fmt::format("\"{}\" is not a device", text),
                 "write e.g. cuda, cuda:1 or cuda:all"};
  wish.index = index;
  return wish;
}

Result<Selection> select_device(std::span<const Backend* const> backends, const DeviceRequest& request,
                                const TryDevices& use) {
  Selector selector(backends, request, use);
  const std::optional<BackendType> type = type_of(request.name.preference);
  return type ? selector.by_name(*type) : selector.automatic();
}

}  // namespace nextstat

// Devices: what is here, which one is chosen, and why.
//
//   std::cout << backend_summary();
//   for (const BackendReport& report : discover_backends())
//     if (report.absent) report.absent->reason;
//   Result<ReadyDevice> device = init_backend(BackendPreference::Auto);
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Types of devices. discover_backends() says which are available here, and why the others are not.
enum class BackendType { Cpu, Cuda, Rocm, Metal, OpenCL, WebGPU };
// What init_backend() is asked for. Auto = the best device that is ready.
enum class BackendPreference { Auto, Cpu, Cuda, Rocm, Metal, OpenCL, WebGPU };

// What a device is.
enum class DeviceKind { Cpu, Gpu, IntegratedGpu, Accelerator };
// Double precision on a device: at a useful rate, more than four times slower than single precision, or not at all.
enum class Fp64 { Full, Slow, None };

// One device, as its driver describes it.
struct DeviceInfo {
  std::size_t index = 0;
  std::string name;
  std::uint64_t total_memory = 0;            // bytes
  std::optional<std::uint64_t> free_memory;  // empty = unknown
  std::string compute_capability = {};       // "9.0"; "" where there is no such thing
  bool unified_memory = false;
  DeviceKind kind = DeviceKind::Gpu;
  Fp64 fp64 = Fp64::Full;
  std::string driver = {};  // version; "" = unknown
};

// What a session on a device can do.
struct Capabilities {
  bool batched_nll = true, batched_gradient = true, batched_fits = true;  // many rows in one call
  std::size_t max_batch_size = 0;                                         // rows in one call; 0 = unlimited
  bool autodiff = true;  // gradients are derivatives, not differences
  bool f64 = true;       // double precision throughout, with the bits of the CPU
};
Capabilities capabilities_of(const DeviceInfo& device);

// What went to the memory of a device and came back, and how often the host waited. A device that shares the host's
// memory, such as the CPU, has none of it.
struct Traffic {
  std::uint64_t bytes_to_device = 0, bytes_from_device = 0;
  std::uint64_t launches = 0, synchronizations = 0;
};

// Why a backend has no usable device.
enum class AbsentStage {
  NotBuilt,
  LibraryMissing,
  SymbolMissing,
  InitializationFailed,
  NoDevice,
  NoFp64,
  TooLittleMemory,
  SelfCheckFailed
};

// Why there is none, in words, and what to do about it.
struct Absent {
  AbsentStage stage = AbsentStage::NotBuilt;
  std::string reason;
  Hint hint = {};
};

// What was found of one type.
struct BackendReport {
  BackendType type = BackendType::Cpu;
  std::vector<DeviceInfo> devices = {};
  std::optional<Absent> absent = {};  // set exactly where there are no devices
};

// Stable names: "cuda" for options and JSON, "CUDA" for people.
const char* to_string(BackendType type);
const char* display_name(BackendType type);
const char* to_string(AbsentStage stage);  // "library missing"
const char* to_string(DeviceKind kind);    // "gpu"
const char* to_string(Fp64 fp64);          // "full"

// One entry per type, in the order of the enumeration, for any build and any machine. Never throws.
std::vector<BackendReport> discover_backends();

// The entries and the recommended one as text, as `nextstat devices` prints them.
std::string backend_summary();
std::string backend_summary(std::span<const BackendReport> reports, BackendType recommended);

// A device by its name: "auto", "cpu", "cuda", "cuda:1", "cuda:all".
struct DeviceName {
  BackendPreference preference = BackendPreference::Auto;
  std::optional<std::size_t> index = {};  // empty = the first that will do
  bool all = false;                       // every device of that kind
};
Result<DeviceName> parse_device(const std::string& text);  // an unknown name is an error with the closest one
std::vector<std::string> device_names();  // that parse_device takes: "auto", "cpu", "cuda", ...
std::string to_string(const DeviceName& name);

// Does a device of discover_backends() compute what the CPU computes? A small model with every modifier is evaluated
// and fitted. Nothing, or where it went wrong.
std::optional<Absent> self_test(BackendType type, const DeviceInfo& device);

// A device that was opened and gave the numbers of the CPU for a small model.
struct ReadyDevice {
  BackendType type = BackendType::Cpu;
  DeviceInfo device = {};
  std::string name = {};                 // "cuda:0", what --device takes
  std::vector<std::string> passed_over;  // by Auto: "CUDA: library missing: ..."
};

// The first of CUDA, ROCm, Metal, OpenCL on a GPU, WebGPU and the CPU that is ready.
BackendType best_available_backend();

// Auto walks that order; anything else is that device or an error with the reason.
Result<ReadyDevice> init_backend(BackendPreference preference, std::size_t index = 0);

// The same for a device that can_fit() the bytes. The error names them and the most that a device has.
Result<ReadyDevice> init_backend_with_memory_check(BackendPreference preference, std::uint64_t bytes);

// free >= bytes; where free memory is unknown, 0.8 total >= bytes.
bool can_fit(const DeviceInfo& device, std::uint64_t bytes);

// A decoder of the usual shape: gated feed-forward, grouped keys and values.
struct InferenceShape {
  std::uint64_t hidden = 0, ffn = 0, layers = 0, vocabulary = 0;
  std::uint64_t heads = 1, kv_heads = 1;
  std::uint64_t sequence = 0;
  std::uint64_t bytes_per_value = 4;
};

// The memory that such a decoder needs.
struct InferenceMemory {
  std::uint64_t model_bytes = 0, kv_cache_bytes = 0, activation_bytes = 0;
  std::uint64_t total_bytes = 0;
  double total_gb() const;  // of 2^30 bytes
};

// With h = hidden, d = h / heads, k = kv_heads d and b = bytes_per_value:
//   model       = (layers (2 h^2 + 2 h k + 3 h ffn + 2 h) + 2 vocabulary h + h) b
//   kv cache    = 2 layers sequence k b
//   activations = 2 (h + 2 ffn) b
// Errors: no heads, heads that do not divide hidden, kv_heads that do not divide heads, sizes beyond 64 bits.
Result<InferenceMemory> estimate_inference_memory(const InferenceShape& shape);

}  // namespace nextstat
#pragma GCC visibility pop

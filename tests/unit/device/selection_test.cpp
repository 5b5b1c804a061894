// Which device is chosen, from lists of backends made up here.
#include "device/selection.h"

#include <gtest/gtest.h>

#include <functional>

#include "infer/setup/self_check.h"
#include "unit/device/fake_backends.h"

namespace nextstat {
namespace {

using testing::device;
using testing::FakeBackend;
using testing::kGB;

// --- the devices of the table ------------------------------------------------------------------------------

FakeBackend cpu(std::uint64_t free = 32 * kGB) {
  DeviceInfo info = device(0, "Processor", 64 * kGB, free);
  info.kind = DeviceKind::Cpu;
  return {BackendType::Cpu, {info}};
}
FakeBackend gpu(BackendType type, std::uint64_t free = 40 * kGB) {
  return {type, {device(0, "Card", 80 * kGB, free)}};
}
FakeBackend two_gpus(BackendType type, std::uint64_t first, std::uint64_t second) {
  return {type, {device(0, "Card A", 80 * kGB, first), device(1, "Card B", 80 * kGB, second)}};
}
FakeBackend no_fp64(BackendType type) {
  DeviceInfo info = device(0, "Small card", 8 * kGB, 8 * kGB);
  info.fp64 = Fp64::None;
  return {type, {info}};
}
FakeBackend unknown_free(BackendType type, std::uint64_t total) {
  return {type, {device(0, "Silent card", total, {})}};
}
DeviceInfo processor_of_opencl(std::size_t index) {
  DeviceInfo info = device(index, "PoCL", 64 * kGB, 32 * kGB);
  info.kind = DeviceKind::Cpu;
  return info;
}
FakeBackend opencl_on_cpu() { return {BackendType::OpenCL, {processor_of_opencl(0)}}; }
FakeBackend opencl_on_both() {
  return {BackendType::OpenCL, {processor_of_opencl(0), device(1, "Card", 80 * kGB, 40 * kGB)}};
}
// A driver that could describe its second device only.
FakeBackend second_only() { return {BackendType::Cuda, {device(1, "Card B", 80 * kGB, 40 * kGB)}}; }
FakeBackend absent(BackendType type, AbsentStage stage) {
  return {type, stage, std::string("reason: ") + to_string(stage)};
}
FakeBackend broken(BackendType type) { return gpu(type).opens_with("the context cannot be made"); }
FakeBackend wrong(BackendType type) { return gpu(type).computes(1.001); }

constexpr BackendType kCuda = BackendType::Cuda, kRocm = BackendType::Rocm, kMetal = BackendType::Metal,
                      kOpenCL = BackendType::OpenCL, kWebGPU = BackendType::WebGPU;

struct Ask {
  const char* device = "auto";
  std::uint64_t bytes = 0;
  bool f64 = false, fallback = false;
};

struct Case {
  const char* name;
  std::vector<FakeBackend> backends;
  Ask ask;
  const char* chosen;                  // "" = an error
  std::vector<const char*> said = {};  // parts of the error, of the fallback, or of what was passed over
};

// Auto walks its order.
std::vector<Case> auto_cases() {
  return {
      {"only the processor", {cpu()}, {}, "cpu"},
      {"a card", {cpu(), gpu(kCuda)}, {}, "cuda:0"},
      {"cuda before rocm", {cpu(), gpu(kRocm), gpu(kCuda)}, {}, "cuda:0"},
      {"rocm before metal", {cpu(), gpu(kMetal), gpu(kRocm)}, {}, "rocm:0"},
      {"metal before opencl", {cpu(), gpu(kOpenCL), gpu(kMetal)}, {}, "metal:0"},
      {"opencl before webgpu", {cpu(), gpu(kWebGPU), gpu(kOpenCL)}, {}, "opencl:0"},
      {"webgpu before the processor", {cpu(), gpu(kWebGPU)}, {}, "webgpu:0"},
      {"opencl on a processor is not preferred", {cpu(), opencl_on_cpu()}, {}, "cpu", {"used directly"}},
      {"opencl has a card behind its processor", {cpu(), opencl_on_both()}, {}, "opencl:1"},
      {"the first of two cards", {cpu(), two_gpus(kCuda, 40 * kGB, 40 * kGB)}, {}, "cuda:0"},
      {"no backend at all", {}, {}, "", {"no device can be used", "this build does not know CPU"}},
  };
}

// Auto goes on where a stage fails, and says which.
std::vector<Case> failing_cases() {
  return {
      {"not built", {absent(kCuda, AbsentStage::NotBuilt), cpu()}, {}, "cpu", {"reason: not built"}},
      {"library missing",
       {absent(kCuda, AbsentStage::LibraryMissing), cpu()},
       {},
       "cpu",
       {"library missing"}},
      {"symbol missing", {absent(kCuda, AbsentStage::SymbolMissing), cpu()}, {}, "cpu", {"symbol missing"}},
      {"initialization failed",
       {absent(kCuda, AbsentStage::InitializationFailed), gpu(kOpenCL), cpu()},
       {},
       "opencl:0",
       {"initialization failed"}},
      {"no device", {absent(kCuda, AbsentStage::NoDevice), cpu()}, {}, "cpu", {"no device"}},
      {"neither devices nor a reason", {FakeBackend(kCuda, {}), cpu()}, {}, "cpu", {"no device"}},
      {"does not open", {broken(kCuda), gpu(kOpenCL), cpu()}, {}, "opencl:0", {"the context cannot be made"}},
      {"self-check fails", {wrong(kCuda), cpu()}, {}, "cpu", {"the CPU has"}},
      {"f32 where any will do", {no_fp64(kMetal), cpu()}, {}, "metal:0"},
      {"f32 where f64 is wanted", {no_fp64(kMetal), cpu()}, {.f64 = true}, "cpu", {"computes in f32 only"}},
  };
}

std::vector<Case> memory_cases() {
  return {
      {"enough memory", {gpu(kCuda, 10 * kGB), cpu()}, {.bytes = 10 * kGB}, "cuda:0"},
      {"one byte too much", {gpu(kCuda, 10 * kGB), cpu()}, {.bytes = 10 * kGB + 1}, "cpu", {"10.00 GB free"}},
      {"the second card has room", {two_gpus(kCuda, kGB, 40 * kGB), cpu()}, {.bytes = 2 * kGB}, "cuda:1"},
      {"the next backend has room",
       {gpu(kCuda, kGB), gpu(kOpenCL, 4 * kGB), cpu()},
       {.bytes = 2 * kGB},
       "opencl:0",
       {"Card has 1.00 GB free"}},
      {"free memory unknown, 0.8 of all is enough",
       {unknown_free(kCuda, 10 * kGB), cpu()},
       {.bytes = 8 * kGB},
       "cuda:0"},
      {"free memory unknown, 0.8 of all is not enough",
       {unknown_free(kCuda, 10 * kGB), cpu()},
       {.bytes = 8 * kGB + 1},
       "cpu",
       {"10.00 GB in total"}},
      {"no room anywhere names bytes and the best",
       {gpu(kCuda, 48 * kGB), cpu(32 * kGB)},
       {.bytes = 100 * kGB},
       "",
       {"107374182400 bytes", "51539607552 bytes", "48.00 GB", "CUDA, Card"}},
      {"the processor is checked too",
       {cpu(kGB)},
       {.device = "cpu", .bytes = 2 * kGB},
       "",
       {"2.00 GB is needed", "1.00 GB free"}},
      {"a card asked for is too small",
       {gpu(kCuda, kGB), cpu()},
       {.device = "cuda", .bytes = 2 * kGB},
       "",
       {"\"cuda\" is not available", "2147483648 bytes", "1.00 GB free"}},
  };
}

// By name: that device or an error.
std::vector<Case> name_cases() {
  return {
      {"the processor by name", {gpu(kCuda), cpu()}, {.device = "cpu"}, "cpu"},
      {"a card by name", {gpu(kCuda), gpu(kOpenCL), cpu()}, {.device = "opencl"}, "opencl:0"},
      {"a card by number", {two_gpus(kCuda, kGB, kGB), cpu()}, {.device = "cuda:1"}, "cuda:1"},
      {"a number is the device's own", {second_only(), cpu()}, {.device = "cuda:1"}, "cuda:1"},
      {"a name alone is the first that works", {second_only(), cpu()}, {.device = "cuda"}, "cuda:1"},
      {"no such number",
       {gpu(kCuda), cpu()},
       {.device = "cuda:3"},
       "",
       {"there is no device 3", "available: cuda:0"}},
      {"all cards", {two_gpus(kCuda, 40 * kGB, 40 * kGB), cpu()}, {.device = "cuda:all"}, "cuda:all"},
      {"all cards are one", {gpu(kCuda), cpu()}, {.device = "cuda:all"}, "cuda:0"},
      {"all cards, and no processor beside them",
       {opencl_on_both(), cpu()},
       {.device = "opencl:all"},
       "opencl:1"},
      {"all cards must have room",
       {two_gpus(kCuda, 40 * kGB, kGB), cpu()},
       {.device = "cuda:all", .bytes = 2 * kGB},
       "",
       {"is needed"}},
      {"all processors are the CPU", {gpu(kCuda), cpu()}, {.device = "cpu:all"}, "cpu"},
      {"no card at all", {absent(kCuda, AbsentStage::LibraryMissing), cpu()}, {.device = "cuda:all"}, ""},
      {"no second processor", {cpu()}, {.device = "cpu:1"}, "", {"there is no device 1"}},
      {"absent by name",
       {absent(kCuda, AbsentStage::LibraryMissing), gpu(kOpenCL), cpu()},
       {.device = "cuda"},
       "",
       {"\"cuda\" is not available", "reason: library missing", "a hint", "fallback"}},
      {"broken by name", {broken(kCuda), cpu()}, {.device = "cuda:0"}, "", {"the context cannot be made"}},
      {"wrong numbers by name", {wrong(kCuda), cpu()}, {.device = "cuda"}, "", {"the CPU has"}},
      {"unregistered by name", {cpu()}, {.device = "metal"}, "", {"does not know Metal"}},
      {"opencl on a processor by name", {opencl_on_cpu(), cpu()}, {.device = "opencl"}, "opencl:0"},
      {"opencl by name takes the card", {opencl_on_both(), cpu()}, {.device = "opencl"}, "opencl:1"},
      {"f32 by name is what was asked for",
       {no_fp64(kMetal), cpu()},
       {.device = "metal", .f64 = true},
       "metal:0"},
  };
}

std::vector<Case> fallback_cases() {
  return {
      {"fallback from an absent card",
       {absent(kCuda, AbsentStage::NoDevice), gpu(kOpenCL), cpu()},
       {.device = "cuda", .fallback = true},
       "cpu",
       {"\"cuda\" is not available: reason: no device"}},
      {"fallback from a number",
       {gpu(kCuda), cpu()},
       {.device = "cuda:2", .fallback = true},
       "cpu",
       {"no device 2"}},
      {"fallback from a card that is too small",
       {gpu(kCuda, kGB), cpu()},
       {.device = "cuda", .bytes = 2 * kGB, .fallback = true},
       "cpu",
       {"1.00 GB free"}},
      {"fallback is not needed", {gpu(kCuda), cpu()}, {.device = "cuda", .fallback = true}, "cuda:0"},
      {"no fallback for the processor",
       {cpu(kGB)},
       {.device = "cpu", .bytes = 2 * kGB, .fallback = true},
       "",
       {"1.00 GB free"}},
      {"fallback without room either",
       {gpu(kCuda, kGB), cpu(kGB)},
       {.device = "cuda", .bytes = 2 * kGB, .fallback = true},
       "",
       {"no device has room for 2147483648 bytes"}},
  };
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (auto* part : {auto_cases, failing_cases, memory_cases, name_cases, fallback_cases}) {
    std::vector<Case> some = part();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::string everything_said(const Result<Selection>& result) {
  std::string text;
  if (!result) return result.errors().front().what + " | " + to_text(result.errors().front().hint);
  text = result->fallback;
  for (const PassedOver& one : result->passed_over) text += " | " + one.why.reason;
  return text;
}

Result<Selection> select(const std::vector<FakeBackend>& fakes, const Ask& ask) {
  std::vector<const Backend*> backends;
  for (const FakeBackend& fake : fakes) backends.push_back(&fake);
  const DeviceRequest request{
      .name = parse_device(ask.device).value(), .bytes = ask.bytes, .f64 = ask.f64, .fallback = ask.fallback};
  return select_device(backends, request, self_checks);
}

TEST(Selection, HasAtLeastThirtyCases) { EXPECT_GE(cases().size(), 30u); }

TEST(Selection, TakesWhatTheTableSays) {
  for (const Case& item : cases()) {
    SCOPED_TRACE(item.name);
    const Result<Selection> result = select(item.backends, item.ask);
    EXPECT_EQ(static_cast<bool>(result), *item.chosen != '\0') << everything_said(result);
    const std::string said = everything_said(result);
    for (const char* part : item.said) EXPECT_NE(said.find(part), said.npos) << said;
    if (result) {
      EXPECT_EQ(device_text(result->backend->type(), result->devices), item.chosen) << said;
      const bool elsewhere = !std::string(item.ask.device).starts_with("cpu") &&
                             std::string(item.ask.device) != "auto" && std::string(item.chosen) == "cpu";
      EXPECT_EQ(!result->fallback.empty(), elsewhere);
    } else {
      EXPECT_EQ(result.errors().front().code, ErrorCode::DeviceUnavailable);
      EXPECT_FALSE(result.errors().front().hint.empty());
    }
  }
}

TEST(Selection, AutoLooksNoFurtherThanItMust) {
  const std::vector<FakeBackend> fakes = {cpu(), gpu(kCuda), gpu(kOpenCL)};
  ASSERT_TRUE(select(fakes, {}));
  EXPECT_EQ(fakes[1].discovered, 1);
  EXPECT_EQ(fakes[0].discovered, 0) << "the processor comes last";
  EXPECT_EQ(fakes[2].discovered, 0);
}

TEST(Selection, ADeviceByNameLeavesTheOthersAlone) {
  const std::vector<FakeBackend> fakes = {cpu(), gpu(kCuda), gpu(kOpenCL)};
  ASSERT_TRUE(select(fakes, {.device = "opencl"}));
  EXPECT_EQ(fakes[0].discovered + fakes[1].discovered, 0);
}

TEST(Names, AreReadAsTheyAreWritten) {
  for (const char* text :
       {"auto", "cpu", "cuda", "cuda:1", "cuda:all", "rocm:12", "metal", "opencl:0", "webgpu"})
    EXPECT_EQ(to_string(parse_device(text).value()), text);
}

TEST(Names, ThatMeanNothingAreUsageErrors) {
  for (const char* text : {"", "gpu", "cudaa", "CUDA", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda: 1",
                           ":1", "auto:0", "auto:all", "cuda:ALL", "cuda:99999999999999999999", "cuda:1:2"}) {
    const Result<DeviceName> wish = parse_device(text);
    ASSERT_FALSE(wish) << text;
    EXPECT_EQ(wish.errors().front().code, ErrorCode::BadUsage) << text;
  }
  EXPECT_NE(parse_device("cudaa").errors().front().hint.text.find("did you mean 'cuda'?"), std::string::npos);
}

}  // namespace
}  // namespace nextstat

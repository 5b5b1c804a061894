#include <nextstat/backends.h>
// The backends of this build, the text about them, the self-check, and where questions are computed.
#include "device/registry.h"

#include <gtest/gtest.h>
#include <nextstat/evaluate.h>
#include <nextstat/fit.h>

#include <chrono>
#include <set>

#include "base/dynamic_library.h"
#include "infer/setup/open_session.h"
#include "infer/setup/self_check.h"
#include "test_models.h"
#include "unit/device/fake_backends.h"

namespace nextstat {
namespace {

using testing::device;
using testing::FakeBackend;
using testing::kGB;

Model small_model() {
  constexpr const char* kText = R"({"channels": [{"name": "c", "samples": [{"name": "s", "data": [5.0],
    "modifiers": [{"name": "mu", "type": "normfactor", "data": null}]}, {"name": "b", "data": [50.0],
    "modifiers": [{"name": "a", "type": "normsys", "data": {"lo": 0.9, "hi": 1.1}}]}]}],
    "observations": [{"name": "c", "data": [53]}],
    "measurements": [{"name": "m", "config": {"poi": "mu", "parameters": []}}], "version": "1.0.0"})";
  return test::model_of_text(kText);
}

FakeBackend card(BackendType type = BackendType::Cuda) {
  return {type, {device(0, "Card", 80 * kGB, 40 * kGB)}};
}

Result<OpenedSession> open_with(const std::vector<const Backend*>& backends, const RunOptions& options,
                                double fits) {
  return open_session(backends, small_model(), options, {.fits = fits});
}

constexpr double kMuch = 1e12, kLittle = 1;

// --- the registry ------------------------------------------------------------------------------------------

TEST(Registry, ListsEveryTypeOnceAndInOrder) {
  const std::vector<BackendReport> reports = discover_backends();
  ASSERT_EQ(reports.size(), 6u);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].type, static_cast<BackendType>(i));
    EXPECT_EQ(reports[i].devices.empty(), reports[i].absent.has_value());
    if (!reports[i].absent) continue;
    EXPECT_FALSE(reports[i].absent->reason.empty());
    EXPECT_FALSE(reports[i].absent->hint.empty());
  }
}

TEST(Registry, HasTheProcessorWithMeasuredMemory) {
  const BackendReport report = native_backend().discover();
  ASSERT_EQ(report.devices.size(), 1u);
  const DeviceInfo& info = report.devices.front();
  EXPECT_FALSE(info.name.empty());
  EXPECT_GT(info.total_memory, 0u);
  EXPECT_EQ(info.kind, DeviceKind::Cpu);
  EXPECT_EQ(info.fp64, Fp64::Full);
}

TEST(Registry, NamesOfTypesDiffer) {
  std::set<std::string> names;
  for (int i = 0; i < 6; ++i) {
    names.insert(to_string(static_cast<BackendType>(i)));
    names.insert(display_name(static_cast<BackendType>(i)));
  }
  EXPECT_EQ(names.size(), 12u);
}

TEST(Registry, InitializesTheProcessorByNameAndWithMemory) {
  const Result<ReadyDevice> ready = init_backend(BackendPreference::Cpu);
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->name, "cpu");
  EXPECT_TRUE(init_backend_with_memory_check(BackendPreference::Cpu, 1024));
  const auto refused = init_backend_with_memory_check(BackendPreference::Auto, ~std::uint64_t{0});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.errors().front().what.find("18446744073709551615 bytes"), std::string::npos);
  EXPECT_FALSE(init_backend(BackendPreference::Cpu, 1));
  EXPECT_FALSE(init_backend(BackendPreference::WebGPU));
}

// --- the text ----------------------------------------------------------------------------------------------

TEST(Summary, IsAsTheDocumentsShowIt) {
  DeviceInfo processor = device(0, "AMD EPYC 9654", 270046920704, 257805057229);
  processor.kind = DeviceKind::Cpu;
  DeviceInfo card = device(0, "NVIDIA H200", 150023207813, 149357487718);
  card.compute_capability = "9.0";
  DeviceInfo chip = device(1, "Orin", 32 * kGB, {});
  chip.unified_memory = true;
  const std::vector<BackendReport> reports = {
      {BackendType::Cpu, {processor}, {}},
      {BackendType::Cuda, {card, chip}, {}},
      {BackendType::Metal, {}, Absent{AbsentStage::NotBuilt, "built without Metal: this is not macOS", ""}}};
  EXPECT_EQ(backend_summary(reports, BackendType::Cuda),
            "=== Available Backends ===\n"
            "✓ CPU (CPU)\n"
            "    [0] AMD EPYC 9654: 251.50 GB (240.10 GB free)\n"
            "✓ CUDA (CUDA)\n"
            "    [0] NVIDIA H200: 139.72 GB (139.10 GB free), compute 9.0\n"
            "    [1] Orin: 32.00 GB (unified memory)\n"
            "✗ Metal (Metal)\n"
            "    Error: built without Metal: this is not macOS\n"
            "\n"
            "Recommended backend: CUDA\n");
}

// --- the self-check ----------------------------------------------------------------------------------------

TEST(SelfCheck, PassesWhereNumbersAreTheCpus) { EXPECT_FALSE(self_check(card(), device(0, "", 0, {}))); }

TEST(SelfCheck, FindsNumbersBeyondTheTolerance) {
  EXPECT_FALSE(self_check(card().computes(1 + 1e-9), {}));
  const std::optional<Absent> wrong = self_check(card().computes(1 + 1e-4), {});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->stage, AbsentStage::SelfCheckFailed);
  EXPECT_NE(wrong->reason.find("nll[0] = "), std::string::npos) << wrong->reason;
  EXPECT_TRUE(self_check(card().computes(std::numeric_limits<double>::quiet_NaN()), {}));
}

TEST(SelfCheck, AllowsMoreInF32) {
  EXPECT_FALSE(self_check(card().computes(1 + 1e-4, false), {}));
  EXPECT_TRUE(self_check(card().computes(1 + 1e-2, false), {}));
}

TEST(SelfCheck, SaysWhenASessionDoesNotOpen) {
  const std::optional<Absent> wrong = self_check(card().opens_with("no context"), {});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->stage, AbsentStage::InitializationFailed);
  EXPECT_EQ(wrong->reason, "no context");
}

// --- where questions are computed --------------------------------------------------------------------------

TEST(OpenSession, AutoLeavesLittleWorkToTheCpuWithoutLookingFurther) {
  const FakeBackend gpu = card();
  const Result<OpenedSession> opened = open_with({&native_backend(), &gpu}, {}, kLittle);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->use.name, "cpu");
  EXPECT_EQ(opened->use.precision, "f64");
  EXPECT_EQ(opened->use.choice, "auto: too little work for a GPU");
  EXPECT_EQ(gpu.discovered + gpu.opened, 0);
}

TEST(OpenSession, AutoTakesAGpuForMuchWork) {
  const FakeBackend gpu = card();
  const Result<OpenedSession> opened = open_with({&native_backend(), &gpu}, {}, kMuch);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->use.name, "cuda:0");
  EXPECT_EQ(opened->use.choice, "auto: enough work for a GPU");
  EXPECT_EQ(gpu.opened, 2) << "the self-check, and the session";
}

TEST(OpenSession, AutoSaysWhyMuchWorkStaysOnTheCpu) {
  const FakeBackend wrong = card().computes(2),
                    absent(BackendType::Rocm, AbsentStage::LibraryMissing, "none");
  const Result<OpenedSession> opened = open_with({&native_backend(), &wrong, &absent}, {}, kMuch);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->use.name, "cpu");
  EXPECT_EQ(
      opened->use.choice.find("auto: enough work for a GPU, but none can be used (CUDA: self-check failed, "
                              "ROCm: library missing"),
      0u)
      << opened->use.choice;
}

TEST(OpenSession, AutoKeepsToF64) {
  DeviceInfo small = device(0, "Small card", 8 * kGB, 8 * kGB);
  small.fp64 = Fp64::None;
  FakeBackend metal(BackendType::Metal, {small});
  metal.computes(1, false);
  EXPECT_EQ(open_with({&native_backend(), &metal}, {}, kMuch)->use.name, "cpu");
  RunOptions by_name;
  by_name.device = "metal";
  const Result<OpenedSession> opened = open_with({&native_backend(), &metal}, by_name, kLittle);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->use.name, "metal:0");
  EXPECT_EQ(opened->use.precision, "f32");
  EXPECT_EQ(opened->use.choice, "asked for");
}

TEST(OpenSession, FallsBackOnlyWhereItMay) {
  const FakeBackend gpu = card().opens_with("out of memory");
  RunOptions options;
  options.device = "cuda";
  const Result<OpenedSession> refused = open_with({&native_backend(), &gpu}, options, kLittle);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().front().code, ErrorCode::DeviceUnavailable);
  options.fallback = true;
  const Result<OpenedSession> opened = open_with({&native_backend(), &gpu}, options, kLittle);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->use.name, "cpu");
  EXPECT_NE(opened->use.fallback.find("out of memory"), std::string::npos);
}

TEST(OpenSession, ErrorsOfTheCpuKeepTheirOption) {
  RunOptions options;
  options.instruction_set = "x86-64-v9";
  for (const char* name : {"auto", "cpu"}) {
    options.device = name;
    const Result<OpenedSession> refused = open_with({&native_backend()}, options, kLittle);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.errors().front().where.field, Field::InstructionSet);
    EXPECT_EQ(refused.errors().front().code, ErrorCode::BadUsage);
  }
}

TEST(OpenSession, ResultsSayWhereTheyWereComputed) {
  const Model model = small_model();
  EXPECT_EQ(fit(model)->device.choice, "auto: too little work for a GPU");
  FitOptions options;
  options.run.device = "cpu";
  EXPECT_EQ(fit(model, options)->device.choice, "asked for");
  options.run.device = "webgpu";
  EXPECT_EQ(fit(model, options).errors().front().code, ErrorCode::DeviceUnavailable);
  options.run.fallback = true;
  EXPECT_FALSE(fit(model, options)->device.fallback.empty());
  EXPECT_EQ(evaluate(model, model.initial(), {.device = "cpu"})->device.choice, "asked for");
}

TEST(Estimate, GrowsWithTheWork) {
  const Model model = small_model();
  EXPECT_GT(estimated_cpu_seconds(model, {.fits = 2}), estimated_cpu_seconds(model, {.fits = 1}));
  EXPECT_GT(estimated_cpu_seconds(model, {.fits = 1}),
            estimated_cpu_seconds(model, {.fits = 0, .evaluations = 1}));
}

// --- libraries opened at run time --------------------------------------------------------------------------

TEST(DynamicLibrary, TellsAMissingLibraryFromAMissingSymbol) {
  const auto missing = DynamicLibrary::open({"libnextstat_nowhere.so.1"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.errors().front().code, ErrorCode::NotFound);
  EXPECT_EQ(missing.errors().front().where.inside, "libnextstat_nowhere.so.1");
  const auto library = DynamicLibrary::open({"libnextstat_nowhere.so.1", "libm.so.6"});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->name(), "libm.so.6");
  SymbolReader read(*library);
  double (*cosine)(double) = nullptr;
  double (*nothing)(double) = nullptr;
  read("cos", cosine);
  read("nextstat_no_such_function", nothing);
  ASSERT_NE(cosine, nullptr);
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_EQ(read.missing(), std::vector<std::string>{"nextstat_no_such_function"});
}

}  // namespace
}  // namespace nextstat

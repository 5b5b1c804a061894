#include "infer/setup/self_check.h"

#include <fmt/format.h>
#include <nextstat/model.h>

#include <cmath>

#include "base/try.h"
#include "device/registry.h"
#include "minimize/rows/solve.h"

namespace nextstat {
namespace {

// Every modifier once, two channels, counts near what is expected.
constexpr const char* kWorkspace = R"({
"channels": [
 {"name": "signal", "samples": [
  {"name": "new", "data": [4.0, 9.0, 5.0], "modifiers": [
   {"name": "mu", "type": "normfactor", "data": null},
   {"name": "lumi", "type": "lumi", "data": null},
   {"name": "theory", "type": "normsys", "data": {"lo": 0.85, "hi": 1.2}}]},
  {"name": "old", "data": [51.0, 42.0, 36.0], "modifiers": [
   {"name": "theory", "type": "normsys", "data": {"lo": 0.95, "hi": 1.07}},
   {"name": "scale", "type": "histosys",
    "data": {"lo_data": [48.0, 43.0, 37.5], "hi_data": [55.0, 40.5, 35.0]}},
   {"name": "counts", "type": "staterror", "data": [2.0, 1.5, 1.25]}]}]},
 {"name": "control", "samples": [
  {"name": "old", "data": [310.0, 245.0], "modifiers": [
   {"name": "shape", "type": "shapefactor", "data": null},
   {"name": "scale", "type": "histosys", "data": {"lo_data": [300.0, 250.0], "hi_data": [322.0, 240.0]}}]},
  {"name": "other", "data": [40.0, 30.0], "modifiers": [
   {"name": "fakes", "type": "shapesys", "data": [6.0, 4.0]}]}]}],
"observations": [{"name": "signal", "data": [57, 49, 40]}, {"name": "control", "data": [352, 268]}],
"measurements": [{"name": "m", "config": {"poi": "mu", "parameters": [
 {"name": "lumi", "inits": [1.0], "auxdata": [1.0], "sigmas": [0.02], "bounds": [[0.5, 1.5]], "fixed": false}]}}],
"version": "1.0.0"})";

// Largest differences to the CPU in f64, relative to numbers above 1: docs/backends.md.
struct Tolerances {
  double nll, gradient, bestfit, nll_of_fit;
};
constexpr Tolerances kF64 = {1e-6, 1e-5, 2e-4, 1e-6};
constexpr Tolerances kF32 = {1e-3, 1e-2, 1e-2, 1e-3};

// The start, and every parameter moved a little to either side of it.
std::vector<double> points(const Model& model) {
  std::vector<double> values;
  for (const double step : {0.0, 0.07, -0.04}) {
    for (const Parameter& parameter : model.parameters()) values.push_back(parameter.init + step);
  }
  return values;
}

struct Numbers {
  std::vector<double> nll, gradient, bestfit;
  double nll_of_fit = 0;
};

Result<Numbers> numbers_of(DeviceSession& session, const Model& model) {
  const std::vector<double> at = points(model);
  TRY(EvalOutput values, session.evaluate({.parameters = at, .rows = 3, .gradient = true}));
  RowBatch batch;
  batch.starts = {{at.begin(), at.begin() + static_cast<std::ptrdiff_t>(model.n_parameters())}};
  batch.rows = {{}};
  TRY(std::vector<Minimum> minima, solve(session, model, batch));
  Minimum& minimum = minima.front();
  if (!minimum.converged())
    return Error{ErrorCode::DeviceUnavailable, "", "the fit of a small model does not converge", ""};
  return Numbers{std::move(values.nll), std::move(values.gradient), std::move(minimum.parameters),
                 minimum.nll};
}

// "" or the first number that is off.
std::string difference(const char* what, std::span<const double> here, std::span<const double> cpu,
                       double tolerance) {
  if (here.size() != cpu.size())
    return fmt::format("{}: {} numbers, the CPU has {}", what, here.size(), cpu.size());
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    if (!(std::abs(here[i] - cpu[i]) <= tolerance * std::max(1.0, std::abs(cpu[i]))))
      return fmt::format("{}[{}] = {:.10g}, the CPU has {:.10g}", what, i, here[i], cpu[i]);
  }
  return "";
}

std::string difference(const Numbers& here, const Numbers& cpu, const Tolerances& allowed) {
  for (std::string found :
       {difference("nll", here.nll, cpu.nll, allowed.nll),
        difference("gradient", here.gradient, cpu.gradient, allowed.gradient),
        difference("bestfit", here.bestfit, cpu.bestfit, allowed.bestfit),
        difference("nll of the fit", {&here.nll_of_fit, 1}, {&cpu.nll_of_fit, 1}, allowed.nll_of_fit)}) {
    if (!found.empty()) return found;
  }
  return "";
}

Absent failed(AbsentStage stage, const Error& error) {
  return {stage, error.what, error.hint.empty() ? Hint(Listing::DeviceChecks) : error.hint};
}

}  // namespace

std::optional<Absent> self_check(const Backend& backend, const DeviceInfo& device) {
  const Model model = parse_model(kWorkspace).value();
  const auto native = native_backend().open(model, {0}, {});
  if (!native) return failed(AbsentStage::SelfCheckFailed, native.errors().front());
  const Result<Numbers> cpu = numbers_of(**native, model);
  if (!cpu) return failed(AbsentStage::SelfCheckFailed, cpu.errors().front());
  const auto session = backend.open(model, {device.index}, {});
  if (!session) return failed(AbsentStage::InitializationFailed, session.errors().front());
  const Result<Numbers> here = numbers_of(**session, model);
  if (!here) return failed(AbsentStage::SelfCheckFailed, here.errors().front());
  const std::string wrong = difference(*here, *cpu, (*session)->traits().f64 ? kF64 : kF32);
  if (wrong.empty()) return std::nullopt;
  return failed(AbsentStage::SelfCheckFailed, {ErrorCode::DeviceUnavailable, "", wrong, ""});
}

std::optional<Absent> self_checks(const Backend& backend, std::span<const DeviceInfo> devices) {
  for (const DeviceInfo& device : devices) {
    if (std::optional<Absent> wrong = self_check(backend, device)) return wrong;
  }
  return std::nullopt;
}

}  // namespace nextstat

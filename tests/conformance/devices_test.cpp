// One suite over every device present, in each of its precisions: the numbers of the CPU in f64,
// within the tiers of device_tolerances.json.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "conformance/cases.h"
#include "conformance/devices.h"
#include "conformance/measured.h"
#include "conformance/mixed_rows.h"
#include "cpu/cpu_session.h"
#include "device/registry.h"
#include "gpu/test_sessions.h"
#include "minimize/curvature/covariance.h"
#include "minimize/rows/session_calls.h"
#include "model/draw/draw_plan.h"
#include "same_bits.h"
#include "test_models.h"

namespace nextstat::conformance {
namespace {

using test::same_bits;

class Devices : public testing::TestWithParam<TestDevice> {
 protected:
  bool f64() const { return GetParam().f64; }
  std::unique_ptr<DeviceSession> open(const Model& model, const DeviceSessionOptions& options = {}) const {
    Result<std::unique_ptr<DeviceSession>> session = GetParam().open(model, options);
    if (!session) throw std::runtime_error(session.errors().front().what);
    return std::move(*session);
  }
  Tolerance tolerance(const std::string& what) const { return device_tolerance(f64() ? "f64" : "f32", what); }

  void expect(const std::string& what, double found, double expected, double more = 0) const {
    EXPECT_TRUE(is_within(tolerance(what), found, expected, more))
        << what << ": " << found << ", CPU " << expected << ", difference " << found - expected;
  }

  // Small models in all codes everywhere; the workspaces that fits are tried on.
  static std::vector<CaseName> cases() { return small_cases_and({"thu.json", "tttt.json"}); }
};

// NLL, gradient and expected data at points of every kind, on the model's data and on others.
void expect_evaluations(const Model& model, DeviceSession& device, bool f64, std::size_t rows,
                        const std::function<void(const std::string&, double, double, double)>& expect) {
  std::vector<double> points = model.initial();
  const std::vector<double> random = Points(model, 60).random_rows(rows - 1);
  points.insert(points.end(), random.begin(), random.end());
  std::vector<double> data(model.data().begin(), model.data().end());
  for (const double datum : model.data()) data.push_back(datum + 2);
  std::vector<std::size_t> set_of_row;
  for (std::size_t row = 0; row < rows; ++row) set_of_row.push_back(row % 2);
  const EvalRequest request{points, rows, data, set_of_row, true, true};
  const EvalOutput expected = make_cpu_session(model).value()->evaluate(request).value();
  const EvalOutput found = device.evaluate(request).value();
  const std::size_t n = model.n_parameters(), n_data = model.data().size();
  for (std::size_t row = 0; row < rows; ++row) {
    if (!f64 && !std::isfinite(expected.nll[row])) continue;
    double condition = 0;
    for (std::size_t i = row * n; i < (row + 1) * n; ++i)
      condition += std::abs(expected.gradient[i]) * std::max(1.0, std::abs(points[i]));
    const double more = f64 ? 0 : device_tolerance("f32", "condition").relative * condition;
    expect("nll", found.nll[row], expected.nll[row], more);
    if (!f64) continue;  // the gradient of f32 has a promise of its own
    for (std::size_t i = row * n; i < (row + 1) * n; ++i)
      expect("gradient", found.gradient[i], expected.gradient[i], 0);
    for (std::size_t i = row * n_data; i < (row + 1) * n_data; ++i)
      expect("nll", found.expected[i], expected.expected[i], 0);
  }
}

TEST_P(Devices, EvaluateAllModifiersAndInterpolationCodes) {
  const auto check = [&](const std::string& what, double found, double expected, double more) {
    expect(what, found, expected, more);
  };
  for (const CaseName& name : cases()) {
    for (const Codes& codes : kCodes) {
      SCOPED_TRACE(to_string(name) + ", codes " + codes.name);
      const Model model = load_model(name, codes);
      expect_evaluations(model, *open(model), f64(), 12, check);
    }
  }
}

TEST_P(Devices, EvaluateEveryRealWorkspace) {
  NEXTSTAT_NEEDS_DATA();
  const auto check = [&](const std::string& what, double found, double expected, double more) {
    expect(what, found, expected, more);
  };
  for (const CaseName& name : real_cases()) {
    SCOPED_TRACE(to_string(name));
    const Model model = load_model(name);
    expect_evaluations(model, *open(model), f64(), 3, check);
  }
}

// More rows than a device has places for at once, so that places are used again.
TEST_P(Devices, EvaluateManyRowsWithAndWithoutGradients) {
  constexpr std::size_t kRows = 5000;
  const Model model = load_model(small_cases()[0]);
  const auto session = open(model);
  const std::vector<double> points = Points(model, 3).random_rows(kRows);
  const EvalOutput with = session->evaluate({.parameters = points, .rows = kRows, .gradient = true}).value();
  const EvalOutput without = session->evaluate({.parameters = points, .rows = kRows}).value();
  EXPECT_TRUE(same_bits(without.nll, with.nll));
  const EvalOutput cpu =
      make_cpu_session(model).value()->evaluate({.parameters = points, .rows = kRows}).value();
  if (f64()) {
    EXPECT_TRUE(same_bits(without.nll, cpu.nll));
  }
}

// In f32 too the bits are those of the same bodies elsewhere: in C++ on the software queue.
TEST_P(Devices, OfSinglePrecisionHaveTheBitsOfTheSoftwareQueue) {
  if (f64()) GTEST_SKIP() << "a device of double precision";
  if (GetParam().name.starts_with("software")) GTEST_SKIP() << "the software queue itself";
  for (const CaseName& name : cases()) {
    for (const Codes& codes : kCodes) {
      SCOPED_TRACE(to_string(name) + ", codes " + codes.name);
      const Model model = load_model(name, codes);
      const std::vector<double> points = Points(model, 61).random_rows(12);
      const EvalRequest request{.parameters = points, .rows = 12, .gradient = true};
      const EvalOutput expected = gpu::session_on(model, {{.real_bits = 32}})->evaluate(request).value();
      const EvalOutput found = open(model)->evaluate(request).value();
      EXPECT_TRUE(same_bits(found.nll, expected.nll));
      EXPECT_TRUE(same_bits(found.gradient, expected.gradient));
    }
  }
}

// The promise of f32 for the 184-parameter workspace.
TEST_P(Devices, OfSinglePrecisionHaveNoWrongSignInTheGradientOfThu) {
  NEXTSTAT_NEEDS_DATA();
  if (f64()) GTEST_SKIP() << "a device of double precision";
  const Model model = load_model({"thu.json"});
  std::vector<double> points = model.initial();
  const std::vector<double> random = Points(model, 51).random_rows(20);
  points.insert(points.end(), random.begin(), random.end());
  const EvalRequest request{.parameters = points, .rows = 21, .gradient = true};
  const EvalOutput expected = make_cpu_session(model).value()->evaluate(request).value();
  const EvalOutput found = open(model)->evaluate(request).value();
  Measured errors;
  std::size_t wrong_signs = 0;
  for (std::size_t i = 0; i < expected.gradient.size(); ++i) {
    const double g = expected.gradient[i];
    errors.add(std::abs(found.gradient[i] - g) / std::max(std::abs(g), 1.0));
    wrong_signs += std::abs(g) > tolerance("gradient_tiny").absolute &&
                   std::signbit(g) != std::signbit(found.gradient[i]);
  }
  errors.print("gradient in f32, relative to max(|g|, 1)");
  EXPECT_EQ(wrong_signs, 0u);
  EXPECT_LT(errors.median(), tolerance("gradient_median").relative);
  EXPECT_LT(errors.largest(), tolerance("gradient_worst").relative);
}

// --- fits --------------------------------------------------------------------------------------------------

std::vector<double> uncertainties(const Model& model, const Minimum& minimum) {
  const std::vector<char> free = test::inside_bounds(model, minimum.parameters);
  const Dataset data = make_dataset(compiled_model(model), model.data());
  const Covariance found = covariance(compiled_model(model), data, minimum.parameters, free, 0);
  std::vector<double> sigma;
  for (std::size_t i = 0; i < free.size(); ++i)
    sigma.push_back(std::sqrt(found.matrix[i * (free.size() + 1)]));
  return sigma;
}

TEST_P(Devices, FitWithUncertainties) {
  for (const CaseName& name : cases()) {
    SCOPED_TRACE(to_string(name));
    const Model model = load_model(name);
    const auto cpu = make_cpu_session(model).value();
    const Minimum expected = fit_single(*cpu, model).value();
    const Minimum found = fit_single(*open(model), model).value();
    EXPECT_TRUE(found.converged()) << to_string(found.termination) << ", edm " << found.edm;
    expect("fit_nll", found.nll, expected.nll);
    const std::vector<double> sigma = uncertainties(model, expected),
                              sigma_found = uncertainties(model, found);
    for (std::size_t i = 0; i < sigma.size(); ++i) {
      SCOPED_TRACE(model.parameters()[i].name);
      // In f32 a parameter of large value is as good as its uncertainty, not as its digits.
      expect("best_fit", found.parameters[i], expected.parameters[i]);
      expect("uncertainty", sigma_found[i], sigma[i]);
    }
  }
}

TEST_P(Devices, FitEveryRealWorkspace) {
  NEXTSTAT_NEEDS_DATA();
  for (const CaseName& name : real_cases()) {
    const Model model = load_model(name);
    if (GetParam().slow && model.n_parameters() > 600) continue;  // seconds each where a processor stands in
    SCOPED_TRACE(to_string(name));
    const Minimum expected = fit_single(*make_cpu_session(model).value(), model).value();
    const Result<Minimum> fitted = fit_single(*open(model), model);
    ASSERT_TRUE(fitted);
    EXPECT_EQ(fitted->converged(), expected.converged());
    if (expected.converged()) expect("fit_nll", fitted->nll, expected.nll);
    if (f64()) {
      EXPECT_TRUE(same_bits(fitted->parameters, expected.parameters));
    }
  }
}

// Rows that differ in data, start, bounds and held parameters, and end after different numbers of steps.
TEST_P(Devices, MinimizeRowsOfEveryKind) {
  for (const CaseName& name : cases()) {
    SCOPED_TRACE(to_string(name));
    const Model model = load_model(name);
    const MixedRows rows(model, name.file.empty() ? 61 : 16);
    const std::vector<RowOutcome> expected = rows.minimize(*make_cpu_session(model).value());
    const std::vector<RowOutcome> found = rows.minimize(*open(model));
    if (f64()) {
      expect_same(found, expected);
      continue;
    }
    for (std::size_t row = 0; row < found.size(); ++row) {
      if (expected[row].status != RowStatus::Converged || found[row].status != RowStatus::Converged) continue;
      expect("fit_nll", found[row].nll, expected[row].nll);
    }
  }
}

// q(mu) from fits at two values.
TEST_P(Devices, GiveTheDifferencesOfTestStatistics) {
  for (const CaseName& name : cases()) {
    SCOPED_TRACE(to_string(name));
    const Model model = load_model(name);
    if (!model.poi_index()) continue;
    RowBatch batch;
    batch.starts = {model.initial()};
    for (const double mu : {0.5, 1.5}) batch.rows.push_back({.fixed = {{*model.poi_index(), mu}}});
    const auto expected = solve(*make_cpu_session(model).value(), model, batch).value();
    const auto found = solve(*open(model), model, batch).value();
    expect("twice_nll_difference", 2 * (found[1].nll - found[0].nll),
           2 * (expected[1].nll - expected[0].nll));
  }
}

// --- toys --------------------------------------------------------------------------------------------------

TEST_P(Devices, DrawTheToysOfTheHostAndFitThem) {
  for (const CaseName& name : cases()) {
    SCOPED_TRACE(to_string(name));
    const Model model = load_model(name);
    const auto cpu = make_cpu_session(model).value();
    const auto device = open(model);
    const std::vector<double> expected_values = expected_data(*cpu, model.initial()).value();
    const DrawPlan plan = make_draw_plan(compiled_model(model), expected_values, {}, false).value();
    const ToyDraw draw{plan, 0x9876543210abcdef, 513, (std::uint64_t{1} << 41) - 15, 30};
    const DrawnToys host = cpu->draw(draw).value(), drawn = device->draw(draw).value();
    ASSERT_TRUE(same_bits(drawn.values, host.values));
    const std::vector<Minimum> expected = fit_batch(*cpu, model, host.values).value();
    const std::vector<Minimum> found = fit_batch(*device, model, drawn.values).value();
    for (std::size_t toy = 0; toy < found.size(); ++toy) {
      EXPECT_EQ(found[toy].converged(), expected[toy].converged()) << "toy " << toy;
      expect("fit_nll", found[toy].nll, expected[toy].nll);
    }
  }
}

// Bins of every size of rate, some without events, and normal constraints; an odd number of data.
Model model_of_every_rate() {
  std::vector<double> data;
  nlohmann::json modifiers = nlohmann::json::array({reference::modifier("mu", "normfactor")});
  for (double rate = 1e-9; rate < 1e15; rate *= 2.9) data.push_back(rate);
  data.insert(data.end(), {0.0, kLargestTableRate, std::nextafter(kLargestTableRate, 1e9)});
  if (data.size() % 2 == 1) data.push_back(33.0);
  for (int i = 0; i < 9; ++i) modifiers.push_back(reference::normsys(fmt::format("n{}", i), 0.9, 1.1));
  return test::model_of(reference::one_channel({reference::sample("s", data, modifiers)}, data));
}

TEST_P(Devices, DrawEveryKindOfRateAsTheHost) {
  const Model model = model_of_every_rate();
  const auto cpu = make_cpu_session(model).value();
  std::vector<double> at = expected_data(*cpu, model.initial()).value();
  at[0] = -1;  // drawn as 0
  const DrawPlan plan = make_draw_plan(compiled_model(model), at, {}, false).value();
  EXPECT_EQ(plan.data.size() % 2, 1u);
  const ToyDraw draw{plan, 0x9876543210abcdef, 513, (std::uint64_t{1} << 41) - 1500, 3000};
  const RawNumbers host = cpu->draw(draw).value().values;
  EXPECT_TRUE(same_bits(open(model)->draw(draw).value().values, host));
}

// Toys that stay on the device are the toys that were read from it.
TEST_P(Devices, FitResidentToysAsUploadedOnes) {
  const Model model = load_model(small_cases()[0]);
  const auto device = open(model);
  const std::vector<double> at = expected_data(*device, model.initial()).value();
  const DrawPlan plan = make_draw_plan(compiled_model(model), at, {}, false).value();
  const MixedRows rows(model, 20);
  std::vector<DrawnToys> drawn;
  for (std::uint32_t i = 0; i < 6; ++i) drawn.push_back(device->draw({plan, 7, i, 0, 20}).value());
  for (DrawnToys& toys : drawn) {  // the first are gone by now
    MinimizeRequest request = rows.request();
    request.data = toys.values;
    const std::vector<RowOutcome> uploaded = device->minimize(request).value();
    request.drawn = &toys;
    expect_same(device->minimize(request).value(), uploaded);
    // Values that only the device has.
    DrawnToys again = device->draw({plan, 7, 0, 0, 20, false}).value();
    request.data = {};
    request.drawn = &again;
    const std::vector<RowOutcome> first = device->minimize(request).value();
    std::vector<double> room;
    const std::size_t n_data = model.data().size();
    EXPECT_TRUE(
        same_bits(again.toy(3, n_data, room), std::span(drawn[0].values).subspan(3 * n_data, n_data)));
    if (&toys == &drawn[0]) expect_same(first, uploaded);
  }
}

// --- batches -----------------------------------------------------------------------------------------------

TEST_P(Devices, TakeEmptyAndHugeBatches) {
  const Model model = load_model(small_cases()[0]);
  const auto device = open(model);
  EXPECT_TRUE(device->evaluate({.parameters = {}, .rows = 0}).value().nll.empty());
  const MixedRows rows(model, 7);
  MinimizeRequest request = rows.request();
  request.rows = {};
  EXPECT_TRUE(device->minimize(request).value().empty());
  const std::size_t huge = GetParam().slow ? 20000 : 200000;
  std::vector<double> points;
  for (std::size_t row = 0; row < huge; ++row) {
    const std::vector<double> start = model.initial();
    points.insert(points.end(), start.begin(), start.end());
    points.back() += 1e-6 * static_cast<double>(row);
  }
  const std::vector<double> nll = nll_batch(*device, points, huge).value();
  const std::vector<double> expected = nll_batch(*make_cpu_session(model).value(), points, huge).value();
  for (std::size_t row = 0; row < huge; row += 97) expect("nll", nll[row], expected[row]);
  expect("nll", nll.back(), expected.back());
}

TEST_P(Devices, DoNotDependOnTheirMemory) {
  const Model model = load_model(small_cases()[0]);
  const MixedRows rows(model, 61);
  const std::vector<RowOutcome> expected = rows.minimize(*open(model));
  for (const std::size_t limit : {std::size_t{200} << 20, std::size_t{1} << 20}) {
    SCOPED_TRACE(limit);
    const auto device = open(model, {.memory_limit = limit});
    expect_same(rows.minimize(*device), expected);
    expect_same(rows.minimize(*device, true), expected);
  }
}

// --- fixed numbers -----------------------------------------------------------------------------------------

Model three_bins() {
  const nlohmann::json mu = reference::modifier("mu", "normfactor");
  return test::model_of(reference::one_channel({reference::sample("s", {10, 20, 30}, {mu})}, {10, 20, 30}));
}

// n - n log n + log n! at n = 10, 20, 30.
TEST_P(Devices, HaveTheCanonicalPoissonNll) {
  constexpr double kCanonical = 7.12184753177422673909;
  const Model model = three_bins();
  const double found = poisson_nll(*open(model), std::vector<double>{1.0}).value();
  EXPECT_TRUE(is_within(device_tolerance("canonical", "poisson_nll"), found, kCanonical))
      << found - kCanonical;
}

TEST_P(Devices, HaveAnNllThatRisesAwayFromTheMinimum) {
  const Model model = three_bins();
  std::vector<double> points;
  for (int i = 0; i <= 20; ++i) points.push_back(1 + 0.1 * (i - 10));
  points[0] = 0.01;
  const std::vector<double> nll = nll_batch(*open(model), points, points.size()).value();
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_GT(nll[i], nll[i + 1]) << "mu " << points[i];
    EXPECT_LT(nll[i + 10], nll[i + 11]) << "mu " << points[i + 10];
  }
}

TEST_P(Devices, SayWhichTheyAreAndTheirPrecision) {
  const Model model = three_bins();
  const SessionTraits can = open(model)->traits();
  EXPECT_EQ(can.f64, f64());
  std::string name = can.device;  // "cuda:0"
  std::ranges::replace(name, ':', '_');
  EXPECT_EQ(GetParam().name, name + (f64() ? "_f64" : "_f32"));
  EXPECT_FALSE(can.instruction_set.empty());
}

INSTANTIATE_TEST_SUITE_P(Present, Devices, testing::ValuesIn(test_devices()),
                         testing::PrintToStringParamName());

TEST(Backends, AreTriedHereOrSayWhyNot) {
  for (const Backend* backend : registered_backends()) {
    const BackendReport report = backend->discover();
    const std::string type = to_string(report.type);
    if (report.type == BackendType::Cpu) continue;  // what others are compared with
    const auto is_of_type = [&](const TestDevice& device) { return device.name.starts_with(type + "_"); };
    EXPECT_NE(std::ranges::any_of(test_devices(), is_of_type), report.absent.has_value()) << type;
    if (!report.absent) continue;
    EXPECT_FALSE(report.absent->reason.empty()) << type;
    std::cout << "[ skipped  ] " << type << ": " << to_string(report.absent->stage) << ": "
              << report.absent->reason << "\n";
  }
}

}  // namespace
}  // namespace nextstat::conformance

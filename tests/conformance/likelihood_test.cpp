// NLL and expected data against the reference evaluator, f64 and f32, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "conformance/cases.h"
#include "conformance/measured.h"
#include "conformance/points.h"
#include "conformance/tolerances.h"
#include "cpu/cpu_session.h"
#include "cpu/instruction_set.h"
#include "gpu/test_sessions.h"

namespace nextstat::conformance {
namespace {

constexpr std::size_t kRandomPoints = 4;

// 64 bits are enough everywhere but where auxiliary data of 1.9e11 cancel 5e12: there 113.
double reference_nll(const Case& subject, const std::vector<double>& point, bool quad) {
  if (quad) {
    const std::vector<reference::Quad> exact(point.begin(), point.end());
    return static_cast<double>(
        reference::nll<reference::Quad>(subject.reference, exact, subject.reference.data));
  }
  const std::vector<long double> exact(point.begin(), point.end());
  return static_cast<double>(reference::nll<long double>(subject.reference, exact, subject.reference.data));
}

EvalRequest request(const std::vector<double>& rows, std::size_t count) {
  EvalRequest request;
  request.parameters = rows;
  request.rows = count;
  request.expected = true;
  return request;
}

class Likelihood : public testing::TestWithParam<CaseName> {};

TEST_P(Likelihood, HasTheParametersAndDataOfTheReference) {
  const Case subject = load(GetParam(), kCodes[0]);
  const auto parameters = subject.model.parameters();
  ASSERT_EQ(parameters.size(), subject.reference.parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const reference::Parameter& expected = subject.reference.parameters[i];
    EXPECT_EQ(parameters[i].name, expected.name);
    EXPECT_EQ(parameters[i].init, expected.init) << expected.name;
    EXPECT_EQ(parameters[i].low, expected.lower) << expected.name;
    EXPECT_EQ(parameters[i].high, expected.upper) << expected.name;
    EXPECT_EQ(parameters[i].fixed, expected.fixed) << expected.name;
  }
  const auto data = subject.model.data();
  EXPECT_EQ(std::vector<double>(data.begin(), data.end()), subject.reference.data);
  EXPECT_EQ(subject.model.poi_index(), subject.reference.poi_index);
}

TEST_P(Likelihood, EqualsTheReferenceOnEveryInstructionSet) {
  const bool quad = GetParam().file == "3lrj-500-0.json";
  for (std::size_t c = 0; c < kCodes.size(); ++c) {
    SCOPED_TRACE(kCodes[c].name);
    const Case subject = load(GetParam(), kCodes[c]);
    const std::size_t n_parameters = subject.model.n_parameters(), n_data = subject.model.data().size();
    std::vector<double> rows = subject.model.initial();
    const std::vector<double> random = Points(subject.model, 40 + c).random_rows(kRandomPoints);
    rows.insert(rows.end(), random.begin(), random.end());
    const std::size_t count = 1 + kRandomPoints;
    std::vector<EvalOutput> outputs;
    for (const cpu::InstructionSet& set : cpu::instruction_sets()) {
      if (!set.usable) continue;
      outputs.push_back(make_cpu_session(subject.model, {.instruction_set = set.kernels->name})
                            .value()
                            ->evaluate(request(rows, count))
                            .value());
    }
    Measured nll_errors, expected_errors;
    std::size_t infinite = 0;
    for (std::size_t row = 0; row < count; ++row) {
      const std::vector<double> point(rows.begin() + static_cast<std::ptrdiff_t>(row * n_parameters),
                                      rows.begin() + static_cast<std::ptrdiff_t>((row + 1) * n_parameters));
      const double nll = reference_nll(subject, point, quad);
      const std::vector<double> expected = reference::expected_data<double>(subject.reference, point);
      const std::vector<double> scale = reference::sum_of_absolute_terms<double>(subject.reference, point);
      infinite += !std::isfinite(nll);
      for (const EvalOutput& output : outputs) {
        for (std::size_t i = 0; i < n_data; ++i) {
          EXPECT_NEAR(output.expected[row * n_data + i], expected[i], kExpected * scale[i])
              << "datum " << i << ", row " << row;
          expected_errors.add(
              scale[i] > 0 ? std::abs(output.expected[row * n_data + i] - expected[i]) / scale[i] : 0);
        }
        if (!std::isfinite(nll)) {
          EXPECT_EQ(output.nll[row], nll) << "row " << row;
          continue;
        }
        const double size = std::max(1.0, std::abs(nll));
        EXPECT_NEAR(output.nll[row], nll, kNll * size) << "row " << row;
        nll_errors.add(std::abs(output.nll[row] - nll) / size);
      }
    }
    nll_errors.print(std::string("NLL, codes ") + kCodes[c].name);
    expected_errors.print(std::string("expected data, codes ") + kCodes[c].name);
    EXPECT_LT(infinite, count) << "no point left to compare";
  }
}

INSTANTIATE_TEST_SUITE_P(Workspaces, Likelihood, testing::ValuesIn(all_cases()),
                         testing::PrintToStringParamName());

// --- f32 ---------------------------------------------------------------------------------------------------

struct Precisions {
  EvalOutput f64, f32;
};

Precisions in_both(const Model& model, const std::vector<double>& rows) {
  EvalRequest both = request(rows, rows.size() / model.n_parameters());
  both.gradient = true;
  return {make_cpu_session(model).value()->evaluate(both).value(),
          gpu::session_on(model, {{.real_bits = 32}})->evaluate(both).value()};
}

class SinglePrecision : public testing::TestWithParam<CaseName> {};

TEST_P(SinglePrecision, NllIsNearThatOfDouble) {
  const Model model = load_model(GetParam());
  const std::size_t size = model.n_parameters();
  std::vector<double> rows = model.initial();
  const std::vector<double> random = Points(model, 50).random_rows(20);
  rows.insert(rows.end(), random.begin(), random.end());
  const Precisions output = in_both(model, rows);
  Measured absolute, allowed;
  for (std::size_t row = 0; row < output.f64.nll.size(); ++row) {
    if (!std::isfinite(output.f64.nll[row])) continue;
    double condition = 0;
    for (std::size_t i = row * size; i < (row + 1) * size; ++i)
      condition += std::abs(output.f64.gradient[i]) * std::max(1.0, std::abs(rows[i]));
    const double tolerance = kNllF32 + kNllF32Condition * condition;
    const double error = std::abs(output.f32.nll[row] - output.f64.nll[row]);
    EXPECT_LE(error, tolerance) << "row " << row;
    absolute.add(error);
    allowed.add(error / tolerance);
  }
  absolute.print("NLL in f32, absolute");
  allowed.print("NLL in f32, of the tolerance");
}

INSTANTIATE_TEST_SUITE_P(Workspaces, SinglePrecision, testing::ValuesIn(all_cases()),
                         testing::PrintToStringParamName());

// The promise for the 184-parameter workspace.
TEST(SinglePrecisionGradient, OfThuHasNoWrongSignAndSmallErrors) {
  NEXTSTAT_NEEDS_DATA();
  const Model model = load_model({"thu.json"});
  const std::size_t size = model.n_parameters();
  std::vector<double> rows = model.initial();
  const std::vector<double> random = Points(model, 51).random_rows(20);
  rows.insert(rows.end(), random.begin(), random.end());
  const Precisions output = in_both(model, rows);
  Measured errors;
  std::size_t wrong_signs = 0;
  for (std::size_t row = 0; row < output.f64.nll.size(); ++row) {
    if (!std::isfinite(output.f64.nll[row])) continue;
    for (std::size_t i = 0; i < size; ++i) {
      const double g = output.f64.gradient[row * size + i], found = output.f32.gradient[row * size + i];
      errors.add(std::abs(found - g) / std::max(std::abs(g), kGradientF32Scale));
      wrong_signs += std::abs(g) > kGradientF32Tiny && std::signbit(g) != std::signbit(found);
    }
  }
  errors.print("gradient in f32, relative to max(|g|, scale)");
  EXPECT_EQ(wrong_signs, 0u);
  EXPECT_LT(errors.median(), kGradientF32Median);
  EXPECT_LT(errors.largest(), kGradientF32Worst);
}

}  // namespace
}  // namespace nextstat::conformance

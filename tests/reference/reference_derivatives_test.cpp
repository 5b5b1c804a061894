// Holds the hyper-dual derivatives to central differences of the NLL in 34 digits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reference/all_modifiers.h"
#include "reference/reference_derivatives.h"
#include "reference/test_workspaces.h"

namespace nextstat::reference {
namespace {

// Tolerances relative to 1 + |derivative|, with reasons.
constexpr double kDifference = 1e-13;  // central differences in Quad, step 1e-8: errors h^2 and 1e-34 / h^2
constexpr double kDoubleDerivative = 1e-12;  // the same derivative rounded through double

// nll at point + a e_i + b e_j
Quad moved_nll(const ReferenceModel& model, std::vector<Quad> point, std::size_t i, Quad a, std::size_t j,
               Quad b) {
  point[i] += a;
  point[j] += b;
  return nll<Quad>(model, point, model.data);
}

void expect_derivatives_match_differences(const ReferenceModel& model, const std::vector<double>& point) {
  const std::vector<Quad> exact_point = to_quad(point);
  const Derivatives<Quad> exact(model, exact_point, model.data);
  const std::vector<double> first = gradient(model, point, model.data);
  const std::vector<double> second = hessian(model, point, model.data);
  const Quad h = Quad(1e-8);
  const auto check = [](Quad exact_value, double value, Quad difference) {
    const double scale = 1 + std::abs(value);
    EXPECT_NEAR(static_cast<double>(exact_value - difference), 0, kDifference * scale);
    EXPECT_NEAR(static_cast<double>(Quad(value) - difference), 0, kDoubleDerivative * scale);
  };
  for (std::size_t i = 0; i < point.size(); ++i) {
    SCOPED_TRACE(model.parameters[i].name);
    const auto at = [&](Quad a, std::size_t j, Quad b) { return moved_nll(model, exact_point, i, a, j, b); };
    check(exact.gradient_element(i), first[i], (at(h, i, 0) - at(-h, i, 0)) / (h + h));
    for (std::size_t j = 0; j < point.size(); ++j) {
      SCOPED_TRACE(model.parameters[j].name);
      const Quad difference = (at(h, j, h) - at(h, j, -h) - at(-h, j, h) + at(-h, j, -h)) / (Quad(4) * h * h);
      check(exact.hessian_element(i, j), second[i * point.size() + j], difference);
    }
  }
}

TEST(ReferenceDerivatives, HyperDualAgreesWithDifferencesForEveryCode) {
  for (const NormsysCode normsys : {NormsysCode::kCode1, NormsysCode::kCode4}) {
    for (const HistosysCode code : {HistosysCode::kCode0, HistosysCode::kCode2, HistosysCode::kCode4p}) {
      const auto model = ReferenceModel::from_workspace(json::parse(kAllModifiers),
                                                        {.normsys_code = normsys, .histosys_code = code});
      std::vector<double> point = model.inits();
      for (const auto& [modeling, tilt, acceptance] :
           {std::array{0.4, -0.6, 0.2}, std::array{-1.3, 1.7, -2.2}, std::array{1.4, -1.2, 1.1}}) {
        for (std::size_t i = 0; i < point.size(); ++i)
          point[i] = 1 + 0.03 * static_cast<double>(i % 5) - 0.05;
        point[0] = modeling;
        point[1] = tilt;
        point[5] = acceptance;
        expect_derivatives_match_differences(model, point);
      }
    }
  }
}

TEST(ReferenceDerivatives, FactorThroughZeroAndNegativeRates) {
  const auto model = ReferenceModel::from_workspace(
      signal_and_background({3, 0.5}, {20, 4}, normsys("odd", -0.2, 1.4), {18, 0}));
  expect_derivatives_match_differences(model, {0.7, -0.4});   // mu, odd
  expect_derivatives_match_differences(model, {30.0, -1.5});  // background rate below 0
  expect_derivatives_match_differences(model, {0.0, 1.6});    // mu = 0 is where limits live
}

TEST(ReferenceDerivatives, ThuAgreesWithDifferences) {
  NEXTSTAT_NEEDS_DATA();
  const auto model = ReferenceModel::from_workspace(read_data("thu.json"));
  std::vector<double> point = model.inits();
  for (double& theta : point) theta += 0.01;
  const std::vector<double> first = gradient(model, point, model.data);
  const std::vector<double> second = hessian(model, point, model.data);
  const std::vector<Quad> exact = to_quad(point);
  const Quad h = Quad(1e-8);
  for (std::size_t i = 0; i < point.size(); i += 23) {
    const std::size_t j = (i * 7 + 5) % point.size();
    const auto at = [&](Quad a, Quad b) { return moved_nll(model, exact, i, a, j, b); };
    const auto slope = static_cast<double>((at(h, 0) - at(-h, 0)) / (h + h));
    const auto mixed =
        static_cast<double>((at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (Quad(4) * h * h));
    EXPECT_NEAR(first[i], slope, kDoubleDerivative * (1 + std::abs(slope)));
    EXPECT_NEAR(second[i * point.size() + j], mixed, kDoubleDerivative * (1 + std::abs(mixed)));
  }
}

// The value loses 1e-3 in double where an auxiliary datum is 1.9e11; the derivatives do not.
TEST(ReferenceDerivatives, DoubleIsGoodForLargeAuxiliaryData) {
  NEXTSTAT_NEEDS_DATA();
  const auto model = ReferenceModel::from_workspace(read_data("3lrj-500-0.json"));
  std::vector<double> point = model.inits();
  for (double& theta : point) theta += 0.01;
  const std::size_t size = point.size();
  const std::vector<double> first = gradient(model, point, model.data);
  const std::vector<double> second = hessian(model, point, model.data);
  const Derivatives<Quad> exact(model, to_quad(point), model.data);
  for (std::size_t i = 0; i < size; ++i) {
    const auto slope = static_cast<double>(exact.gradient_element(i));
    EXPECT_NEAR(first[i], slope, 1e-13 * (1 + std::abs(slope)));
    for (std::size_t j = 0; j < size; ++j) {
      const double scale = std::sqrt(second[i * size + i] * second[j * size + j]);
      EXPECT_NEAR(second[i * size + j], static_cast<double>(exact.hessian_element(i, j)),
                  1e-13 * (1 + scale));
    }
  }
}

}  // namespace
}  // namespace nextstat::reference

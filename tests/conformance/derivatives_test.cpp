// Gradient, Hessian and Jacobian of the engine against exact derivatives of
// the reference (hyper-dual numbers).
//
// At kinks (code0, code1 and straight-line normsys at alpha = 0; the curvature of code2 at +-1) both sides
// have the same convention, so no parameter is left out:
// the slope is that of alpha < 0, the curvature that of |alpha| < 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "conformance/cases.h"
#include "conformance/measured.h"
#include "conformance/points.h"
#include "conformance/tolerances.h"
#include "cpu/cpu_session.h"
#include "model/derivatives/derivatives.h"
#include "reference/reference_derivatives.h"

namespace nextstat::conformance {
namespace {

double largest(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

// Engine and reference on one workspace, at one point after the other.
class Comparison {
 public:
  Comparison(const Case& subject, const Codes& codes)
      : subject_(subject), codes_(codes), session_(make_cpu_session(subject.model).value()) {}

  // False where the NLL is infinite, which both must say: there are no derivatives there.
  bool is_finite_at(const std::vector<double>& point) {
    const double engine = session_->evaluate(request(point, false)).value().nll[0];
    const double reference = reference::nll<double>(subject_.reference, point, subject_.reference.data);
    EXPECT_EQ(std::isfinite(engine), std::isfinite(reference)) << engine << " " << reference;
    return std::isfinite(engine) && std::isfinite(reference);
  }

  void gradient(const std::vector<double>& point, const reference::Derivatives<double>& exact) {
    const std::vector<double> expected = exact.gradient();
    const std::vector<double> found = session_->evaluate(request(point, true)).value().gradient;
    const double scale = largest(expected);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double error = std::abs(found[i] - expected[i]);
      EXPECT_LE(error, kGradient * scale)
          << name(i) << ": " << found[i] << ", reference " << expected[i] << ", codes " << codes_.name;
      gradient_.add(scale > 0 ? error / scale : 0);
    }
  }

  // Rows first, first + stride, ... of the matrix, and its whole diagonal.
  void hessian(const std::vector<double>& point, const reference::Derivatives<double>& exact,
               std::size_t first, std::size_t stride) {
    const std::size_t size = point.size();
    const CompiledModel& compiled = compiled_model(subject_.model);
    const std::vector<double> found =
        nextstat::hessian(compiled, make_dataset(compiled, subject_.model.data()), point);
    ASSERT_EQ(found.size(), size * size);
    std::vector<Element> elements;
    for (std::size_t i = 0; i < size; ++i) {
      const bool whole_row = i % stride == first % stride;
      for (std::size_t j = whole_row ? 0 : i; j < (whole_row ? size : i + 1); ++j)
        elements.push_back({i, j, exact.hessian_element(i, j)});
    }
    double scale = 0;
    std::vector<double> row(size);  // the largest element of each row
    for (const auto& [i, j, expected] : elements) {
      scale = std::max(scale, std::abs(expected));
      row[i] = std::max(row[i], std::abs(expected));
      row[j] = std::max(row[j], std::abs(expected));
    }
    for (const auto& [i, j, expected] : elements) {
      const double error = std::abs(found[i * size + j] - expected);
      EXPECT_LE(error, kHessian * scale) << name(i) << ", " << name(j) << ": " << found[i * size + j]
                                         << ", reference " << expected << ", codes " << codes_.name;
      EXPECT_EQ(found[i * size + j], found[j * size + i]) << name(i) << ", " << name(j);
      hessian_.add(scale > 0 ? error / scale : 0);
      const double local = std::sqrt(row[i] * row[j]);
      EXPECT_LE(error, kHessianLocal * local) << name(i) << ", " << name(j) << ": " << found[i * size + j]
                                              << ", reference " << expected << ", codes " << codes_.name;
      local_.add(local > 0 ? error / local : 0);
    }
  }

  // J v of the engine against the directional derivative of the reference's rates along v, and the rates.
  void jacobian(const std::vector<double>& point, Draw& draw) {
    using Dual = reference::HyperDual<double>;
    std::vector<double> direction(point.size());
    std::vector<Dual> moved;
    for (std::size_t i = 0; i < point.size(); ++i) {
      direction[i] = draw.uniform(-1, 1);
      moved.emplace_back(point[i], direction[i]);
    }
    const std::vector<Dual> exact = reference::main_rates<Dual>(subject_.reference, moved);
    const std::vector<double> terms = reference::sum_of_absolute_terms<double>(subject_.reference, point);
    const Jacobian found = nextstat::jacobian(compiled_model(subject_.model), point);
    ASSERT_EQ(found.rates.size(), exact.size());
    for (std::size_t bin = 0; bin < exact.size(); ++bin)
      EXPECT_NEAR(found.rates[bin], exact[bin].value, kExpected * terms[bin]);
    std::size_t bins = 0;
    for (const JacobianBlock& block : found.blocks) {
      for (std::size_t b = 0; b < block.bins; ++b, ++bins)
        product(found, block, b, direction, exact[block.first_bin + b].u);
    }
    EXPECT_EQ(bins, exact.size());
  }

  void report() const {
    gradient_.print(std::string("gradient, codes ") + codes_.name);
    hessian_.print(std::string("Hessian, codes ") + codes_.name);
    local_.print(std::string("Hessian by rows, codes ") + codes_.name);
    direction_.print(std::string("Jacobian, codes ") + codes_.name);
  }

 private:
  struct Element {
    std::size_t i, j;
    double expected;
  };

  void product(const Jacobian& found, const JacobianBlock& block, std::size_t bin,
               const std::vector<double>& direction, double expected) {
    double sum = 0, scale = 0;
    const auto add = [&](double slope, std::size_t parameter) {
      sum += slope * direction[parameter];
      scale += std::abs(slope * direction[parameter]);
    };
    for (std::size_t c = 0; c < block.parameters.size(); ++c)
      add(block.values[bin * block.parameters.size() + c], block.parameters[c]);
    const auto& locals = compiled_model(subject_.model).locals;
    for (std::size_t l = 0; l < locals.size(); ++l) {
      if (locals[l].bin == block.first_bin + bin) add(found.locals[l], locals[l].parameter);
    }
    EXPECT_NEAR(sum, expected, kDirection * scale)
        << "bin " << block.first_bin + bin << ", codes " << codes_.name;
    direction_.add(scale > 0 ? std::abs(sum - expected) / scale : 0);
  }

  static EvalRequest request(const std::vector<double>& point, bool with_gradient) {
    EvalRequest request;
    request.parameters = point;
    request.gradient = with_gradient;
    return request;
  }
  const std::string& name(std::size_t i) const { return subject_.model.parameters()[i].name; }

  const Case& subject_;
  const Codes& codes_;
  std::unique_ptr<DeviceSession> session_;
  Measured gradient_, hessian_, local_, direction_;
};

class Derivatives : public testing::TestWithParam<CaseName> {};

// Whole matrices up to this many parameters; beyond, some rows, different ones at each point.
constexpr std::size_t kWholeMatrix = 70;
constexpr std::size_t kRowsOfLargeMatrix = 8;

// Of each kind so many finite points are compared, found among so many.
constexpr std::size_t kPointsOfKind = 2, kTriesOfKind = 20;

TEST_P(Derivatives, EqualTheReferenceAtEveryKindOfPoint) {
  for (std::size_t c = 0; c < kCodes.size(); ++c) {
    const Case subject = load(GetParam(), kCodes[c]);
    Comparison comparison(subject, kCodes[c]);
    Draw draw(7);
    std::map<std::string, std::size_t> compared, left_out;
    std::size_t number = 0;
    for (const auto& [kind, point] : every_kind_of_point(subject.model, 20 + c, kTriesOfKind)) {
      SCOPED_TRACE(kind);
      if (compared[kind] == kPointsOfKind) continue;
      comparison.jacobian(point, draw);
      if (!comparison.is_finite_at(point)) {
        ++left_out[kind];
        continue;
      }
      ++compared[kind];
      const reference::Derivatives<double> exact(subject.reference, point, subject.reference.data);
      comparison.gradient(point, exact);
      comparison.hessian(point, exact, number++,
                         point.size() <= kWholeMatrix ? 1 : point.size() / kRowsOfLargeMatrix);
    }
    comparison.report();
    for (const auto& [kind, count] : left_out) {
      std::printf("[ measured ] %s: %zu points compared, %zu left out: an observed count without a rate\n",
                  kind.c_str(), compared[kind], count);
    }
    const auto missing =
        std::count_if(compared.begin(), compared.end(), [](const auto& kind) { return kind.second == 0; });
    EXPECT_LE(missing, 2) << "kinds of points without any finite one";
    EXPECT_EQ(compared["initial"], 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Workspaces, Derivatives, testing::ValuesIn(all_cases()),
                         testing::PrintToStringParamName());

// Every element once, on the two models of the published benchmarks.
TEST(DerivativesOfRealWorkspaces, WholeHessianOfThuAndTttt) {
  NEXTSTAT_NEEDS_DATA();
  for (const char* file : {"thu.json", "tttt.json"}) {
    SCOPED_TRACE(file);
    const Case subject = load({file}, kCodes[0]);
    Comparison comparison(subject, kCodes[0]);
    Points points(subject.model, 3);
    std::vector<double> point = points.random();
    for (int tries = 0; tries < 20 && !comparison.is_finite_at(point); ++tries) point = points.random();
    const reference::Derivatives<double> exact(subject.reference, point, subject.reference.data);
    ASSERT_TRUE(comparison.is_finite_at(point));
    comparison.hessian(point, exact, 0, 1);
    comparison.report();
  }
}

}  // namespace
}  // namespace nextstat::conformance

// A row's NLL and gradient have the same bits for any instruction set, batch,
// thread count and neighboring rows.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "conformance/cases.h"
#include "conformance/points.h"
#include "cpu/cpu_session.h"
#include "cpu/instruction_set.h"
#include "nextstat/evaluate.h"
#include "nextstat/fit.h"
#include "same_bits.h"

namespace nextstat::conformance {
namespace {

constexpr std::size_t kRows = 100;
constexpr std::size_t kSets = 3;

std::vector<cpu::InstructionSet> usable_sets() {
  std::vector<cpu::InstructionSet> usable;
  for (const cpu::InstructionSet& set : cpu::instruction_sets()) {
    if (set.usable) usable.push_back(set);
  }
  return usable;
}

// The number of places that differ; all of them would drown the message.
std::size_t differences(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::max(a.size(), b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += !test::same_bits(a[i], b[i]);
  return count;
}

// Rows at points of every kind: infinite NLLs and parameters beyond +-1 included.
std::vector<double> rows_of(const Model& model) {
  std::vector<double> rows;
  for (const NamedPoint& point : every_kind_of_point(model, 5, 12)) {
    if (rows.size() < kRows * point.values.size())
      rows.insert(rows.end(), point.values.begin(), point.values.end());
  }
  const std::vector<double> more = Points(model, 6).random_rows(kRows - rows.size() / model.n_parameters());
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

// Datasets that differ from the observed one: every count moved, some to 0.
std::vector<double> datasets_of(const Model& model) {
  Draw draw(8);
  std::vector<double> sets(model.data().begin(), model.data().end());
  for (std::size_t set = 1; set < kSets; ++set) {
    for (std::size_t i = 0; i < model.data().size(); ++i) {
      const double datum = model.data()[i];
      sets.push_back(i < model.n_bins()
                         ? (draw.below(7) == 0 ? 0.0 : std::floor(datum * draw.uniform(0.5, 1.5)) + 1)
                         : datum * draw.uniform(0.9, 1.1));
    }
  }
  return sets;
}

using CaseAndCodes = std::tuple<CaseName, std::size_t>;  // index into kCodes

class Bits : public testing::TestWithParam<CaseAndCodes> {
 protected:
  Bits()
      : model_(load_model(std::get<0>(GetParam()), kCodes[std::get<1>(GetParam())])),
        rows_(rows_of(model_)),
        sets_(datasets_of(model_)) {
    for (std::size_t row = 0; row < kRows; ++row) set_of_row_.push_back(row % kSets);
  }

  EvalOutput evaluate(DeviceSession& session, std::size_t first, std::size_t count, bool own_data) const {
    EvalRequest request;
    request.parameters =
        std::span(rows_).subspan(first * model_.n_parameters(), count * model_.n_parameters());
    request.rows = count;
    request.gradient = true;
    request.expected = true;
    if (!own_data) {
      request.data = sets_;
      request.data_of_row = std::span(set_of_row_).subspan(first, count);
    }
    return session.evaluate(request).value();
  }

  // All rows, `batch` at a time.
  EvalOutput in_batches(DeviceSession& session, std::size_t batch, bool own_data) const {
    EvalOutput all;
    for (std::size_t first = 0; first < kRows; first += batch) {
      const EvalOutput part = evaluate(session, first, std::min(batch, kRows - first), own_data);
      all.nll.insert(all.nll.end(), part.nll.begin(), part.nll.end());
      all.gradient.insert(all.gradient.end(), part.gradient.begin(), part.gradient.end());
      all.expected.insert(all.expected.end(), part.expected.begin(), part.expected.end());
    }
    return all;
  }

  std::unique_ptr<DeviceSession> session(const std::string& set, std::size_t threads) const {
    return make_cpu_session(model_, {.threads = threads, .instruction_set = set}).value();
  }

  static void expect_equal(const EvalOutput& found, const EvalOutput& expected) {
    EXPECT_EQ(differences(found.nll, expected.nll), 0u) << "NLL";
    EXPECT_EQ(differences(found.gradient, expected.gradient), 0u) << "gradient";
    EXPECT_EQ(differences(found.expected, expected.expected), 0u) << "expected data";
  }

  Model model_;
  std::vector<double> rows_, sets_;
  std::vector<std::size_t> set_of_row_;
};

TEST_P(Bits, AreTheSameForEveryInstructionSetBatchSizeAndDataset) {
  for (const bool own_data : {true, false}) {
    const EvalOutput expected = in_batches(*session(usable_sets().front().kernels->name, 1), 1, own_data);
    for (const cpu::InstructionSet& set : usable_sets()) {
      const std::unique_ptr<DeviceSession> kernels = session(set.kernels->name, 1);
      for (const std::size_t batch : {1, 3, 8, 100}) {
        SCOPED_TRACE(std::string(set.kernels->name) + ", batches of " + std::to_string(batch) +
                     (own_data ? "" : ", data by row"));
        expect_equal(in_batches(*kernels, batch, own_data), expected);
      }
    }
  }
}

TEST_P(Bits, AreTheSameForEveryNumberOfThreads) {
  const EvalOutput expected = in_batches(*session("", 1), kRows, false);
  for (const std::size_t threads : {2, 4, 0}) {
    SCOPED_TRACE(threads);
    expect_equal(in_batches(*session("", threads), kRows, false), expected);
  }
}

TEST_P(Bits, OfAFitAreTheSameForEveryInstructionSetAndNumberOfThreads) {
  FitOptions options;
  options.run.instruction_set = usable_sets().front().kernels->name;
  options.run.threads = 1;
  const Result<FitResult> expected = fit(model_, options);
  for (const cpu::InstructionSet& set : usable_sets()) {
    options.run.instruction_set = set.kernels->name;
    for (const std::size_t threads : {1, 2}) {
      SCOPED_TRACE(std::string(set.kernels->name) + ", threads " + std::to_string(threads));
      options.run.threads = threads;
      const Result<FitResult> found = fit(model_, options);
      ASSERT_EQ(static_cast<bool>(found), static_cast<bool>(expected));
      if (!found) continue;  // no finite start
      EXPECT_EQ(differences({found->nll, found->edm}, {expected->nll, expected->edm}), 0u) << "NLL";
      EXPECT_EQ(differences(found->bestfit, expected->bestfit), 0u) << "best fit";
      EXPECT_EQ(differences(found->covariance, expected->covariance), 0u) << "covariance";
      EXPECT_EQ(found->iterations, expected->iterations);
    }
  }
}

// The NLL alone takes a shorter way through the kernels.
TEST_P(Bits, OfTheNllDoNotDependOnTheGradient) {
  const std::unique_ptr<DeviceSession> kernels = session("", 1);
  EvalRequest request;
  request.parameters = rows_;
  request.rows = kRows;
  EXPECT_EQ(differences(kernels->evaluate(request).value().nll, in_batches(*kernels, kRows, true).nll), 0u);
}

// The way without allocation is the same likelihood.
TEST_P(Bits, OfSinglePointCallsEqualThoseOfRequests) {
  const EvalOutput expected = in_batches(*session("", 1), kRows, true);
  CpuSession kernels(model_, *cpu::choose_kernels("").value(), {});
  const std::size_t size = model_.n_parameters();
  std::vector<double> nll, with_gradient, gradient(kRows * size);
  for (std::size_t row = 0; row < kRows; ++row) {
    nll.push_back(kernels.nll(rows_.data() + row * size));
    with_gradient.push_back(
        kernels.nll_and_gradient(rows_.data() + row * size, gradient.data() + row * size));
  }
  EXPECT_EQ(differences(nll, expected.nll), 0u);
  EXPECT_EQ(differences(with_gradient, expected.nll), 0u);
  EXPECT_EQ(differences(gradient, expected.gradient), 0u);
}

std::string case_name(const testing::TestParamInfo<CaseAndCodes>& info) {
  return to_string(std::get<0>(info.param)) + "_codes_" + std::to_string(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Workspaces, Bits,
                         testing::Combine(testing::ValuesIn(some_cases()),
                                          testing::Range(std::size_t{0}, kCodes.size())),
                         case_name);

TEST(BitsOfRealWorkspaces, ArePartOfThisRun) {
  NEXTSTAT_NEEDS_DATA();
  EXPECT_EQ(some_cases().size(), small_cases().size() + 4);
}

// --- which instruction set runs ----------------------------------------------------------------------------

class InstructionSets : public testing::TestWithParam<std::string> {};

TEST_P(InstructionSets, RunWhenForcedByName) {
  for (const cpu::InstructionSet& set : cpu::instruction_sets()) {
    if (set.kernels->name != GetParam() || set.usable) continue;
    const auto refused = make_cpu_session(load_model(small_cases()[0]), {.instruction_set = GetParam()});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.errors().front().code, ErrorCode::DeviceUnavailable);
    GTEST_SKIP() << "this processor does not have " << GetParam();
  }
  const Model model = load_model(small_cases()[0]);
  EXPECT_EQ(make_cpu_session(model, {.instruction_set = GetParam()}).value()->traits().instruction_set,
            GetParam());
  EvaluateOptions options;
  options.instruction_set = GetParam();
  EXPECT_EQ(evaluate(model, model.initial(), options).value().instruction_set, GetParam());
}

std::vector<std::string> names_of_build() {
  std::vector<std::string> names;
  for (const cpu::InstructionSet& set : cpu::instruction_sets()) names.emplace_back(set.kernels->name);
  return names;
}
std::string set_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& letter : name) letter = letter == '-' ? '_' : letter;
  return name;
}
INSTANTIATE_TEST_SUITE_P(Build, InstructionSets, testing::ValuesIn(names_of_build()), set_name);

TEST(InstructionSetChoice, TakesTheWidestUsableOne) {
  EXPECT_EQ(cpu::choose_kernels("").value(), usable_sets().back().kernels);
}

// Each name stands for code of its own: no two sets share a function.
TEST(InstructionSetChoice, EverySetHasItsOwnKernels) {
  std::set<const void*> functions;
  for (const cpu::InstructionSet& set : cpu::instruction_sets()) {
    functions.insert(reinterpret_cast<const void*>(set.kernels->evaluator.single));
    functions.insert(reinterpret_cast<const void*>(set.kernels->evaluator.batch));
    functions.insert(reinterpret_cast<const void*>(set.kernels->minimizer.single));
    functions.insert(reinterpret_cast<const void*>(set.kernels->minimizer.batch));
  }
  EXPECT_EQ(functions.size(), 4 * cpu::instruction_sets().size());
}

TEST(InstructionSetChoice, UnknownNameIsAnErrorWithAHint) {
  const auto refused = make_cpu_session(load_model(small_cases()[0]), {.instruction_set = "x86-64-v9"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().front().code, ErrorCode::BadUsage);
  EXPECT_NE(refused.errors().front().what.find("x86-64-v9"), std::string::npos);
  EXPECT_FALSE(refused.errors().front().hint.empty());
}

}  // namespace
}  // namespace nextstat::conformance

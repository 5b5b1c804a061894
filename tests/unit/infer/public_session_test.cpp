// A session answers what the model answers, without starting the device again: on the processor and on every other device here.
#include <gtest/gtest.h>
#include <nextstat/session.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "mentions.h"
#include "reference/reference_model.h"
#include "same_bits.h"
#include "test_models.h"

namespace nextstat {
namespace {

using test::same_bits;

template <class T>
bool says(const Result<T>& result, const std::string& words) {
  return !result && test::mentions(to_text(result.errors().front()), words);
}

class Sessions : public testing::TestWithParam<std::string> {
 protected:
  Session open(const SessionOptions& more = {}) const { return open(model_, more); }
  Session open(const Model& model, SessionOptions options = {}) const {
    options.device = GetParam();
    return Session::open(model, options).value();
  }
  // The same question, asked of the model.
  RunOptions alone() const {
    RunOptions run;
    run.device = GetParam();
    return run;
  }

  const Model model_ = test::all_modifiers();
};

std::vector<std::string> devices() {
  std::vector<std::string> names;
  for (const BackendReport& report : discover_backends()) {
    if (report.devices.empty() || report.devices.front().fp64 == Fp64::None) continue;
    names.push_back(report.type == BackendType::Cpu ? "cpu" : std::string(to_string(report.type)) + ":0");
  }
  return names;
}

// The records of a few toys.
template <class Asked>
std::vector<double> records(Asked& asked, const ToysOptions& options) {
  std::vector<double> numbers;
  EXPECT_TRUE(toys(asked, options, [&](std::size_t, std::span<const double> record) {
    numbers.insert(numbers.end(), record.begin(), record.end());
  }));
  return numbers;
}

TEST_P(Sessions, GiveTheBitsOfTheSameQuestionToTheModel) {
  Session session = open();
  EXPECT_TRUE(same_bits(fit(session).value().bestfit, fit(model_, {.run = alone()}).value().bestfit));
  EXPECT_TRUE(
      same_bits(fit(session).value().uncertainties, fit(model_, {.run = alone()}).value().uncertainties));
  const ScanOptions values{.run = alone(), .values = {0.5, 1.0, 2.0}};
  EXPECT_EQ(scan(session, {.values = values.values}).value().points.at(1).nll_mu,
            scan(model_, values).value().points.at(1).nll_mu);
  EXPECT_EQ(interval(session).value().upper, interval(model_, {.run = alone()}).value().upper);
  EXPECT_EQ(ranking(session).value().entries.at(0).impact_up,
            ranking(model_, {.run = alone()}).value().entries.at(0).impact_up);
  EXPECT_EQ(hypotest(session).value().observed.cls, hypotest(model_, {.run = alone()}).value().observed.cls);
  EXPECT_EQ(upper_limit(session).value().observed, upper_limit(model_, {.run = alone()}).value().observed);
  EXPECT_EQ(significance(session).value().p0, significance(model_, {.run = alone()}).value().p0);
  EXPECT_EQ(goodness_of_fit(session).value().goodness.chi2,
            goodness_of_fit(model_, {.run = alone()}).value().goodness.chi2);
}

TEST_P(Sessions, GiveTheBitsOfTheSameToys) {
  Session session = open();
  ToyOptions few;
  few.n_toys = 30;
  EXPECT_TRUE(same_bits(records(session, {.toys = few}), records(model_, {.run = alone(), .toys = few})));
  EXPECT_EQ(hypotest_toys(session, {.toys = few}).value().observed.cls,
            hypotest_toys(model_, {.run = alone(), .toys = few}).value().observed.cls);
  EXPECT_EQ(significance_toys(session, {.toys = few}).value().p0,
            significance_toys(model_, {.run = alone(), .toys = few}).value().p0);
  EXPECT_EQ(goodness_of_fit_toys(session, {.toys = few}).value().p_value,
            goodness_of_fit_toys(model_, {.run = alone(), .toys = few}).value().p_value);
}

TEST_P(Sessions, EvaluateRowsWithDataOfTheirOwn) {
  Session session = open();
  const std::size_t n = model_.n_parameters(), n_data = model_.data().size();
  std::vector<double> points = model_.initial(), data(model_.data().begin(), model_.data().end());
  points.insert(points.end(), points.begin(), points.begin() + static_cast<std::ptrdiff_t>(n));
  data.insert(data.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(n_data));
  data[n_data] += 3;
  const Evaluation here =
      evaluate(session, points, {.gradient = true, .expected = true, .data = data}).value();
  const Evaluation there =
      evaluate(model_, points, {.gradient = true, .expected = true, .data = data, .device = GetParam()})
          .value();
  EXPECT_TRUE(same_bits(here.nll, there.nll) && same_bits(here.gradient, there.gradient) &&
              same_bits(here.expected, there.expected));
  EXPECT_NE(here.nll[0], here.nll[1]);
}

TEST_P(Sessions, SendTheirTablesOnce) {
  Session session = open();
  const Traffic opened = session.traffic();
  const std::vector<double> point = model_.initial();
  ASSERT_TRUE(evaluate(session, point, {.gradient = true}));
  const Traffic first = session.traffic();
  ASSERT_TRUE(evaluate(session, point, {.gradient = true}));
  const Traffic second = session.traffic();
  if (GetParam() == "cpu") {
    EXPECT_EQ(second.bytes_to_device + second.bytes_from_device + second.launches + second.synchronizations,
              0u);
    return;
  }
  EXPECT_GT(opened.bytes_to_device, 1000u);
  EXPECT_GE(second.launches, first.launches + 1);
  EXPECT_EQ(second.bytes_to_device - first.bytes_to_device, first.bytes_to_device - opened.bytes_to_device);
  EXPECT_LT(second.bytes_to_device - first.bytes_to_device, opened.bytes_to_device / 2)
      << "a point, not the tables";
}

TEST_P(Sessions, LetTwoThreadsTakeTurns) {
  Session session = open();
  const std::vector<double> expected = fit(session).value().bestfit;
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (auto& one : found) threads.emplace_back([&] { one = fit(session).value().bestfit; });
  for (std::thread& thread : threads) thread.join();
  for (const auto& one : found) EXPECT_TRUE(same_bits(one, expected));
}

TEST_P(Sessions, GoOnAfterAnError) {
  Session session = open();
  RunOptions wrong;
  wrong.fixed = {{"no such parameter", 1.0}};
  EXPECT_FALSE(fit(session, {.run = wrong}));
  EXPECT_FALSE(evaluate(session, std::vector<double>{1.0, 2.0}));
  EXPECT_TRUE(fit(session).value().converged);
}

TEST_P(Sessions, LeaveTheirResultsBehind) {
  FitResult best;
  {
    Session session = open();
    best = fit(session).value();
  }
  EXPECT_EQ(best.device.name, GetParam());
  EXPECT_EQ(best.bestfit.size(), model_.n_parameters());
}

TEST_P(Sessions, AnswerForOtherDataOfTheirModel) {
  Session session = open();
  std::vector<double> data(model_.data().begin(), model_.data().end());
  data[0] += 5;
  const Model other = model_.with_data(data).value();
  const std::vector<double> point = model_.initial();
  EXPECT_EQ(evaluate(other, point, session.with(EvaluateOptions{})).value().nll,
            evaluate(other, point).value().nll);
  EXPECT_TRUE(same_bits(fit(other, session.with(FitOptions{})).value().bestfit, fit(other).value().bestfit));
}

TEST_P(Sessions, StandBesideEachOther) {
  Session one = open(), two = open();
  EXPECT_TRUE(same_bits(fit(one).value().bestfit, fit(two).value().bestfit));
  Session moved = std::move(one);
  EXPECT_TRUE(fit(moved).value().converged);
  EXPECT_THROW(static_cast<void>(one.model()), std::logic_error);
}

TEST_P(Sessions, SayWhatTheyAre) {
  const Session session = open({.threads = 2});
  EXPECT_EQ(session.device().name, GetParam());
  EXPECT_EQ(session.options().threads, 2u);
  EXPECT_FALSE(session.instruction_set().empty());
  const Capabilities can = session.capabilities();
  EXPECT_TRUE(can.batched_nll && can.batched_gradient && can.batched_fits && can.autodiff && can.f64);
  EXPECT_EQ(can.max_batch_size, 0u);
}

TEST_P(Sessions, RefuseAnotherModelAndOtherSettings) {
  Session session = open({.threads = 2});
  EXPECT_TRUE(says(fit(test::all_modifiers(), session.with(FitOptions{})), "another model"));
  RunOptions run;
  run.device = GetParam() == "cpu" ? "opencl:7" : "cpu";
  EXPECT_TRUE(says(fit(session, {.run = run}), "open on " + GetParam()));
  run = {};
  run.threads = 3;
  EXPECT_TRUE(says(fit(session, {.run = run}), "with 2, and the question asks for 3"));
  run.threads = 2;
  run.device = GetParam();
  EXPECT_TRUE(fit(session, {.run = run}));
}

TEST_P(Sessions, AnswerAReportAboutTheirOwnQuestionWithAnError) {
  Session session = open(), other = open();
  ScanOptions options{.values = {0.5, 1.0, 2.0}};
  std::atomic<int> refused = 0, answered = 0;
  options.run.on_progress = [&](std::size_t, std::size_t) {
    if (says(fit(session), "busy with the question that this report is about")) ++refused;
    if (session.traffic().launches < other.traffic().launches)
      ADD_FAILURE() << "traffic is told while it works";
    ++answered;
  };
  ASSERT_TRUE(scan(session, options));
  EXPECT_GT(answered, 0);
  EXPECT_EQ(refused, answered);
  EXPECT_TRUE(fit(session).value().converged) << "the report is over";
}

TEST_P(Sessions, AnswerAForkedChildWithAnError) {
  Session session = open();
  ASSERT_TRUE(fit(session));
  const pid_t child = fork();
  if (child == 0) {
    const Result<FitResult> result = fit(session);
    _exit(!result && says(result, "forked") ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fit(session));
}

INSTANTIATE_TEST_SUITE_P(Present, Sessions, testing::ValuesIn(devices()),
                         [](const auto& each) { return each.param.substr(0, each.param.find(':')); });

TEST(Session, NamesTheReasonWhereItCannotBeOpened) {
  EXPECT_TRUE(says(Session::open(test::all_modifiers(), {.device = "metal"}), "metal"));
  EXPECT_TRUE(says(Session::open(test::all_modifiers(), {.device = "cpu", .instruction_set = "mmx"}), "mmx"));
}

TEST(Session, TellsTheConstraintsFromTheMainBins) {
  const Model model = test::all_modifiers();
  const auto exact =
      reference::ReferenceModel::from_workspace(nlohmann::json::parse(reference::kAllModifiers));
  std::vector<double> point = model.initial();
  for (std::size_t i = 0; i < point.size(); ++i) point[i] += 0.01 * static_cast<double>(i % 7);
  const Evaluation at = evaluate(model, point, {.parts = true}).value();
  double constraints = 0;
  for (std::size_t i = 0; i < exact.parameters.size(); ++i) {
    const reference::Parameter& parameter = exact.parameters[i];
    const double x = point[i];
    if (parameter.constraint == reference::Constraint::kNormal) {
      const double pull = (exact.data[parameter.data_index] - x) / parameter.sigma;
      constraints += 0.5 * pull * pull + std::log(parameter.sigma * std::sqrt(2 * M_PI));
    } else if (parameter.constraint == reference::Constraint::kPoisson) {
      const double n = exact.data[parameter.data_index], rate = x * parameter.tau;
      constraints += rate - n * std::log(rate) + std::lgamma(n + 1);
    }
  }
  EXPECT_NEAR(at.nll_constraint.at(0), constraints, 1e-11 * std::abs(constraints));
  EXPECT_NEAR(at.nll_main.at(0) + at.nll_constraint.at(0), at.nll.at(0), 1e-13 * std::abs(at.nll.at(0)));
}

}  // namespace
}  // namespace nextstat

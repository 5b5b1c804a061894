// 10,000 toys give back what was put in: pulls, coverage, the asymptotic laws of the test statistics, CLs and
// injected signals. docs/statistics.md shows the same numbers.
#include <gtest/gtest.h>
#include <nextstat/fit.h>
#include <nextstat/hypotest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "closure/checks.h"

namespace nextstat::closure {
namespace {

const Samples& drawn() {
  static const Samples samples = draw_samples();
  return samples;
}

void expect_met(const std::string& group) {
  std::size_t found = 0;
  for (const Check& check : checks(drawn())) {
    if (check.group != group) continue;
    ++found;
    EXPECT_TRUE(check.met()) << check.group << ", " << check.what << ": " << check.value << " +- "
                             << check.error << ", expected " << check.expected << ", allowed "
                             << check.allowed;
  }
  EXPECT_GT(found, 0u);
}

// The checks that samples with a fault do not meet: "group, what".
std::vector<std::string> unmet(const Samples& faulty) {
  std::vector<std::string> names;
  for (const Check& check : checks(faulty)) {
    if (!check.met()) names.push_back(check.group + ", " + check.what);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Closure, EveryToyConverges) {
  EXPECT_EQ(drawn().failed, 0u);
  EXPECT_EQ(drawn().pulls.size(), 10000u);
}

TEST(Closure, PullsHaveMeanZeroAndWidthOne) { expect_met("pulls"); }
TEST(Closure, ProfileIntervalsCoverTheTruthAsOftenAsTheySay) { expect_met("coverage"); }
TEST(Closure, Q0OfBackgroundIsHalfZeroAndHalfChiSquare) { expect_met("q0"); }
TEST(Closure, QtildeFollowsItsAsymptoticLaw) { expect_met("qtilde"); }
TEST(Closure, ClsOfManyEventsIsTheAsymptoticOne) { expect_met("CLs"); }
TEST(Closure, InjectedSignalsComeBack) { expect_met("injection"); }

TEST(Closure, ClsOfFewEventsIsTheExactOne) { expect_met("CLs of few events"); }

// The interval that a user gets is the one whose coverage is counted: t(mu) <= 1 between its ends.
TEST(Closure, MinosEndsWhereTIsOne) {
  const Model model = many_events();
  const FitResult best = fit(model, {.minos = {"mu"}}).value();
  const double mu_hat = best.bestfit[*model.poi_index()];
  for (const double end : {best.minos.at(0).down, best.minos.at(0).up}) {
    const HypotestResult at = hypotest(model, {.mu = mu_hat + end, .statistic = TestStatistic::T}).value();
    EXPECT_NEAR(at.q_mu, 1, 1e-6);
  }
}

// What toys are for.
TEST(Closure, ClsOfFewEventsIsNotTheAsymptoticOne) {
  const auto differs = [](const ClsPoint& point) {
    return std::abs(point.toys.value - point.asymptotic) > 5 * point.toys.error;
  };
  const auto& points = drawn().few_cls;
  EXPECT_TRUE(std::all_of(points.begin(), points.end(), differs));
}

// --- the checks themselves: faults of this size do not pass ------------------------------------------------

TEST(ClosureChecks, SeeASigmaThatIsTooSmall) {
  Samples faulty = drawn();
  for (double& pull : faulty.pulls) pull *= 1.05;
  EXPECT_EQ(unmet(faulty), Names{"pulls, width"});
}

TEST(ClosureChecks, SeeABiasOfATwentiethOfSigma) {
  Samples faulty = drawn();
  for (double& pull : faulty.pulls) pull += 0.05;
  EXPECT_EQ(unmet(faulty), Names{"pulls, mean"});
}

TEST(ClosureChecks, SeeIntervalsThatAreTooShort) {
  Samples faulty = drawn();
  for (double& t : faulty.t) t *= 1.1;
  EXPECT_EQ(unmet(faulty), (Names{"coverage, 68.27% interval", "coverage, 95.45% interval"}));
}

TEST(ClosureChecks, SeeAStatisticThatIsScaled) {
  Samples faulty = drawn();
  for (StatisticSample* sample : {&faulty.q0, &faulty.qtilde_signal, &faulty.qtilde_background})
    for (double& q : sample->q) q *= 1.2;
  EXPECT_EQ(unmet(faulty), (Names{"q0, background: Kolmogorov-Smirnov p beyond 0",
                                  "qtilde, signal: Kolmogorov-Smirnov p beyond 0",
                                  "qtilde, background: Kolmogorov-Smirnov p beyond 0"}));
}

TEST(ClosureChecks, SeeALawWithoutThePartBelowZero) {
  Samples faulty = drawn();
  for (double& q : faulty.qtilde_background.q) {
    const double m = 1 / faulty.sigma;  // where mu_hat = 0: qtilde = m^2 there, q goes on as a square
    if (q > m * m) q = std::pow((q + m * m) / (2 * m), 2);
  }
  EXPECT_EQ(unmet(faulty), Names{"qtilde, background: Kolmogorov-Smirnov p beyond 0"});
}

TEST(ClosureChecks, SeeToysThatAreCountedAtZero) {
  Samples faulty = drawn();
  for (StatisticSample* sample : {&faulty.q0, &faulty.qtilde_signal, &faulty.qtilde_background})
    for (double& q : sample->q) q = q < 0.01 ? 0 : q;
  const Names names = unmet(faulty);
  for (const char* of : {"q0, background", "qtilde, signal"})
    EXPECT_NE(std::find(names.begin(), names.end(), of + std::string(": fraction at 0")), names.end()) << of;
}

TEST(ClosureChecks, SeeClsThatAreOffByATenth) {
  Samples faulty = drawn();
  faulty.cls.front().toys.value *= 1.1;
  faulty.few_cls.front().toys.value *= 1.1;
  EXPECT_EQ(unmet(faulty), (Names{"CLs, mu = 0.5", "CLs of few events, mu = 0.25"}));
}

TEST(ClosureChecks, SeeASignalThatIsLostInPart) {
  Samples faulty = drawn();
  for (Injection& injection : faulty.injections) injection.mean_mu_hat.value *= 0.98;
  EXPECT_EQ(unmet(faulty), Names{"injection, slope"});
}

}  // namespace
}  // namespace nextstat::closure

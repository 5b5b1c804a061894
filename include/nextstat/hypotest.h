// Asymptotic hypothesis tests: CLs of a signal strength, observed and expected.
//
//   Result<HypotestResult> result = hypotest(model, {.mu = 1.0});
//   result->observed.cls, result->expected[2].cls;      // expected[2] is the median
//
// Formulae of Cowan, Cranmer, Gross and Vitells, Eur. Phys. J. C 71 (2011) 1554; numbers as pyhf gives them.
#pragma once

#include <nextstat/names.h>
#include <nextstat/run.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// With t = 2 (NLL(mu) - NLL(mu_hat)):
enum class TestStatistic {
  Qtilde,  // t; compared with the fit at 0 where mu_hat < 0; 0 where mu_hat > mu. For upper limits
  Q,       // t; 0 where mu_hat > mu
  Q0,      // t at mu = 0; 0 where mu_hat < 0. For discovery
  T,       // t: two-sided
  Ttilde,  // t; compared with the fit at 0 where mu_hat < 0
};
NameTable<TestStatistic> test_statistics();
const char* to_string(TestStatistic statistic);  // "qtilde"
// Of all, or of those that a question can use (kLimitStatistics, kToyStatistics).
Result<TestStatistic> parse_test_statistic(std::string_view name, std::span<const TestStatistic> usable = {});

// How a question that has both answers is answered: by asymptotic formulas or from toys.
enum class Calculator { Asymptotics, Toys };
NameTable<Calculator> calculators();
const char* to_string(Calculator calculator);  // "asymptotics"
Result<Calculator> parse_calculator(std::string_view name);

// What is tested, and by which statistic.
struct HypotestOptions {
  RunOptions run = {};
  double mu = 1;  // what is tested; q0 always tests 0
  TestStatistic statistic = TestStatistic::Qtilde;
  // pyhf computes qtilde by the formula of q also where the POI may be negative.
  bool qtilde_as_pyhf = false;
};

// Expected values stand in this order, in units of sigma of the background-only data: CLs and limits ascend.
constexpr std::array<double, 5> kBandSigmas = {-2, -1, 0, 1, 2};

// A number that does not exist is NaN.
struct TailProbabilities {
  double teststat = 0;  // CLb = Phi(-teststat) for q, qtilde, q0; the square root of t for t, ttilde
  double clsb = 0;      // P(q >= q_obs | mu); for q0 this is p0
  double clb = 0;       // P(q >= q_obs | background only; for q0: signal of strength 1)
  double cls = 0;       // clsb / clb; q0 has none
};

// The test statistic and its tail probabilities, observed and expected.
struct HypotestResult {
  double mu_test = 0;
  TestStatistic statistic = TestStatistic::Qtilde;
  double q_mu = 0;    // of the data
  double q_mu_a = 0;  // of the Asimov data: what the fit at mu = 0 expects (q0: the fit at mu = 1)
  double mu_hat = 0;
  TailProbabilities observed;
  std::array<TailProbabilities, 5> expected;  // as kBandSigmas
  bool converged = false;                     // all fits
  bool interrupted = false;                   // then there are no numbers
  std::size_t fits = 0, iterations = 0;
  std::vector<std::string> warnings;
  MinimaSearch search;
  DeviceUse device;
  std::string instruction_set;

  bool complete() const;  // every number exists; those of q0 without CLs
};

// Errors: the model has no POI, or it is fixed.
Result<HypotestResult> hypotest(const Model& model, const HypotestOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

// Hypothesis tests with toys: the distributions of the test statistic are counted, not assumed.
//
//   Result<HypotestToysResult> result = hypotest_toys(model, {.toys = {.n_toys = 10000}, .mu = 1.0});
//   result->observed.cls, result->observed.cls_error;
//
// Toys of the tested hypothesis are drawn at the fit to the data with the POI fixed at mu, those of the
// alternative at 0 (q0: the tested 0 and the alternative 1). p = toys with q >= q_obs among those that have a
// converged q; the others are counted in n_error and n_nonconverged.
#pragma once

#include <nextstat/hypotest.h>
#include <nextstat/toys.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Fractions of toys with their standard errors. A number that does not exist is NaN.
struct ToyProbabilities {
  double clsb = 0, clsb_error = 0;
  double clb = 0, clb_error = 0;
  double cls = 0, cls_error = 0;  // q0 has none
};

// Those that toys can be used with.
inline constexpr TestStatistic kToyStatistics[] = {TestStatistic::Qtilde, TestStatistic::Q,
                                                   TestStatistic::Q0};

// What is tested, with how many toys, and where these are kept.
struct HypotestToysOptions {
  RunOptions run = {};
  ToyOptions toys = {};
  ToyStorage storage = {};
  double mu = 1;                                    // what is tested; q0 always tests 0
  TestStatistic statistic = TestStatistic::Qtilde;  // of kToyStatistics
  bool expected_set = false;                        // needs 8 bytes of memory per toy
  // Called for every toy, in order, with its hypothesis, its number and its q (NaN without a likelihood).
  std::function<void(bool alternative, std::size_t toy, double q)> use = {};
  std::function<void(const ToyProbabilities&)> on_estimate = {};  // so far, from this process's toys
};

// Of the tested hypothesis (s+b; q0: b) and of the alternative (b; q0: s+b).
struct ToyCounts {
  std::size_t tested = 0, alternative = 0;
};

// Tail probabilities from toys, with how many there were.
struct HypotestToysResult {
  double mu_test = 0;
  TestStatistic statistic = TestStatistic::Qtilde;
  double q_obs = 0, mu_hat = 0;
  double q_mu_a = 0;  // of the Asimov data, as `hypotest` gives
  ToyProbabilities observed;
  std::array<TailProbabilities, 5> expected;         // as kBandSigmas; NaN unless asked for
  std::array<TailProbabilities, 5> expected_errors;  // standard errors of these
  ToyCounts n_toys, n_error, n_nonconverged;         // of those that are there
  std::uint64_t seed = 0;
  bool complete = false;    // all toys of the run are in the numbers
  bool shard_done = false;  // all toys of this shard are there
  bool interrupted = false;
  bool converged = false;  // the fits to the data
  std::vector<std::string> warnings;
  MinimaSearch search;                  // of the fits to the data
  std::vector<SampledToys> toy_minima;  // of the fits to toys, by kind
  DeviceUse device;
  std::string instruction_set;
};

// Errors: the model has no POI, or it is fixed; a statistic that is not one-sided; a folder of another run.
Result<HypotestToysResult> hypotest_toys(const Model& model, const HypotestToysOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

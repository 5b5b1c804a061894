// Upper limits by CLs from toys: observed, and expected for -2 to +2 sigma, each with its error.
//
//   Result<UpperLimitToysResult> result = upper_limit_toys(model, {.error = 0.02});
//   result->observed, result->observed_error;
//
// Toys are spent where limits are decided: a first round around the asymptotic limits, then more, in rounds,
// near the limit whose error is furthest from what is wanted. Every decision follows from counts, so the same
// seed gives the same bytes for any threads and batch.
#pragma once

#include <nextstat/hypotest_toys.h>
#include <nextstat/upper_limit.h>

#include <array>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// At which confidence level, how precisely, and with how many toys.
struct UpperLimitToysOptions {
  RunOptions run = {};
  ToyOptions toys = {};  // n_toys: of both hypotheses at every value of the first round
  double confidence_level = 0.95;
  TestStatistic statistic = TestStatistic::Qtilde;  // of kLimitStatistics
  // Relative error wanted of the observed and the median expected limit; the limits at 1 sigma may have twice
  // that, those at 2 sigma four times.
  double error = 0.02;
  std::size_t max_toys = 200000;  // toys of both hypotheses at all values together; no more are made
  // Not empty: n_toys at these ascending values, and no others.
  std::vector<double> scan = {};
};

// CLs at one tested value. Errors are standard errors.
struct CLsToysPoint {
  double mu = 0;
  double q_mu = 0;
  double observed = 0, observed_error = 0;  // NaN where there is none
  std::array<double, 5> expected = {}, expected_errors = {};
  ToyCounts n_toys, n_error, n_nonconverged;
};

// The limits with their errors, beside the asymptotic ones.
struct UpperLimitToysResult {
  double confidence_level = 0;
  TestStatistic statistic = TestStatistic::Qtilde;
  double observed = 0, observed_error = 0;  // NaN where there is none: a warning says why
  std::array<double, 5> expected = {}, expected_errors = {};
  double observed_asymptotic = 0;  // where the search began; NaN for a scan
  std::array<double, 5> expected_asymptotic = {};
  double mu_hat = 0;
  std::array<double, 2> bracket = {};  // values tested just below and above the observed limit; NaN = none
  std::vector<CLsToysPoint> points;    // ascending
  double error_wanted = 0;             // relative
  bool error_reached = false;          // by all limits
  std::size_t n_toys = 0;              // of both hypotheses at all values
  std::size_t fits = 0;                // to the data and to toys
  std::uint64_t seed = 0;
  // The fits to the data, all limits, the observed one with the error wanted (scan: any), and at no value
  // more than 1% of the toys of a hypothesis without a usable fit.
  bool converged = false;
  bool interrupted = false;  // limits are those of the toys so far
  std::vector<std::string> warnings;
  MinimaSearch search;  // of the fits to the data
  DeviceUse device;
  std::string instruction_set;
};

// Errors: the model has no POI, or it is fixed; a confidence level or error outside (0, 1); too few toys.
Result<UpperLimitToysResult> upper_limit_toys(const Model& model, const UpperLimitToysOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

// Upper limits on the parameter of interest by CLs: observed, and expected for -2 to +2 sigma.
//
//   Result<UpperLimitResult> result = upper_limit(model, {.confidence_level = 0.95});
//   result->observed, result->expected[2];
//
// A limit may lie beyond the upper bound of the POI, which is fixed in every fit that tests a value.
#pragma once

#include <nextstat/hypotest.h>

#include <array>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Those that a limit can be found with.
inline constexpr TestStatistic kLimitStatistics[] = {TestStatistic::Qtilde, TestStatistic::Q};

// At which confidence level, and how precisely.
struct UpperLimitOptions {
  RunOptions run = {};
  double confidence_level = 0.95;
  TestStatistic statistic = TestStatistic::Qtilde;  // of kLimitStatistics
  double rtol = 1e-4;                               // relative precision of every limit
  // Not empty: CLs at these ascending values only, and limits by straight lines between them.
  std::vector<double> scan = {};
};

// CLs at one tested value.
struct CLsPoint {
  double mu = 0;
  double observed = 0;                  // NaN where there is none
  std::array<double, 5> expected = {};  // as kBandSigmas
  double q_mu = 0, q_mu_a = 0;
  bool converged = false;
  bool kink = false;  // the deepest minimum of the data lies on another branch than at the value before
};

// The limits, and CLs at every value that was tested.
struct UpperLimitResult {
  double confidence_level = 0;
  TestStatistic statistic = TestStatistic::Qtilde;
  double observed = 0;                  // NaN where there is none: a warning says why
  std::array<double, 5> expected = {};  // as kBandSigmas
  double mu_hat = 0;
  std::array<double, 2> bracket = {};  // values tested just below and above the observed limit; NaN = none
  std::vector<CLsPoint> points;        // every value that was tested, ascending
  bool converged = false;              // all fits, and every limit found to the precision asked for
  bool interrupted = false;            // limits found so far are kept
  std::size_t fits = 0, iterations = 0;
  std::vector<std::string> warnings;
  MinimaSearch search;
  DeviceUse device;
  std::string instruction_set;

  bool complete() const;  // all six limits exist
};

// Errors: the model has no POI, or it is fixed; a confidence level outside (0, 1).
Result<UpperLimitResult> upper_limit(const Model& model, const UpperLimitOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

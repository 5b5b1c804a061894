// The interval of one parameter after Feldman and Cousins: the values whose t, the likelihood ratio to the best
// fit, is not among the largest of the toys drawn there. Phys. Rev. D 57 (1998) 3873.
//
//   Result<FeldmanCousinsResult> result = feldman_cousins(model, {.confidence_level = 0.9});
//   result->lower, result->upper;
//
// Other parameters: toys of a value are drawn at the fit to the data with the parameter fixed there (profile
// construction), and every toy is fitted like the data.
#pragma once

#include <nextstat/toys.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Values that a search begins with.
inline constexpr std::size_t kFeldmanCousinsValues = 15;

// Which parameter, which values, how many toys.
struct FeldmanCousinsOptions {
  RunOptions run = {};
  ToyOptions toys = {};              // n_toys: for every value
  std::string parameter = "";        // "" = the POI
  double confidence_level = 0.6827;  // between 0 and 1
  // The values to begin with, ascending and within the bounds.
  // Empty = kFeldmanCousinsValues around the profile likelihood interval.
  std::vector<double> values = {};
  // Values that are added near each end of the interval, one after the other.
  std::size_t refinements = 6;
};

// One tested value. The statistic is
//
//   t(value) = 2 (NLL(value) - NLL of the best fit within the bounds)
struct FeldmanCousinsPoint {
  double value = 0;
  double q = 0;  // t of the data
  // The smallest t that the wanted part of the toys stays within.
  double q_critical = 0, q_critical_error = 0;
  double p_value = 0, p_value_error = 0;  // toys with t >= q
  bool inside = false;                    // q <= q_critical
  bool converged = false;                 // the fit to the data
  std::size_t n_toys = 0, n_error = 0, n_nonconverged = 0;
};

// Why there is no end of the interval.
enum class IntervalEnd {
  Found,
  Bound,    // inside up to the bound of the parameter, which then is the end
  Open,     // inside up to the last value that was looked at: no number
  Missing,  // no value inside, or not finished: no number
};
const char* to_string(IntervalEnd end);  // "found", "bound", ...

// The interval, and every value that was tested.
struct FeldmanCousinsResult {
  std::size_t parameter = 0;
  double confidence_level = 0;
  double bestfit = 0, nll = 0;
  double lower = 0, upper = 0;  // NaN where there is none
  // From the number of toys and the distance of the values; NaN at bounds.
  double lower_error = 0, upper_error = 0;
  IntervalEnd lower_end = IntervalEnd::Missing, upper_end = IntervalEnd::Missing;
  std::vector<FeldmanCousinsPoint> points;  // ascending
  std::size_t n_toys = 0;                   // of all points
  std::uint64_t seed = 0;
  bool converged = false;    // the fits to the data
  bool interrupted = false;  // points that were finished are kept
  std::vector<std::string> warnings;
  DeviceUse device;
  std::string instruction_set;
};

// Errors: the parameter is fixed or not there; values outside its bounds.
Result<FeldmanCousinsResult> feldman_cousins(const Model& model, const FeldmanCousinsOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

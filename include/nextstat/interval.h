// The profile likelihood interval of one parameter: where 2 (NLL(v) - NLL_hat) reaches the quantile of
// chi-square with one degree of freedom, NLL(v) being minimized over all other parameters.
//
//   Result<IntervalResult> result = interval(model, {.confidence_level = 0.95});
//   result->lower, result->upper;
#pragma once

#include <nextstat/run.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Which parameter, and at which confidence level.
struct IntervalOptions {
  RunOptions run = {};
  std::string parameter = "";        // "" = the POI
  double confidence_level = 0.6827;  // between 0 and 1
};

// The interval, in parts where there are several minima.
struct IntervalResult {
  std::size_t parameter = 0;
  double confidence_level = 0;
  double level = 0;  // of 2 (NLL - NLL_hat): 1 for 0.68269, 3.8415 for 0.95
  double bestfit = 0, nll = 0;
  // Outer ends of all parts. NaN where a fit on the way did not converge or was interrupted.
  double lower = 0, upper = 0;
  std::vector<IntervalPart> parts;  // ascending; more than one where minima of about the same depth are apart
  bool lower_at_bound = false;      // the level is not reached before the bound: that end is the bound
  bool upper_at_bound = false;
  bool converged = false;  // the best fit and both ends
  bool interrupted = false;
  std::size_t fits = 0, iterations = 0;
  std::vector<std::string> warnings;
  MinimaSearch search;
  DeviceUse device;
  std::string instruction_set;
};

// Errors: the parameter is fixed or not there; a confidence level outside (0, 1).
Result<IntervalResult> interval(const Model& model, const IntervalOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

// How well the model describes the data: the best fit against the saturated model.
//
//   Result<GoodnessOfFitResult> result = goodness_of_fit(model);
//   result->goodness.p_value;
#pragma once

#include <nextstat/fit.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Those of the fit.
struct GoodnessOfFitOptions {
  RunOptions run = {};
};

// Chi2 with its p-value, and how the fit went.
struct GoodnessOfFitResult {
  GoodnessOfFit goodness;
  bool converged = false;
  bool interrupted = false;
  std::size_t iterations = 0;
  std::vector<std::string> warnings;
  MinimaSearch search;
  DeviceUse device;
  std::string instruction_set;

  bool complete() const;  // chi2 and its p-value exist
};

// The p-value is that of the chi-square distribution. Errors: as fit().
Result<GoodnessOfFitResult> goodness_of_fit(const Model& model, const GoodnessOfFitOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

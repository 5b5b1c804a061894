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

struct GoodnessOfFitOptions {
  RunOptions run = {};
};

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

Result<GoodnessOfFitResult> goodness_of_fit(const Model& model, const GoodnessOfFitOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

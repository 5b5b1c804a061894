// Discovery: how unlikely the data are without signal.
//
//   Result<SignificanceResult> result = significance(model);
//   result->z_obs, result->z_exp;
#pragma once

#include <nextstat/run.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Those of the fits.
struct SignificanceOptions {
  RunOptions run = {};
};

// Z = sqrt(q0), p0 = Phi(-Z). A number that does not exist is NaN.
struct SignificanceResult {
  double q0 = 0, q0_asimov = 0;  // of the data; of what the fit at mu = 1 expects
  double p0 = 0, p0_exp = 0;
  double z_obs = 0, z_exp = 0;  // +infinity where the background alone cannot give the data
  double mu_hat = 0;
  bool converged = false;
  bool interrupted = false;
  std::size_t fits = 0, iterations = 0;
  std::vector<std::string> warnings;
  MinimaSearch search;
  DeviceUse device;
  std::string instruction_set;

  bool complete() const;  // both Z exist
};

// Errors: the model has no POI, or it is fixed.
Result<SignificanceResult> significance(const Model& model, const SignificanceOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

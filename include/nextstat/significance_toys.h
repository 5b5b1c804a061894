// Discovery with toys: p0 is counted, not assumed.
//
//   Result<SignificanceToysResult> result = significance_toys(model, {.toys = {.n_toys = 100000}});
//   result->p0, result->z_obs;
//
// p0 = toys of the background alone with q0 >= that of the data. z_exp: the median q0 of toys at mu = 1 among
// the toys of the background.
#pragma once

#include <nextstat/hypotest_toys.h>
#include <nextstat/significance.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Those of the fits, and the toys.
struct SignificanceToysOptions {
  RunOptions run = {};
  ToyOptions toys = {};
};

// A number that does not exist is NaN.
struct SignificanceToysResult {
  SignificanceResult asymptotic;  // with q0 and mu_hat
  double p0 = 0, p0_error = 0;
  double z_obs = 0, z_obs_error = 0;  // p0 = Phi(-z_obs); 0 for p0 >= 1/2; NaN where no toy is beyond
  double z_obs_bound = 0;  // where no toy is beyond: z_obs is larger at 95% confidence level; else NaN
  double p0_exp = 0, p0_exp_error = 0;
  double z_exp = 0, z_exp_error = 0, z_exp_bound = 0;
  ToyCounts n_toys, n_error, n_nonconverged;  // tested: the background; alternative: mu = 1
  std::uint64_t seed = 0;
  bool interrupted = false, converged = false;
  std::vector<std::string> warnings;
  MinimaSearch search;                  // of the fits to the data
  std::vector<SampledToys> toy_minima;  // of the fits to toys, by kind
  DeviceUse device;
  std::string instruction_set;
};

// Errors: the model has no POI, or it is fixed; no toys.
Result<SignificanceToysResult> significance_toys(const Model& model,
                                                 const SignificanceToysOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

// How well the model describes the data, with the distribution of chi2 from toys.
//
//   Result<GoodnessOfFitToysResult> result = goodness_of_fit_toys(model, {.toys = {.n_toys = 1000}});
//   result->p_value, result->data.goodness.p_value;
//
// Toys are drawn at the best fit, main and auxiliary data, and each is fitted freely. p = toys with a chi2 of
// at least that of the data.
#pragma once

#include <nextstat/goodness_of_fit.h>
#include <nextstat/toys.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Those of the fits, and the toys.
struct GoodnessOfFitToysOptions {
  RunOptions run = {};
  ToyOptions toys = {};
};

// The p-value from toys, beside the asymptotic one.
struct GoodnessOfFitToysResult {
  GoodnessOfFitResult data;               // with the asymptotic p-value, warnings and outcome of all
  double p_value = 0, p_value_error = 0;  // of the toys; NaN without any
  double mean_chi2 = 0;                   // of the toys: the effective degrees of freedom
  std::size_t n_toys = 0;                 // that are done
  std::size_t n_error = 0, n_nonconverged = 0;
  std::uint64_t seed = 0;
};

// Errors: as fit(); no toys.
Result<GoodnessOfFitToysResult> goodness_of_fit_toys(const Model& model,
                                                     const GoodnessOfFitToysOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

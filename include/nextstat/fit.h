// The best fit of a model to data, with uncertainties from the exact Hessian.
//
//   Result<FitResult> result = fit(model);
//   if (result && result->converged) result->bestfit[*model.poi_index()];
#pragma once

#include <nextstat/matrix.h>
#include <nextstat/run.h>
#include <nextstat/termination.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// What is wanted besides the best fit.
struct FitOptions {
  RunOptions run = {};
  bool uncertainties = true;
  std::vector<std::string> minos = {};  // parameters or parameter sets to give profile errors for
  bool minos_of_all = false;            // of every free parameter
  bool large_matrices = false;  // covariance and correlation for more than kMostParametersOfMatrix parameters
};

// Saturated model: each bin's rate is its count. Chi2 = 2 (NLL - NLL of the saturated model).
struct GoodnessOfFit {
  double chi2 = 0;          // NaN when rates below zero bring the NLL below the saturated model's
  std::ptrdiff_t ndof = 0;  // main bins - free parameters without a constraint + flat directions
  double p_value = 0;       // NaN when ndof < 1 or there is no chi2
  double nll_fit = 0, nll_saturated = 0;
};

// Distances from the best fit to where the profile likelihood rises by 1/2.
// NaN where it does not within the bounds.
struct MinosErrors {
  std::size_t parameter = 0;
  double down = 0, up = 0;               // down <= 0 <= up; to the outer ends of all parts
  std::vector<IntervalPart> parts = {};  // values of the parameter; empty = one, from down to up
};

// A number that does not exist is NaN.
struct FitResult {
  std::vector<double> bestfit;  // [parameter]
  // [parameter]; 0 = fixed, NaN = at a bound or not constrained by the data.
  std::vector<double> uncertainties;
  // [parameter][parameter]; 0 = fixed, NaN = at a bound; empty = not given.
  std::vector<double> covariance, correlation;
  std::vector<MinosErrors> minos;
  bool minos_converged = true;  // false: a side was not found although no bound is in its way
  double nll = 0, initial_nll = 0;
  Termination termination = Termination::NotConverged;
  bool converged = false;
  bool interrupted = false;  // the stop token fired: the minimum or some MINOS errors were not finished
  std::size_t iterations = 0, evaluations = 0;  // of NLL and gradient together
  double edm = 0;                               // expected distance to the minimum
  double scaled_gradient = 0;                   // max |g| sigma over free parameters
  std::vector<std::size_t> at_bound;            // parameters that ended at a bound
  std::vector<std::size_t> fixed;               // parameters that were held
  GoodnessOfFit goodness_of_fit;
  std::vector<std::string> warnings;
  MinimaSearch search;
  DeviceUse device;
  std::string instruction_set;
};

// Errors: a name that the model does not have, data of another length, a device that is not available. A fit
// that does not converge is a result that says so.
Result<FitResult> fit(const Model& model, const FitOptions& options = {});

// Whether covariance and correlation, and `more` bytes for what is made of them, fit in memory. The error names `what`
// with both numbers, and `instead` as the next step.
Result<void> check_matrix_memory(const Model& model, const std::string& what, double more,
                                 const Hint& instead);

}  // namespace nextstat
#pragma GCC visibility pop

// The best fits of one model to many data sets.
//
//   Result<BatchFits> fits = fit_batch(model, data);      // data: [set][datum]
//   fits->converged[3], fits->bestfit[3 * model.n_parameters()];
//
// A set's fit depends on its data only: not on the other sets, threads or device.
#pragma once

#include <nextstat/run.h>

#include <span>
#include <string>
#include <vector>

namespace nextstat {

// One fit per data set, in their order.
struct BatchFits {
  std::size_t n_sets = 0;
  std::vector<double> bestfit;          // [set][parameter]; NaN where there is no likelihood
  std::vector<double> nll;              // [set]
  std::vector<char> converged;          // [set]
  std::vector<std::size_t> iterations;  // [set]
  std::size_t n_converged = 0;
  bool interrupted = false;  // some sets were not fitted: they have no numbers
  std::vector<std::string> warnings;
  DeviceUse device;
  std::string instruction_set;
};

// data: [set][datum], each set main bins, then auxiliary data.
// All fits begin at the best fit to the model's own data.
Result<BatchFits> fit_batch(const Model& model, std::span<const double> data, const RunOptions& options = {});

}  // namespace nextstat

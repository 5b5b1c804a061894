// The best fits of one model to many datasets.
//
//   Result<BatchFits> fits = fit_batch(model, data);      // data: [dataset][datum]
//   fits->converged[3], fits->bestfit[3 * model.n_parameters()];
//
// A fit depends on its dataset only: not on the others, threads or device.
#pragma once

#include <nextstat/run.h>

#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// One fit per dataset, in their order.
struct BatchFits {
  std::size_t n_datasets = 0;
  std::vector<double> bestfit;          // [dataset][parameter]; NaN where there is no likelihood
  std::vector<double> nll;              // [dataset]
  std::vector<char> converged;          // [dataset]
  std::vector<std::size_t> iterations;  // [dataset]
  std::size_t n_converged = 0;
  bool interrupted = false;  // some were not fitted: they have no numbers
  std::vector<std::string> warnings;
  DeviceUse device;
  std::string instruction_set;
};

// data: [dataset][datum], each one main bins, then auxiliary data.
// All fits begin at the best fit to the model's own data.
Result<BatchFits> fit_batch(const Model& model, std::span<const double> data, const RunOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

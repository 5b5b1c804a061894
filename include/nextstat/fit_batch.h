// Many fits of one model: to many datasets, or each with data, a start, bounds and fixed parameters of its own.
//
//   Result<BatchFits> fits = fit_batch(model, data);      // data: [dataset][datum]
//   fits->converged[3], fits->bestfit[3 * model.n_parameters()];
//
//   std::vector<double> starts(10 * model.n_parameters(), 1.0);
//   Result<BatchFits> rows = fit_rows(model, {.rows = 10, .starts = starts});
//
// A fit depends on its own row only: not on the others, threads or device.
#pragma once

#include <nextstat/run.h>

#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// One fit per dataset or row, in their order.
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

// What every fit has of its own. What is empty is the same for all, as the options say.
struct FitRows {
  std::size_t rows = 0;
  std::span<const double> data = {};    // [row][datum]
  std::span<const double> starts = {};  // [row][parameter]
  std::span<const double> low = {};     // [row][parameter] bounds; equal ones fix a parameter
  std::span<const double> high = {};
  std::span<const double> fixed = {};  // [row][parameter] where a parameter is held; NaN: it is not
};

// A fit for every row: the one that fit() finds with these data, start, bounds and fixed parameters. Each searches for the
// deepest minimum by itself, which takes as long as so many calls of fit(); with starts = 1 they run side by side, and a
// likelihood with several minima may then lead a row elsewhere than fit(). What the model fixes is held at the row's start.
Result<BatchFits> fit_rows(const Model& model, const FitRows& rows, const RunOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

// A question made ready to fit: the model on a device, its data, start, bounds and fixed parameters.
//
//   Result<Setup> setup = make_setup(model, options.run);
//   RowBatch batch = setup->batch();              // one data set, one start; rows are yours to add
//   batch.rows = {{}, {.fixed = {{poi, 1.0}}}};
//   Result<std::vector<Minimum>> minima = setup->solve(batch);
#pragma once

#include <nextstat/fit.h>
#include <nextstat/run.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/session.h"
#include "infer/open_session.h"
#include "minimize/covariance.h"
#include "minimize/solve.h"

namespace nextstat {

struct Setup {
  Model model;
  RunOptions options;
  std::unique_ptr<Session> session;
  std::vector<double> data;   // main bins, then auxiliary data
  std::vector<double> start;  // [parameter]
  Bounds bounds;
  std::vector<char> fixed;  // [parameter]
  DeviceUse device = {};    // that the session is on

  // Data set 0 = `data`, start 0 = `start`, bounds 0 = `bounds`; no rows yet.
  RowBatch batch() const;
  Result<std::vector<Minimum>> solve(const RowBatch& batch) const;

  // The index of a parameter by its flat name; "" = the POI. Errors name what is missing, and the option that
  // asked for it.
  Result<std::size_t> parameter(const std::string& name, const std::string& option = "--parameter") const;
  // The indices of all parameters that a name means: one parameter, or those of a set.
  Result<std::vector<std::size_t>> parameters(const std::string& name,
                                              const std::string& option = "--parameter") const;
};

Result<Setup> make_setup(const Model& model, const RunOptions& options, const Work& work = {});

// An unconditional fit with its covariance: what scans, rankings and limits start from.
struct BestFit {
  Minimum minimum;
  Covariance covariance;              // .matrix empty when not asked for
  std::vector<std::size_t> at_bound;  // not fixed, ended at a bound
  double initial_nll = 0;
  std::vector<double> start;  // the setup's, moved aside when that leads to a saddle point
};

// Free parameters that stand neither at a bound nor at a kink.
std::vector<char> moving_parameters(const Setup& setup, const Minimum& minimum);

// Names the bins that observe something where the model expects nothing at this point.
std::string bins_without_rate(const Setup& setup, std::span<const double> parameters);

// With the covariance, a saddle point is recognised and left; one that cannot be left is not converged.
// Errors: the start lies outside the bounds or has no finite NLL (then the bins that cause it are named).
Result<BestFit> find_best_fit(const Setup& setup, bool with_covariance);

// `other` lies lower by more than rounding.
bool is_better_minimum(const Minimum& known, const Minimum& other);

// A free parameter moved from one value towards another, at most half way to a bound: at the bound itself a
// gamma is 0.
double moved_within_bounds(const Setup& setup, std::size_t parameter, double from, double to);

// Where a fit with `parameter` fixed at `value` is expected to end: the best fit moved along the profile
// direction, within the bounds. A good start for that fit.
std::vector<double> profile_start(const Setup& setup, const BestFit& best, std::size_t parameter,
                                  double value);

// A value of the parameter of interest that free fits cannot reach.
void warn_about_bounds(const Setup& setup, std::size_t poi, double mu, std::vector<std::string>& warnings);

// Flat directions are known only with the covariance.
GoodnessOfFit goodness_of_fit(const Setup& setup, const BestFit& best);

}  // namespace nextstat

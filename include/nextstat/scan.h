// The profile likelihood over given values of one or two parameters, all others minimized at every point.
//
//   Result<ScanResult> result = scan(model, {.values = even_spacing(0, 5, 21)});
//   result->points[3].twice_delta_nll;
//
// Values outside the bounds of a parameter are allowed: it is fixed there.
#pragma once

#include <nextstat/run.h>

#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Which parameter, at which values.
struct ScanOptions {
  RunOptions run = {};
  std::string parameter = "";        // "" = the POI
  std::vector<double> values = {};   // at least one
  std::string parameter2 = "";       // used when values2 is not empty
  std::vector<double> values2 = {};  // a plane: every value with every value2, which runs faster
};

// The likelihood with the parameter fixed at one value.
struct ScanPoint {
  double mu = 0, mu2 = 0;      // mu2: planes only
  double nll_mu = 0;           // +infinity where an observed count has no rate
  double twice_delta_nll = 0;  // 2 (nll_mu - nll_hat)
  // One-sided statistic for upper limits: max(0, twice_delta_nll), and 0 for mu < mu_hat. NaN in planes.
  double q_mu = 0;
  bool converged = false;
  bool kink = false;  // the deepest minimum lies on another branch than at the value before
  std::size_t iterations = 0;
};

// The best fit and the points.
struct ScanResult {
  std::size_t parameter = 0;
  std::optional<std::size_t> parameter2;
  double mu_hat = 0, mu2_hat = 0, nll_hat = 0;
  // In the order of the values; those not fitted when interrupted are left out.
  std::vector<ScanPoint> points;
  bool converged = false;  // the best fit and all points
  bool interrupted = false;
  std::size_t iterations = 0;  // over all fits
  std::vector<std::string> warnings;
  MinimaSearch search;
  DeviceUse device;
  std::string instruction_set;
};

// Errors: no values, a parameter that the model does not have.
Result<ScanResult> scan(const Model& model, const ScanOptions& options);

// `points` values from start to stop, both included.
std::vector<double> even_spacing(double start, double stop, std::size_t points);

}  // namespace nextstat
#pragma GCC visibility pop

// Limits for many signal hypotheses of one analysis, side by side on all cores.
//
//   Result<std::vector<MassPointSource>> points = patchset_points(background_text, patchset_text);
//   Result<MassScanResult> result = mass_scan(*points);
//   result->points[0].limit.observed;
//
// The order is that of the points, and the numbers do not depend on threads.
#pragma once

#include <nextstat/hypotest.h>
#include <nextstat/upper_limit.h>

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// What a patch says of a hypothesis under one label: a mass, or a word.
using MassValue = std::variant<double, std::string>;

// One hypothesis. `model` is called when its turn comes, from any thread.
struct MassPointSource {
  std::string label;
  std::vector<MassValue> values = {};  // of the patchset's labels
  std::function<Result<Model>()> model;
};

// The patches of a patchset (JSON texts), in its order. The background is read and verified once.
Result<std::vector<MassPointSource>> patchset_points(std::string_view background, std::string_view patchset,
                                                     const ModelOptions& options = {});

// Options of the limits and of the test at one signal strength.
struct MassScanOptions {
  RunOptions run = {};  // threads = points at once
  // Options of the fits of one point, where they depend on its model.
  // Device, progress and stop stay those of `run`.
  std::function<Result<RunOptions>(const Model&)> run_of = {};
  double confidence_level = 0.95;
  TestStatistic statistic = TestStatistic::Qtilde;
  double mu = 1;  // CLs is given here
  double rtol = 1e-4;
};

// Limits and CLs of one hypothesis.
struct MassPoint {
  std::string label;
  std::vector<MassValue> values = {};
  Errors errors = {};  // not empty: there are no numbers
  UpperLimitResult limit = {};
  HypotestResult test = {};
  bool converged() const { return errors.empty() && limit.converged && test.converged; }
  bool complete() const { return errors.empty() && limit.complete() && test.complete(); }
};

// The hypotheses in the order in which they were given.
struct MassScanResult {
  std::vector<MassPoint> points;  // when interrupted: those that were finished
  double confidence_level = 0;
  double mu_test = 0;
  TestStatistic statistic = TestStatistic::Qtilde;
  bool converged = false;  // every point
  bool interrupted = false;
  std::size_t fits = 0, iterations = 0;
  DeviceUse device;  // of the first point that has numbers
};

// Errors: senseless options. What is wrong with a point stands in its entry.
Result<MassScanResult> mass_scan(std::span<const MassPointSource> sources,
                                 const MassScanOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop

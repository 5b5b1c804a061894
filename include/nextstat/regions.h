// Regions that a fit has left out: what its best fit expects there.
//
//   Result<Model> fitted = build_model(workspace, {.channels = {"CR"}});
//   Result<FitResult> result = fit(*fitted);
//   Result<Model> whole = build_model(workspace);
//   std::vector<double> at = carry_over(*fitted, result->bestfit, *whole);
//   const std::vector<std::string> left_out = {"SR"};
//   Result<std::vector<RegionCounts>> regions = region_counts(*whole, at, {}, left_out);
#pragma once

#include <nextstat/model.h>

#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Values of a model's parameters for another model of the same workspace.
// Parameters are matched by name, those that act in one bin of one channel by set, channel and bin.
// Parameters that `from` does not have keep their initial value.
std::vector<double> carry_over(const Model& from, std::span<const double> values, const Model& to);

// Data and expectation of one channel.
struct RegionCounts {
  std::string channel;
  std::vector<double> observed, expected;  // [bin]
};

// What the model expects in these channels, beside the data.
// data: main bins, then auxiliary data; empty = the model's own.
Result<std::vector<RegionCounts>> region_counts(const Model& model, std::span<const double> parameters,
                                                std::span<const double> data,
                                                std::span<const std::string> channels);

}  // namespace nextstat
#pragma GCC visibility pop

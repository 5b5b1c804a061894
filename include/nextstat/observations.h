// Data and parameter points from files.
//
//   Result<std::vector<double>> data = read_observations(model, "counts.json");
//   Result<ParameterRows> points = read_points(model, "points.json");
#pragma once

#include <nextstat/model.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// The file holds a list [{"name": channel, "data": [...]}], as in a workspace, or an object {channel: [...]}.
// Every channel of the model must be there, and no other but `others`, which are left out; auxiliary data
// stay the model's. Returns main bins and auxiliary data.
Result<std::vector<double>> read_observations(const Model& model, const std::string& path,
                                              std::vector<std::string> others = {});

// In the order of the workspace.
std::vector<std::string> channel_names(const Workspace& workspace);

// One or more points.
struct ParameterRows {
  std::vector<double> values;  // [row][parameter]
  bool many = false;           // a list of points was given, even if of one
};

// The file holds an object {parameter: value} or a list of such objects; parameters that are not named keep their
// initial value.
Result<ParameterRows> read_points(const Model& model, const std::string& path);

}  // namespace nextstat
#pragma GCC visibility pop

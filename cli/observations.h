// Observations other than the workspace's: --data FILE.
#pragma once

#include <nextstat/model.h>

#include <string>
#include <vector>

namespace nextstat::cli {

// The file holds a list [{"name": channel, "data": [...]}], as in a workspace, or an object {channel: [...]}.
// Every channel of the model must be there, and no other but `others`, which are left out; auxiliary data
// stay the model's. Returns main bins and auxiliary data.
Result<std::vector<double>> read_observations(const Model& model, const std::string& path,
                                              std::vector<std::string> others = {});

// In the order of the workspace.
std::vector<std::string> channel_names(const Workspace& workspace);

}  // namespace nextstat::cli

// The last step of every verb that makes a workspace.
#pragma once

#include <nlohmann/json.hpp>

#include "console.h"

namespace nextstat::cli {

// Checks that the document is a workspace, then writes it to --output or standard output; returns the exit
// code.
int write_checked_workspace(Console& console, const nlohmann::json& workspace);

}  // namespace nextstat::cli

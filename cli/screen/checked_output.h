// The last step of every verb that makes a workspace.
#pragma once

#include <nlohmann/json.hpp>

#include "screen/console.h"

namespace nextstat::cli {

// Refuses a document that does not follow the schema of a workspace; warns when no model could be built from
// it; writes it to --output or standard output. Returns the exit code.
int write_checked_workspace(Console& console, const nlohmann::json& workspace);

}  // namespace nextstat::cli

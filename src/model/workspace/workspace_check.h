// The ways from a text to a workspace that is known to be valid.
#pragma once

#include <nextstat/workspace.h>

#include <optional>
#include <string_view>

#include "model/parameters/parameter_collection.h"

namespace nextstat {

// Reads and checks, into a workspace that stays where it is: `collected` refers to it.
Errors read_and_check(std::string_view text, const Limits& limits, UsableMeasurements measurements,
                      Workspace& workspace, std::optional<CollectedWorkspace>& collected);

}  // namespace nextstat

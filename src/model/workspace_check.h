// What the numbers and names of a workspace must mean together, beyond the schema.
#pragma once

#include <nextstat/workspace.h>

#include "model/faults.h"

namespace nextstat {

// Lists every fault; adds warnings to the workspace.
void check_workspace(Workspace& workspace, const Limits& limits, UsableMeasurements measurements,
                     Faults& faults);

}  // namespace nextstat

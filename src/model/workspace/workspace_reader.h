// JSON text -> Workspace, in one pass without a document tree. Checks the schema's rules (types, keys,
// emptiness); what the numbers mean together is checked in workspace_check.cpp.
#pragma once

#include <nextstat/workspace.h>

#include <optional>
#include <string_view>

#include "base/json/fault_list.h"
#include "model/parameters/parameter_collection.h"

namespace nextstat {

// Reads all of `text` and lists its faults.
// Returns false when the text is not JSON and nothing can be said of it.
bool read_workspace(std::string_view text, Workspace& workspace, Faults& faults);

// A workspace that is valid, and what its check found out on the way.
struct CheckedWorkspace {
  Workspace workspace;
  std::optional<SortedView> view;
  ParameterCollection collection;
};
Result<CheckedWorkspace> read_and_check(std::string_view text, const Limits& limits,
                                        UsableMeasurements measurements);

}  // namespace nextstat

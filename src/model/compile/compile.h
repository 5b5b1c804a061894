// Workspace and parameters -> CompiledModel.
#pragma once

#include <nextstat/model.h>

#include <string>
#include <vector>

#include "model/compile/compiled_model.h"
#include "model/parameters/parameter_collection.h"

namespace nextstat {

// The workspace and the collection must be valid and configured. Warnings name interpolation fallbacks.
Result<CompiledModel> compile(const Workspace& workspace, const SortedView& view,
                              const ParameterCollection& collection, const ModelOptions& options,
                              std::vector<std::string>& warnings);

}  // namespace nextstat

// The keys that operations on a workspace document rely on. Less than the full check of a workspace: it does
// not look at numbers, bins or modifier data, which operations only carry along.
#pragma once

#include <nextstat/json.h>

namespace nextstat {

// Empty when channels, samples, modifiers, measurements and observations are in their places and have names.
Errors workspace_shape_errors(const Json& workspace);

}  // namespace nextstat

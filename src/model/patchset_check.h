// The rules of a patchset document: shape, name patterns, and what must be unique.
#pragma once

#include <nextstat/json.h>

#include <string>

namespace nextstat {

// Every fault with its pointer; empty for a valid patchset.
Errors patchset_errors(const Json& document);

// The same text for values that are equal in Python: 1 and 1.0, but not "1".
std::string values_key(const Json& values);

}  // namespace nextstat

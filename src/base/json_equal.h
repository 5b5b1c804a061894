// Equality of documents as Python sees it: numbers by value, whether written 1 or 1.0.
#pragma once

#include <nextstat/json.h>

namespace nextstat {

bool equal_values(const Json& left, const Json& right);

}  // namespace nextstat

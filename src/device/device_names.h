// Devices by their names, and the type that a preference asks for.
#pragma once

#include <nextstat/backends.h>

#include <optional>
#include <string_view>

namespace nextstat {

// Nothing for Auto.
std::optional<BackendType> type_of(BackendPreference preference);
const char* to_string(BackendPreference preference);  // "auto", "cuda"
std::optional<BackendPreference> preference_named(std::string_view name);

}  // namespace nextstat

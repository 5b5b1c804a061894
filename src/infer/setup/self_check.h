// Does a device compute what the CPU computes? A small model with every modifier, evaluated and fitted.
#pragma once

#include <optional>
#include <span>

#include "device/backend.h"

namespace nextstat {

// Nothing, or where it went wrong: the session could not be opened, a call failed, or a number is off.
std::optional<Absent> self_check(const Backend& backend, const DeviceInfo& device);
// Of the first device that fails.
std::optional<Absent> self_checks(const Backend& backend, std::span<const DeviceInfo> devices);

}  // namespace nextstat

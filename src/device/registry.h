// The backends of this build, as data. backends.def lists them, and nothing else in the tree names one.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "device/backend.h"

namespace nextstat {

// In the order of backends.def. They live as long as the program.
std::span<const Backend* const> registered_backends();

// The CPU's: the one that is always there.
const Backend& native_backend();

// A backend without devices, which says why.
const Backend& absent_backend(BackendType type);

// "139.72 GB", for sentences about devices.
std::string gigabytes(std::uint64_t bytes);

}  // namespace nextstat

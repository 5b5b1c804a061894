// Options whose value is a whole number, as digits or in scientific notation: 1000000 or 1e6.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace nextstat::cli {

inline constexpr std::uint64_t kMostThreads = 4096;

// For Option::transform: leaves digits, or an error that names the range.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);

}  // namespace nextstat::cli

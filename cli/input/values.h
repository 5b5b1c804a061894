// Options whose value is a whole number, as digits or in scientific notation: 1000000 or 1e6.
#pragma once

#include <nextstat/result.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace nextstat::cli {

inline constexpr std::uint64_t kMostThreads = 4096;

// For Option::transform: leaves digits, or an error that names the range.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);

// Amounts of memory as people write them.

// "200MB", "2GiB", "1.5 GB" in bytes; a number alone is in MB. The error has no place yet.
Result<std::uint64_t> parse_memory(const std::string& text);

// Names on the command line: words, or several in one word with commas between.

// A word that is itself a known name stays whole, with its commas.
std::vector<std::string> split_names(const std::vector<std::string>& words,
                                     const std::set<std::string>& known);

// An option that takes any number of words, also none.
CLI::Option* add_optional_words(CLI::App& command, const std::string& name, std::vector<std::string>& words,
                                const std::string& description, const std::string& type_name);

}  // namespace nextstat::cli

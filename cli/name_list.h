// Names on the command line: words, or several in one word with commas between.
#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

namespace nextstat::cli {

// A word that is itself a known name stays whole, with its commas.
std::vector<std::string> split_names(const std::vector<std::string>& words,
                                     const std::set<std::string>& known);

// An option that takes any number of words, also none.
CLI::Option* add_optional_words(CLI::App& command, const std::string& name, std::vector<std::string>& words,
                                const std::string& description, const std::string& type_name);

}  // namespace nextstat::cli

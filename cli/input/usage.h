// What the command line parser refuses, as an Error with the closest thing that would have worked.
#pragma once

#include <nextstat/result.h>

#include <CLI/CLI.hpp>

namespace nextstat::cli {

// The innermost command that the words led to: "patchset apply" of "nextstat patchset apply ...".
const CLI::App& chosen_command(const CLI::App& app);

// `app` has just thrown `failure` while parsing.
Error usage_error(const CLI::App& app, const CLI::ParseError& failure);

// Numbers given as "", which CLI11 reads as 0.
Errors empty_numbers(const CLI::App& app);

// The folder that the work itself will make, where it has such an option: --out or --resume.
std::string folder_to_make(const CLI::App& app);

// The first word is not a verb.
Error unknown_verb(const CLI::App& app, const std::string& word);

}  // namespace nextstat::cli

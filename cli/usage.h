// What the parser of the command line refuses, said as an Error with the closest thing that would have
// worked.
#pragma once

#include <nextstat/result.h>

#include <CLI/CLI.hpp>

namespace nextstat::cli {

// `app` has just thrown `failure` while parsing.
Error usage_error(const CLI::App& app, const CLI::ParseError& failure);

// The first word is not a verb.
Error unknown_verb(const CLI::App& app, const std::string& word);

}  // namespace nextstat::cli

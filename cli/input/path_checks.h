// Paths on the command line, looked at before any work: every option whose value is a FILE, DIR or FOLDER.
#pragma once

#include <nextstat/result.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

namespace nextstat::cli {

// Paths given as "": neither standard input nor standard output. `words` are those of the command line.
Errors empty_paths(const CLI::App& command, const std::vector<std::string_view>& words);

// An output that would replace what the command reads:
// the same file by path, link or hard link, or a file of a folder that it reads.
Errors replaced_inputs(const CLI::App& command);

}  // namespace nextstat::cli

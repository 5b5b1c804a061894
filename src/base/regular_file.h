// Files that a program keeps for itself in a folder where anything may lie: read without waiting for a pipe,
// and refused by name where they are no plain files.
//
//   Result<std::optional<std::string>> bytes = read_regular_file(path, most);   // empty = no such file
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <optional>
#include <string>

namespace nextstat {

// Refuses folders, pipes, sockets and devices, also behind a link, and files of more than `most` bytes.
Result<std::optional<std::string>> read_regular_file(const std::string& path, std::size_t most);

}  // namespace nextstat

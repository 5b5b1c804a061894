// Files that are whole or not there, whatever happens to the process, the disk or the power.
//
//   Result<bool> written = write_durably("run/block-7", bytes, "run/.block-7.part");
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nextstat {

enum class Existing { Replace, Keep };

// Writes `bytes` to `temporary`, a new file in the same folder, brings it to the disk, renames it to `path`
// and brings the name to the disk. On failure nothing is left behind and `path` is as it was. True: `path`
// holds these bytes; false: with Existing::Keep a file was there, and stays.
Result<bool> write_durably(const std::string& path, std::string_view bytes, const std::string& temporary,
                           Existing existing = Existing::Replace);

// Files that a program keeps for itself in a folder where anything may lie: read without waiting for a pipe,
// and refused by name where they are no plain files.
//
//   Result<std::optional<std::string>> bytes = read_regular_file(path, most);   // empty = no such file

// Refuses folders, pipes, sockets and devices, also behind a link, and files of more than `most` bytes.
Result<std::optional<std::string>> read_regular_file(const std::string& path, std::size_t most);

// Where programs keep what they can make again: $XDG_CACHE_HOME/nextstat, else $HOME/.cache/nextstat; "" where
// neither is set.
std::string cache_folder();

}  // namespace nextstat

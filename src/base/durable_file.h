// Files that are whole or not there, whatever happens to the process, the disk or the power.
//
//   Result<bool> written = write_durably("run/block-7", bytes, "run/.block-7.part");
#pragma once

#include <nextstat/result.h>

#include <string>
#include <string_view>

namespace nextstat {

enum class Existing { Replace, Keep };

// Writes `bytes` to `temporary`, a new file in the same folder, brings it to the disk, renames it to `path`
// and brings the name to the disk. On failure nothing is left behind and `path` is as it was. True: `path`
// holds these bytes; false: with Existing::Keep a file was there, and stays.
Result<bool> write_durably(const std::string& path, std::string_view bytes, const std::string& temporary,
                           Existing existing = Existing::Replace);

}  // namespace nextstat

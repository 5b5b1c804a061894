// The state of a toy run for people.
#pragma once

#include <nextstat/toy_folder.h>

#include <string>

namespace nextstat::cli {

// `shards` > 0 adds a line for each of that many shards.
std::string run_status_screen(const RunStatus& status, std::size_t shards);
std::string merge_screen(const MergeReport& report, const std::string& folder);

// 0 complete, 1 blocks are missing, 2 blocks are damaged or foreign.
int run_exit_code(const RunStatus& status);

}  // namespace nextstat::cli

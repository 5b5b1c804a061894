// Memory of this machine as this process may use it: the system's, or less where a container sets a limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace nextstat {

struct Memory {
  std::uint64_t total = 0;            // bytes; 0 = unknown
  std::optional<std::uint64_t> free;  // without pushing others out; empty = unknown
};

// Reads <root>/proc and <root>/sys/fs/cgroup: control groups of both versions,
// the process's own and every level above it.
Memory usable_memory(const std::filesystem::path& root = "/");

// Which instruction sets this processor has. Code compiled once per set asks before it is chosen.
//
//   if (processor_has("x86-64-v3")) ...

// Names as in cmake/NextstatInstructionSets.cmake.
// Other than on x86-64 there is one set, which every processor has.
bool processor_has(std::string_view instruction_set);

}  // namespace nextstat

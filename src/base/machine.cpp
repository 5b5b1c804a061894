#include "base/machine.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace nextstat {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream input(file);
  std::uint64_t number = 0;
  if (!(input >> number)) return std::nullopt;  // "max" is no number: no limit
  return number;
}

// The number after a key: "MemTotal: 16 kB", "inactive_file 4096".
std::optional<std::uint64_t> number_after(const fs::path& file, const std::string& key) {
  std::ifstream input(file);
  for (std::string line; std::getline(input, line);) {
    std::istringstream words(line);
    std::string first;
    std::uint64_t number = 0;
    if (words >> first >> number && first == key) return number;
  }
  return std::nullopt;
}

// What a version of control groups calls its files.
struct GroupFiles {
  const char *mount, *limit, *usage, *reclaimable;
};
constexpr GroupFiles kVersion1 = {"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file"};
constexpr GroupFiles kVersion2 = {"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

void apply_limit(const fs::path& folder, const GroupFiles& files, Memory& memory) {
  constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;  // version 1 shows a number beyond any memory
  const std::optional<std::uint64_t> limit = number_in(folder / files.limit);
  if (!limit || *limit > kNoLimit) return;
  memory.total = memory.total > 0 ? std::min(memory.total, *limit) : *limit;
  const std::optional<std::uint64_t> usage = number_in(folder / files.usage);
  if (!usage) return;
  const std::uint64_t cache = number_after(folder / "memory.stat", files.reclaimable).value_or(0);
  const std::uint64_t held = *usage - std::min(*usage, cache);
  const std::uint64_t free = *limit - std::min(*limit, held);
  memory.free = memory.free ? std::min(*memory.free, free) : free;
}

// From the group to the mount point: a limit may stand at any level. Inside a container the path may be that
// of the host, which is not there; then the mount point itself is the group.
void apply_limits(const fs::path& mount, const std::string& group, const GroupFiles& files, Memory& memory) {
  fs::path folder = fs::path(group).relative_path();
  while (!folder.empty()) {
    apply_limit(mount / folder, files, memory);
    folder = folder.has_parent_path() ? folder.parent_path() : fs::path();
  }
  apply_limit(mount, files, memory);
}

// "cpu,memory"
bool names_memory(const std::string& controllers) {
  std::istringstream words(controllers);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "memory") return true;
  }
  return false;
}

// What `ulimit -v` leaves.
void apply_address_limit(const fs::path& root, Memory& memory) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  std::ifstream sizes(root / "proc/self/statm");
  std::uint64_t pages = 0;
  if (!(sizes >> pages)) return;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
  memory.free = std::min(memory.free.value_or(left), left);
}

}  // namespace

Memory usable_memory(const fs::path& root) {
  Memory memory;
  const fs::path system = root / "proc/meminfo";
  constexpr std::uint64_t kKilobyte = 1024;
  if (const auto total = number_after(system, "MemTotal:")) memory.total = *total * kKilobyte;
  if (const auto free = number_after(system, "MemAvailable:")) memory.free = *free * kKilobyte;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/group" or "5:memory:/group"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) apply_limits(root / kVersion2.mount, group, kVersion2, memory);
    if (names_memory(controllers)) apply_limits(root / kVersion1.mount, group, kVersion1, memory);
  }
  apply_address_limit(root, memory);
  return memory;
}

#if defined(__x86_64__)
bool processor_has(std::string_view instruction_set) {
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 =
      v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (instruction_set == "scalar") return true;
  if (instruction_set == "x86-64-v2") return v2;
  if (instruction_set == "x86-64-v3") return v3;
  return instruction_set == "x86-64-v4" && v4;
}
#else
bool processor_has(std::string_view) { return true; }
#endif

}  // namespace nextstat

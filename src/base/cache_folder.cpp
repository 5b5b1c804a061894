#include "base/cache_folder.h"

#include <cstdlib>

namespace nextstat {

std::string cache_folder() {
  const auto set = [](const char* value) { return value != nullptr && value[0] == '/'; };
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); set(cache)) return std::string(cache) + "/nextstat";
  if (const char* home = std::getenv("HOME"); set(home)) return std::string(home) + "/.cache/nextstat";
  return "";
}

}  // namespace nextstat

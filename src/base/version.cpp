#include <nextstat/version.h>

namespace nextstat {

const char* version_string() { return NEXTSTAT_VERSION; }

const char* compiler_string() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown compiler";
#endif
}

const char* build_type() { return NEXTSTAT_BUILD_TYPE; }

}  // namespace nextstat

#include "base/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace nextstat {

Result<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& names) {
  std::string said;
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return DynamicLibrary(name, handle);
    const char* reason = dlerror();
    if (said.empty() && reason != nullptr) said = reason;
  }
  return Error{ErrorCode::NotFound, fmt::format("{}", fmt::join(names, ", ")),
               said.empty() ? "the loader gave no reason" : said,
               "install it, or put its folder on LD_LIBRARY_PATH"};
}

void* DynamicLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace nextstat

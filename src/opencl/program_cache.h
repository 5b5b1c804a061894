// Built programs in a folder, so that only the first run on a device compiles.
// An entry that is not what was written does not count.
//
//   ProgramCache cache(folder);
//   if (std::optional<std::string> binary = cache.find(key)) ...
//   cache.keep(key, binary);
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nextstat::opencl {

class ProgramCache {
 public:
  explicit ProgramCache(std::string folder) : folder_(std::move(folder)) {}  // "" = keeps nothing

  // key: everything that the binary depends on.
  std::optional<std::string> find(std::string_view key) const;
  // Silent where it cannot be written: the program is there, only not for next time.
  void keep(std::string_view key, std::string_view binary) const;

 private:
  std::string path_of(std::string_view key) const;

  std::string folder_;
};

}  // namespace nextstat::opencl

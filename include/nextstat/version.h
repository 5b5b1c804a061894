// What this build is.
//
//   std::cout << "nextstat " << version_string() << ", " << compiler_string() << "\n";
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Of the library that is linked, not of the headers.
const char* version_string();                      // "0.1.0"
const char* compiler_string();                     // "GCC 12.2.0"
const char* build_type();                          // "Release"
const char* instruction_set_name();                // the one that the kernels use on this processor
std::vector<std::string> instruction_set_names();  // of this build, narrowest first

}  // namespace nextstat
#pragma GCC visibility pop

// What this build is.
#pragma once

#pragma GCC visibility push(default)
namespace nextstat {

const char* version_string();        // "0.1.0"
const char* compiler_string();       // "GCC 12.2.0"
const char* build_type();            // "Release"
const char* instruction_set_name();  // the one that the kernels use on this processor

}  // namespace nextstat
#pragma GCC visibility pop

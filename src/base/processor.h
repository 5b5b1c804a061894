// Which instruction sets this processor has. Code compiled once per set asks before it is chosen.
//
//   if (processor_has("x86-64-v3")) ...
#pragma once

#include <string_view>

namespace nextstat {

// Names as in cmake/NextstatInstructionSets.cmake.
// Other than on x86-64 there is one set, which every processor has.
bool processor_has(std::string_view instruction_set);

}  // namespace nextstat

// What a session could not be made for, in the words of the options.
#pragma once

#include <nextstat/result.h>

#include <string>

namespace nextstat {

// Of an instruction set asked for by name: with the option, and the sets that this processor has.
Errors about_instruction_set(Errors errors, const std::string& asked);

}  // namespace nextstat

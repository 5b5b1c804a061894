#include "infer/session_errors.h"

#include <fmt/format.h>

#include <vector>

#include "cpu/instruction_set.h"

namespace nextstat {

Errors about_instruction_set(Errors errors, const std::string& asked) {
  if (asked.empty()) return errors;
  std::vector<std::string> usable;
  for (const cpu::InstructionSet& set : cpu::instruction_sets()) {
    if (set.usable) usable.emplace_back(set.kernels->name);
  }
  for (Error& error : errors) {
    if (!error.where.empty()) continue;
    error.where = "--instruction-set";
    error.hint =
        fmt::format("available here: {}; or leave the choice to the program", fmt::join(usable, ", "));
  }
  return errors;
}

}  // namespace nextstat

// Which kernels run on this machine: the widest instruction set that both the build and the processor have,
// unless one is asked for by name. Chosen once, reported in results.
#pragma once

#include <nextstat/result.h>

#include <string>
#include <vector>

#include "cpu/kernels.h"

namespace nextstat::cpu {

struct InstructionSet {
  const Kernels* kernels;
  bool usable;  // by this processor
};

// Every set of this build, narrowest first.
std::vector<InstructionSet> instruction_sets();

// "" = the widest usable one.
Result<const Kernels*> choose_kernels(const std::string& name);

}  // namespace nextstat::cpu

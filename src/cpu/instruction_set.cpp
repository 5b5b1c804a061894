#include "cpu/instruction_set.h"

#include <fmt/format.h>
#include <nextstat/names.h>
#include <nextstat/version.h>

#include "base/machine.h"

namespace nextstat::cpu {

std::vector<InstructionSet> instruction_sets() {
#if defined(__x86_64__)
  const auto sets = {&kKernelsScalar, &kKernelsV2, &kKernelsV3, &kKernelsV4};
#else
  const auto sets = {&kKernelsScalar, &kKernelsBaseline};
#endif
  std::vector<InstructionSet> result;
  for (const Kernels* kernels : sets) result.push_back({kernels, processor_has(kernels->name)});
  return result;
}

Result<const Kernels*> choose_kernels(const std::string& name) {
  const std::vector<std::string> names = instruction_set_names();
  const Kernels* widest = nullptr;
  for (const InstructionSet& set : instruction_sets()) {
    if (name == set.kernels->name && !set.usable) {
      return Error{ErrorCode::DeviceUnavailable, "",
                   fmt::format("this processor does not have the instruction set {}", name),
                   "leave the choice to the program, or ask for a narrower one"};
    }
    if (set.usable && (name.empty() || name == set.kernels->name)) widest = set.kernels;
  }
  if (widest) return widest;
  if (name.empty())
    return Error{ErrorCode::DeviceUnavailable, "",
                 fmt::format("this processor has none of {}", fmt::join(names, ", ")),
                 "build from source on this machine"};
  return unknown_name(name, names, "an instruction set of this build", "");
}

}  // namespace nextstat::cpu

namespace nextstat {

std::vector<std::string> instruction_set_names() {
  std::vector<std::string> names;
  for (const cpu::InstructionSet& set : cpu::instruction_sets()) names.emplace_back(set.kernels->name);
  return names;
}

const char* instruction_set_name() {
  const Result<const cpu::Kernels*> kernels = cpu::choose_kernels("");
  return kernels ? (*kernels)->name : "none";
}

}  // namespace nextstat

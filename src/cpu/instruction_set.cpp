#include "cpu/instruction_set.h"

#include <fmt/format.h>
#include <nextstat/version.h>

#include "base/suggest.h"

namespace nextstat::cpu {

std::vector<InstructionSet> instruction_sets() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 =
      v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return {{&kKernelsV2, v2}, {&kKernelsV3, v3}, {&kKernelsV4, v4}};
#else
  return {{&kKernelsBaseline, true}};
#endif
}

Result<const Kernels*> choose_kernels(const std::string& name) {
  std::vector<std::string> names;
  const Kernels* widest = nullptr;
  for (const InstructionSet& set : instruction_sets()) {
    names.emplace_back(set.kernels->name);
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
  return Error{ErrorCode::BadUsage, "", fmt::format("unknown instruction set \"{}\"", name),
               did_you_mean(name, names, fmt::format("this build has {}", fmt::join(names, ", ")))};
}

}  // namespace nextstat::cpu

namespace nextstat {

const char* instruction_set_name() {
  const Result<const cpu::Kernels*> kernels = cpu::choose_kernels("");
  return kernels ? (*kernels)->name : "none";
}

}  // namespace nextstat

#include "base/processor.h"

namespace nextstat {

#if defined(__x86_64__)
bool processor_has(std::string_view instruction_set) {
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 =
      v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (instruction_set == "scalar") return true;
  if (instruction_set == "x86-64-v2") return v2;
  if (instruction_set == "x86-64-v3") return v3;
  return instruction_set == "x86-64-v4" && v4;
}
#else
bool processor_has(std::string_view) { return true; }
#endif

}  // namespace nextstat

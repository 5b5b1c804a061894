// The processor as a device: always there.
#include "device/backend.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>

#include "base/machine.h"
#include "cpu/cpu_session.h"
#include "cpu/instruction_set.h"

namespace nextstat {
namespace {

// "model name : AMD EPYC 9654" of Linux on x86; elsewhere what the system calls its processors.
std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  utsname system{};
  return uname(&system) == 0 ? system.machine : "CPU";
}

// Errors about an instruction set asked for by name: with the option, and the sets that this processor has.
Errors about_instruction_set(Errors errors, const std::string& asked) {
  if (asked.empty()) return errors;
  std::vector<std::string> usable;
  for (const cpu::InstructionSet& set : cpu::instruction_sets()) {
    if (set.usable) usable.emplace_back(set.kernels->name);
  }
  for (Error& error : errors) {
    if (!error.where.empty()) continue;
    error.where = Field::InstructionSet;
    error.hint =
        fmt::format("available here: {}; or leave the choice to the program", fmt::join(usable, ", "));
  }
  return errors;
}

class CpuBackend final : public Backend {
 public:
  BackendType type() const override { return BackendType::Cpu; }

  BackendReport discover(FreeMemory) const override {
    const Memory memory = usable_memory();
    DeviceInfo device;
    device.name = processor_name();
    device.total_memory = memory.total;
    device.free_memory = memory.free;
    device.unified_memory = false;
    device.kind = DeviceKind::Cpu;
    return {BackendType::Cpu, {device}, {}};
  }

  Result<std::unique_ptr<DeviceSession>> open(const Model& model, const std::vector<std::size_t>& devices,
                                              const DeviceSessionOptions& options) const override {
    if (devices != std::vector<std::size_t>{0})
      return Error{ErrorCode::DeviceUnavailable,
                   "",
                   fmt::format("there is no CPU {}", devices.empty() ? 0 : devices.back()),
                   {"all cores together are device 0; choose how many of them to use", {Field::Threads}}};
    Result<std::unique_ptr<DeviceSession>> session =
        make_cpu_session(model, {.threads = options.threads, .instruction_set = options.instruction_set});
    if (!session) return about_instruction_set(session.errors(), options.instruction_set);
    return session;
  }
};

}  // namespace

const Backend& cpu_backend() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace nextstat

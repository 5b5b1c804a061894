#include "infer/setup/memory_need.h"

#include <nextstat/fit.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/machine.h"
#include "model/compile/compiled_model.h"

namespace nextstat {
namespace {

constexpr double kNumber = sizeof(double);
// Less is not worth the question, which takes as long as a small fit.
constexpr double kAlwaysThere = 5e7;

// Bytes that this process may still take; infinite where nothing is known.
double free_memory() {
  const Memory memory = usable_memory();
  if (memory.free) return static_cast<double>(*memory.free);
  return memory.total > 0 ? 0.8 * static_cast<double>(memory.total) : std::numeric_limits<double>::infinity();
}

}  // namespace

// The globals as Hessian, Schur complement, factor and inverse; the locals' coupling and response.
double hessian_need(const Model& model) {
  const CompiledModel& compiled = compiled_model(model);
  const double globals = static_cast<double>(compiled.globals.size()),
               locals = static_cast<double>(compiled.locals.size());
  double widest = 0;  // rows of one channel: Jacobian, left and right side of its product
  for (const CompiledModel::Channel& channel : compiled.channels)
    widest =
        std::max(widest, static_cast<double>(channel.bins + 2 * (channel.sample_end - channel.sample_begin)));
  return kNumber * globals * (4 * globals + 2 * locals + 3 * widest);
}

double matrices_need(const Model& model) {
  const double n = static_cast<double>(model.n_parameters());
  return hessian_need(model) + 4 * kNumber * n * n;
}

bool has_memory(double bytes) { return bytes <= kAlwaysThere || bytes <= free_memory(); }

Errors check_memory(const MemoryNeed& need) {
  if (has_memory(need.bytes)) return {};
  return {{ErrorCode::LimitExceeded, "",
           fmt::format("{} would take {} of memory, {} is free", need.what, memory_text(need.bytes),
                       memory_text(free_memory())),
           need.instead}};
}

std::string memory_text(double bytes) {
  if (bytes < 1e9) return fmt::format("{:.0f} MB", std::max(1.0, bytes / 1e6));
  return fmt::format("{:.1f} GB", bytes / 1e9);
}

Result<void> check_matrix_memory(const Model& model, const std::string& what, double more,
                                 const Hint& instead) {
  Errors errors = check_memory({what, matrices_need(model) + more, instead});
  if (!errors.empty()) return errors;
  return {};
}

}  // namespace nextstat

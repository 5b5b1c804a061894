// What a call to a session on GPUs works with: the model, the devices with their copies of it, and the constants of
// toys that were drawn there.
#pragma once

#include <nextstat/model.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "device/backend.h"
#include "gpu/memory_plan.h"
#include "gpu/worker.h"
#include "kernels/layout.h"
#include "model/compile/compiled_model.h"

namespace nextstat::gpu {

// Toys that every device holds, by their number.
struct Drawn {
  std::uint64_t number;
  std::size_t toys;
  std::vector<double> constants = {};  // [toy]; empty until a minimization has read them
};

// So many of them a session has at most: while the device works on one call, others are prepared, read and finished. A test
// of toys has a short second fit of each, so two copies would leave the device idle for a third of the time.
constexpr std::size_t kCopies = 3;

struct DeviceModel {
  Model model;
  const CompiledModel& compiled;
  DeviceSessionOptions options;
  double own_constant = 0;  // of the model's own data
  ConstantTables constants;
  std::vector<std::unique_ptr<Worker>> workers = {};
  std::deque<Drawn> drawn = {};  // newest last
  std::uint64_t next_draw;       // the numbers of a copy are kCopies apart

  DeviceModel(const Model& the_model, const DeviceSessionOptions& the_options, std::size_t copy)
      : model(the_model),
        compiled(compiled_model(model)),
        options(the_options),
        constants(constant_tables(compiled)),
        next_draw(copy + kCopies) {}
};

// Rows of a first wave: enough to keep the device busy, whose speed is not known yet.
std::size_t first_wave(const DeviceModel& bound, Kernel kernel, const RowSizes& sizes, std::size_t rows);

// The tables of a model for devices that load two entries at once: entries 2 k and 2 k + 1 of a lane side by
// side, [k][lane][2] instead of [2 k][lane], [2 k + 1][lane]. Everything stays within its place.

void pair_up_tables(const NsLayout& layout, std::span<const std::uint32_t> indices, std::span<double> reals);

}  // namespace nextstat::gpu

// Cuts a batch of rows into waves that fit a device's memory and take about 0.2 s: between them the stop
// token is looked at. Several devices take waves in turn.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>

#include "gpu/worker.h"

namespace nextstat::gpu {

struct WaveTask {
  Kernel kernel;
  std::size_t rows;
  std::size_t first_wave;  // rows of a wave while the device's speed is not known
  std::stop_token stop_token = {};
  std::function<SlotBytes(const Worker&, std::size_t rows)> bytes = {};
  std::function<Result<void>(Worker&, std::size_t first, std::size_t count)> run = {};
};

// Returns how many rows were run, counted from the first: fewer than all when the stop token fired.
Result<std::size_t> run_waves(std::span<const std::unique_ptr<Worker>> workers, const WaveTask& task);

}  // namespace nextstat::gpu

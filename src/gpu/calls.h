// One call of evaluate: rows in waves.
#pragma once

#include <mutex>
#include <vector>

#include "gpu/device_model.h"
#include "gpu/wave_data.h"

namespace nextstat::gpu {

template <class Scalar>
class EvaluateCall {
 public:
  EvaluateCall(DeviceModel& bound, const EvalRequest& request);
  Result<EvalOutput> run();

 private:
  Result<void> run_wave(Worker& worker, std::size_t first, std::size_t count);
  void read(Worker& worker, Steps& steps, std::size_t first, std::size_t count);

  DeviceModel& bound_;
  const EvalRequest& request_;
  DataSource source_;
  std::uint32_t wanted_;
  BufferTable table_;
  EvalOutput output_;
};

// One call of minimize: rows in waves.

template <class Scalar>
class MinimizeCall {
 public:
  MinimizeCall(DeviceModel& bound, const MinimizeRequest& request);
  Result<std::vector<RowOutcome>> run();

 private:
  // What rows of a wave refer to, by their numbers in it.
  struct Wave;

  Result<void> run_wave(Worker& worker, std::size_t first, std::size_t count);
  void upload(Wave& wave, Worker& worker, Steps& steps) const;
  void launch(const Wave& wave, Worker& worker, Steps& steps) const;
  void read_constants_of_toys(Worker& worker, Steps& steps);
  void evaluate_minima(const Wave& wave, Worker& worker, Steps& steps, std::span<double> nll) const;
  void keep(const Wave& wave, std::size_t row, const Scalar* point, const Scalar* figures, double value);
  SlotBytes bytes(const Worker& worker, std::size_t rows) const;

  DeviceModel& bound_;
  const MinimizeRequest& request_;
  const NsSolver& solver_;
  DataSource source_;
  NsStop stop_;
  BufferTable table_;
  std::vector<RowOutcome> outcomes_;  // [row]
  std::mutex constants_mutex_;        // devices share those of toys
};

// Toys drawn on every device of a session, where they stay for a while.

// f64 only. On the host where the devices lack the memory.
Result<DrawnToys> draw_on_devices(DeviceModel& bound, const ToyDraw& draw);
// Their constants, where these are not on the host yet.
void read_constants(Steps& steps, const Worker& worker, std::size_t n_data, Drawn& drawn);

}  // namespace nextstat::gpu

// One call of evaluate: rows in waves.
#pragma once

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

}  // namespace nextstat::gpu

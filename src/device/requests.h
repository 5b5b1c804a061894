// What every session does with a request and a row's figures, whatever the device.
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <limits>

#include "device/device_session.h"
#include "kernels/solver_layout.h"
#include "model/compile/compiled_model.h"

namespace nextstat {

// Whether lengths and numbers fit the model; a request without data has one set, the model's own.
Result<void> check_request(const EvalRequest& request, const CompiledModel& model);
Result<void> check_request(const MinimizeRequest& request, const CompiledModel& model);

// Drawn on the host.
DrawnToys draw_on_host(const ToyDraw& draw, std::size_t threads);

// From NS_C_STATUS.
RowStatus row_status(double code);

// Numbers near the largest double overflow into NaN or -infinity: there is no likelihood there either.
inline double number_or_infinity(double nll) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return nll > -kInfinity ? nll : kInfinity;
}

// Fills in the auxiliary data that the constraints expect; main bins stay as they are.
// x: [parameter]; expected: [datum].
void fill_expected_auxiliary(const CompiledModel& model, const double* x, double* expected);

}  // namespace nextstat

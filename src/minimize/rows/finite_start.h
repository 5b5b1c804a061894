// A point with a finite NLL, for a row whose start has none because a bin with events has no expected rate.
//
//   std::optional<std::vector<double>> start = finite_start({session, model, data, start, low, high});
//
// First the rates of such bins are raised with as little change as possible, in units of the constraints'
// widths; then points are drawn around the start, ever wider. The answer is a function of its arguments.
#pragma once

#include <nextstat/model.h>

#include <optional>
#include <span>
#include <vector>

#include "device/device_session.h"

namespace nextstat {

struct StartProblem {
  DeviceSession& session;
  const Model& model;
  std::span<const double> data;              // empty = the model's own
  std::span<const double> start, low, high;  // [parameter]; low = high: fixed
};

// Empty where none was found.
std::optional<std::vector<double>> finite_start(const StartProblem& problem);

}  // namespace nextstat

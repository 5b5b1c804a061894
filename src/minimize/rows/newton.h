// The slow, safe path for the few rows that the lockstep solver does not finish: Newton steps with the exact
// Hessian, shifted until it is positive definite, projected on the bounds.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "device/device_session.h"
#include "model/compile/compiled_model.h"
#include "model/data/dataset.h"

namespace nextstat {

// Evaluates NLL (with its constant) and gradient at a point.
using ValueAndGradient = std::function<double(std::span<const double> x, std::vector<double>& gradient)>;

constexpr std::size_t kMostNewtonSteps = 2000;

struct NewtonProblem {
  const CompiledModel& model;
  const Dataset& data;
  std::span<const double> low, high;  // [parameter]; equal = fixed
  ConvergenceRule convergence;
  ValueAndGradient evaluate;
  std::stop_token stop_token = {};
  std::size_t most_steps = kMostNewtonSteps;
};

// Goes on from `row` (its parameters and counts) and brings it to an end.
void newton(const NewtonProblem& problem, RowOutcome& row);

}  // namespace nextstat

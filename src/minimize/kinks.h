// Interpolations whose slope jumps at alpha = 0 (code0, code1, the piecewise-linear normsys). A minimization
// stays on one side of every jump at a time: the far side of 0 is a bound, and a parameter that ends there is
// tried on the other side.
//
// A side is kept in the number itself: +kSide and -kSide have the value of 0 and the slope of their side.
#pragma once

#include <cstddef>
#include <vector>

#include "model/compiled_model.h"

namespace nextstat {

constexpr double kSide = 1e-200;

// Parameters with a jump of the slope at 0, ascending.
std::vector<std::size_t> kinked_parameters(const CompiledModel& model);

}  // namespace nextstat

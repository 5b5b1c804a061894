// Where a factor stands at 0, what it multiplies has no effect: the NLL is flat along the free parameters
// that act in its samples only, and whether the factor wants to leave 0 depends on where they stand.
//
//   const std::vector<Plateau> plateaus = find_plateaus(model, fixed);
//   ends_on_plateau(plateaus, low, x)
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "model/compiled_model.h"

namespace nextstat {

struct Plateau {
  std::size_t factor;
  std::vector<std::size_t> partners;  // free parameters without effect while the factor is 0
};

// fixed[parameter] != 0: does not move. Most models have none.
std::vector<Plateau> find_plateaus(const CompiledModel& model, std::span<const char> fixed);

// Whether a factor stands at its lower bound 0.
bool stands_on_plateau(std::span<const Plateau> plateaus, std::span<const double> low,
                       std::span<const double> x);

// Moves the partners of factors at 0, which costs nothing, so that these would rather leave 0; true when one
// does. gradient(x): d NLL / d theta.
bool leave_plateau(std::span<const Plateau> plateaus, std::span<const double> low,
                   std::span<const double> high,
                   const std::function<std::vector<double>(const std::vector<double>&)>& gradient,
                   std::vector<double>& x);

}  // namespace nextstat

// Where a free factor stands at 0, what else multiplies its samples has no effect: the NLL is flat along
// those parameters, and whether the factor wants to leave 0 depends on where they stand.
//
//   const Plateaus plateaus(model, fixed);
//   if (plateaus.may_hold(low, high, x)) plateaus.leave(low, high, gradient, x);
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "model/compile/compiled_model.h"

namespace nextstat {

class Plateaus {
 public:
  Plateaus() = default;  // none
  // fixed[parameter] != 0: does not move. Most models have no two free factors in one sample.
  Plateaus(const CompiledModel& model, std::span<const char> fixed);

  // Whether a factor stands at 0, its bound.
  bool may_hold(std::span<const double> low, std::span<const double> high, std::span<const double> x) const;

  // Moves factors that have no effect at x so that one which a bound holds would rather leave it; true when
  // there is one. gradient(x): d NLL / d theta.
  bool leave(std::span<const double> low, std::span<const double> high,
             const std::function<std::vector<double>(const std::vector<double>&)>& gradient,
             std::vector<double>& x) const;

 private:
  std::vector<std::size_t> factors_;  // free parameters without a constraint that share samples
};

}  // namespace nextstat

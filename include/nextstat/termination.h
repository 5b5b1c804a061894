// How a minimization ended.
//
//   const FitResult result = fit(model).value();
//   if (!has_converged(result.termination)) std::puts(to_string(result.termination));
#pragma once

#pragma GCC visibility push(default)
namespace nextstat {

// Why a minimization stopped.
enum class Termination {
  Converged,     // expected distance to the minimum and scaled gradient are below their limits
  Rounding,      // no step lowers the NLL beyond rounding, and what is left to gain is below 1e-9 of it
  NotConverged,  // the budget was spent
  NotFinite,     // the NLL is infinite at the start
  Interrupted,   // the stop token fired before it was finished
};
const char* to_string(Termination termination);  // "converged", "rounding", ...
// At a minimum, as far as rounding lets one see.
inline bool has_converged(Termination termination) {
  return termination == Termination::Converged || termination == Termination::Rounding;
}

}  // namespace nextstat
#pragma GCC visibility pop

#include <nextstat/termination.h>

namespace nextstat {

const char* to_string(Termination termination) {
  switch (termination) {
    case Termination::Converged:
      return "converged";
    case Termination::Rounding:
      return "rounding";
    case Termination::NotConverged:
      return "not_converged";
    case Termination::NotFinite:
      return "not_finite";
    case Termination::Interrupted:
      return "interrupted";
  }
  return "not_converged";
}

}  // namespace nextstat

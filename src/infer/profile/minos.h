// MINOS errors: where the profile likelihood 2 (NLL - NLL_hat) of a parameter rises by 1.
#pragma once

#include <nextstat/fit.h>

#include "infer/profile/best_fit.h"

namespace nextstat {

// Adds the errors of the parameters that the options name to a fit's result, in the model's order. A side
// that does not exist is NaN, with a warning. After an interruption the result has those that were finished.
Result<void> add_minos_errors(const Setup& setup, const BestFit& best, const FitOptions& options,
                              FitResult& result);

}  // namespace nextstat

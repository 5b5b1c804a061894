// MINOS errors: where the profile likelihood 2 (NLL - NLL_hat) of a parameter rises by 1.
#pragma once

#include <nextstat/fit.h>

#include <string>
#include <vector>

#include "infer/setup.h"

namespace nextstat {

// Of the parameters that the options name, in the model's order; every side that does not exist is NaN and
// said in the warnings.
Result<std::vector<MinosErrors>> minos_errors(const Setup& setup, const BestFit& best,
                                              const FitOptions& options, std::vector<std::string>& warnings);

}  // namespace nextstat

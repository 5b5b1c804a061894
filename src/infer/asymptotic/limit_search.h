// The six limits of one model: one test, whose fits all curves share.
#pragma once

#include <nextstat/upper_limit.h>

#include "infer/asymptotic/asymptotic_test.h"

namespace nextstat {

// What is wrong with the options.
Errors upper_limit_option_errors(const UpperLimitOptions& options);

// Values that `test` has visited already are used, and those visited here stay in it.
Result<UpperLimitResult> find_limits(AsymptoticTest& test, const UpperLimitOptions& options);

}  // namespace nextstat

// The answer of a test at a value that was visited.
#pragma once

#include <nextstat/hypotest.h>

#include "infer/asymptotic_test.h"

namespace nextstat {

HypotestResult hypotest_result(const AsymptoticTest& test, double mu);

}  // namespace nextstat

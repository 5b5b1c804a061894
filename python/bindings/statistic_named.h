// The test statistic that a name means; an exception for other names.
#pragma once

#include <nextstat/hypotest.h>

#include <string>

namespace nextstat::python {

TestStatistic statistic_named(const std::string& name);

}  // namespace nextstat::python

// What stands for a number that does not exist; JSON shows it as null.
#pragma once

#include <limits>

namespace nextstat {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

}  // namespace nextstat

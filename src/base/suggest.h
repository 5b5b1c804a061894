// "did you mean": the closest of some names to a wrong one.
#pragma once

#include <nextstat/error.h>

#include <span>
#include <string>
#include <string_view>

namespace nextstat {

// The candidate with the smallest edit distance (ties: the first).
// "" when none is within a third of the length.
std::string closest_name(std::string_view wrong, std::span<const std::string> candidates);

// "did you mean 'x'?" or, when nothing is close, `otherwise`.
Hint did_you_mean(std::string_view wrong, std::span<const std::string> candidates, Hint otherwise);

}  // namespace nextstat

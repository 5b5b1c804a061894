// "did you mean": the closest of some names to a wrong one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nextstat {

// The candidate with the smallest edit distance (ties: the first), or "" when none is within a third of the
// length.
std::string closest_name(std::string_view wrong, std::span<const std::string> candidates);

// "did you mean 'x'?" or, when nothing is close, `otherwise`.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> candidates,
                         std::string otherwise);

}  // namespace nextstat

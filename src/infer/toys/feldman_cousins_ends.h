// The ends of an interval from values that are inside or outside, each with a margin.
#pragma once

#include <nextstat/feldman_cousins.h>

#include <optional>
#include <span>

namespace nextstat {

// Two neighbors, the first inside, the second outside, and the end between them.
struct EndBracket {
  const FeldmanCousinsPoint* inside = nullptr;
  const FeldmanCousinsPoint* outside = nullptr;
  double value = 0;  // where the line through q - q_critical is 0
  double error = 0;  // from the error of p there and its slope
};

// Of ascending points: below the first that is inside, above the last one. Nothing where there is none.
std::optional<EndBracket> lower_bracket(std::span<const FeldmanCousinsPoint> points, double level);
std::optional<EndBracket> upper_bracket(std::span<const FeldmanCousinsPoint> points, double level);

// The value to add next between the two. None when the bracket is narrower than its error or than `narrow`.
std::optional<double> refined(const EndBracket& bracket, double narrow);

// Outside between two that are inside.
bool has_gap(std::span<const FeldmanCousinsPoint> points);

}  // namespace nextstat

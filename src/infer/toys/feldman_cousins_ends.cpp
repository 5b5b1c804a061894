#include "infer/toys/feldman_cousins_ends.h"

#include <algorithm>
#include <cmath>

namespace nextstat {
namespace {

double margin(const FeldmanCousinsPoint& point) { return point.q - point.q_critical; }

// The end is where p falls to 1 - cl, so its error is that of p over the slope of p. Neighbors that are
// close differ by chance: the slope is taken between values that do not, as near to the end as they come.
double error_by_slope(std::span<const FeldmanCousinsPoint> points, std::size_t inside, std::size_t outside) {
  const double noise = points[inside].p_value_error;
  const bool upper = outside > inside;
  for (;;) {
    const double difference = points[inside].p_value - points[outside].p_value;
    const bool more_inside = upper ? inside > 0 : inside + 1 < points.size();
    const bool more_outside = upper ? outside + 1 < points.size() : outside > 0;
    if (difference > 4 * noise || !(more_inside || more_outside)) {
      const double width = std::abs(points[outside].value - points[inside].value);
      return difference > noise ? noise * width / difference : width;
    }
    if (more_inside) inside += upper ? std::size_t(-1) : 1;
    if (more_outside) outside += upper ? 1 : std::size_t(-1);
  }
}

// Values next to the end whose p is within its error of 1 - cl: the end may be anywhere among them, and up to
// the first value that is clear.
double plateau(std::span<const FeldmanCousinsPoint> points, std::size_t from, bool upwards, double end,
               double level) {
  double farthest = 0;
  for (std::size_t i = from; i < points.size(); i += upwards ? 1 : std::size_t(-1)) {
    const double distance = std::abs(points[i].value - end);
    if (std::abs(points[i].p_value - (1 - level)) <= points[i].p_value_error) {
      farthest = distance;
    } else {
      return farthest > 0 ? std::max(farthest, distance / std::sqrt(12.0)) : 0;
    }
  }
  return farthest;
}

// d(v) = q - q_critical is 0 at v* = a + (b - a) d_a / (d_a - d_b). A jump of q_critical may leave d on the
// wrong side by rounding: then the end is the value inside, and so it is where the data are impossible.
EndBracket bracket_of(std::span<const FeldmanCousinsPoint> points, std::size_t inside, std::size_t outside,
                      double level) {
  const FeldmanCousinsPoint &in = points[inside], &out = points[outside];
  EndBracket bracket{&in, &out, in.value, error_by_slope(points, inside, outside)};
  const double a = std::min(0.0, margin(in)), b = margin(out);
  if (std::isfinite(b) && a < b) bracket.value += (out.value - in.value) * a / (a - b);
  const bool upper = outside > inside;
  bracket.error = std::max({bracket.error, plateau(points, inside, !upper, bracket.value, level),
                            plateau(points, outside, upper, bracket.value, level)});
  return bracket;
}

}  // namespace

std::optional<EndBracket> lower_bracket(std::span<const FeldmanCousinsPoint> points, double level) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].inside) continue;
    if (i == 0) return std::nullopt;
    return bracket_of(points, i, i - 1, level);
  }
  return std::nullopt;
}

std::optional<EndBracket> upper_bracket(std::span<const FeldmanCousinsPoint> points, double level) {
  for (std::size_t i = points.size(); i-- > 0;) {
    if (!points[i].inside) continue;
    if (i + 1 == points.size()) return std::nullopt;
    return bracket_of(points, i, i + 1, level);
  }
  return std::nullopt;
}

// Near the line's zero, but not so near to a known value that the bracket hardly shrinks:
// q_critical jumps where data are counts.
std::optional<double> refined(const EndBracket& bracket, double narrow) {
  const double a = bracket.inside->value, b = bracket.outside->value, width = b - a;
  if (std::abs(width) <= std::max(bracket.error, narrow)) return std::nullopt;
  const double part = std::clamp((bracket.value - a) / width, 0.25, 0.75);
  return a + part * width;
}

bool has_gap(std::span<const FeldmanCousinsPoint> points) {
  std::size_t changes = 0;
  bool before = false;
  for (const FeldmanCousinsPoint& point : points) {
    if (point.inside && !before) ++changes;
    before = point.inside;
  }
  return changes > 1;
}

}  // namespace nextstat

#include "pull_bar.h"

#include <algorithm>
#include <cmath>

namespace nextstat::cli {
namespace {

constexpr int kCellsPerSigma = 4, kSigmas = 3;
constexpr int kLast = 2 * kSigmas * kCellsPerSigma;  // cells 0 to kLast, zero in the middle

int cell(double pull) {
  const double place = std::round((pull + kSigmas) * kCellsPerSigma);
  return static_cast<int>(std::clamp(place, 0.0, static_cast<double>(kLast)));
}

}  // namespace

std::string pull_bar_header() { return "   -2  -1   0   1   2"; }

std::string pull_bar(double pull, double half_width) {
  std::string bar(kLast + 1, ' ');
  const auto put = [&](int at, char mark) { bar[static_cast<std::size_t>(at)] = mark; };
  if (std::isfinite(half_width)) {
    for (int at = cell(pull - half_width); at <= cell(pull + half_width); ++at) put(at, '-');
  }
  for (const int sigma : {-2, -1, 0, 1, 2})
    put(cell(sigma), sigma == 0 ? '|' : std::abs(sigma) == 1 ? ':' : '.');
  const bool inside = std::abs(pull) <= kSigmas;
  put(cell(pull), inside ? 'o' : pull > 0 ? '>' : '<');
  return bar;
}

}  // namespace nextstat::cli

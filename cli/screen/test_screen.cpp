#include "screen/test_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "screen/console.h"

namespace nextstat::cli {
namespace {

constexpr std::size_t kPictureWidth = 60;

}  // namespace

std::string percent(double level) { return fmt::format("{:.6g}%", 100 * level); }

const std::vector<std::string>& band_names() {
  static const std::vector<std::string> names = {"-2 sigma", "-1 sigma", "median", "+1 sigma", "+2 sigma"};
  return names;
}

std::string warning_lines(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += "warning: " + printable(warning) + "\n";
  return text;
}

std::string warning_block(const std::vector<std::string>& warnings) {
  return warnings.empty() ? "" : "\n" + warning_lines(warnings);
}

std::string state_line(bool converged, bool interrupted) {
  if (interrupted) return "interrupted\n";
  return converged ? "" : "NOT CONVERGED\n";
}

std::string band_picture(const UpperLimitResult& result) {
  const bool complete =
      std::isfinite(result.observed) && std::all_of(result.expected.begin(), result.expected.end(),
                                                    [](double limit) { return std::isfinite(limit); });
  if (!complete) return "";
  const double end = 1.05 * std::max(result.observed, result.expected[4]);
  const auto column = [&](double mu) {
    return static_cast<std::size_t>(mu / end * static_cast<double>(kPictureWidth));
  };
  std::string line(kPictureWidth, '.');
  const auto fill = [&](double from, double to, char c) {
    for (std::size_t i = column(from); i <= column(to); ++i) line[i] = c;
  };
  fill(result.expected[0], result.expected[4], '-');
  fill(result.expected[1], result.expected[3], '=');
  line[column(result.expected[2])] = '|';
  line[column(result.observed)] = 'o';
  return fmt::format("0 {} {:.4g}\n  - 2 sigma, = 1 sigma, | median expected, o observed\n", line, end);
}

}  // namespace nextstat::cli

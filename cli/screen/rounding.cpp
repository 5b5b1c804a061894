#include "screen/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nextstat::cli {
namespace {

// Decimal exponent of the last digit that is kept: -2 for 0.45.
int last_decimal(double uncertainty) {
  const std::string text = fmt::format("{:.2e}", uncertainty);  // "4.56e-01"
  const int leading = (text[0] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  return leading <= 354 ? exponent - 1 : exponent;
}

// Rounded at the decimal `last`, as a multiple of 10^power; never "-0".
std::string at_decimal(double value, int last, int power) {
  const double scaled = power == 0 ? value : value * std::pow(10.0, -power);
  const int digits = power - last;
  std::string text;
  if (digits >= 0) {
    text = fmt::format("{:.{}f}", scaled, digits);
  } else {
    const double unit = std::pow(10.0, -digits);
    text = fmt::format("{:.0f}", std::round(scaled / unit) * unit);
  }
  return text.find_first_of("123456789") == text.npos && text[0] == '-' ? text.substr(1) : text;
}

// Numbers from 0.00001 to 99999 are written out.
int common_power(double value, double uncertainty, int last) {
  const double size = std::max(std::abs(value), uncertainty);
  const int exponent = static_cast<int>(std::floor(std::log10(size)));
  return last < -7 || exponent > 6 ? exponent : 0;
}

std::string power_text(int power) { return power == 0 ? "" : fmt::format("e{:+03d}", power); }

}  // namespace

std::string Rounded::text() const {
  const std::string pair = value + " \u00b1 " + uncertainty;
  return power.empty() ? pair : fmt::format("({}){}", pair, power);
}

Rounded rounded(double value, double uncertainty) {
  const int last = last_decimal(uncertainty), power = common_power(value, uncertainty, last);
  return {at_decimal(value, last, power), at_decimal(uncertainty, last, power), power_text(power)};
}

std::string rounded_text(double value, double down, double up) {
  const int last = last_decimal(std::min(-down, up));
  const int power = common_power(value, std::max(-down, up), last);
  const std::string text = fmt::format("{} +{} -{}", at_decimal(value, last, power),
                                       at_decimal(up, last, power), at_decimal(-down, last, power));
  return power == 0 ? text : fmt::format("({}){}", text, power_text(power));
}

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

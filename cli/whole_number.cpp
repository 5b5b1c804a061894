#include "whole_number.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace nextstat::cli {
namespace {

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || status != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

// 1.25e3 is 1250, digit by digit: a double would round large ones. "" where the value is not whole.
std::string as_digits(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == text.npos) return std::string(text);
  std::string_view exponent_text = text.substr(e + 1);
  if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  const std::optional<int> exponent = number<int>(exponent_text);
  constexpr int kMostDigits = 20;  // of 2^64
  if (!exponent || *exponent < 0 || *exponent > kMostDigits) return "";
  std::string digits(text.substr(0, e));
  const std::size_t point = digits.find('.');
  std::size_t behind = 0;
  if (point != digits.npos) {
    behind = digits.size() - point - 1;
    digits.erase(point, 1);
  }
  if (digits.empty()) return "";
  digits.append(static_cast<std::size_t>(*exponent), '0');
  if (behind > digits.size() || digits.find_first_not_of('0', digits.size() - behind) != digits.npos)
    return "";
  digits.resize(digits.size() - behind);
  return digits;
}

}  // namespace

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return CLI::Validator(
      [=](std::string& text) {
        std::string digits = as_digits(text);
        const std::optional<std::uint64_t> value = number<std::uint64_t>(digits);
        if (!value || *value < low || *value > high)
          return fmt::format("'{}' is not a whole number from {} to {}", shorten(text), low, high);
        text = std::move(digits);
        return std::string();
      },
      "");
}

}  // namespace nextstat::cli

#include "base/json/json_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nextstat {

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t clean = 0;  // start of the part that needs no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text, clean, i - clean);
    clean = i + 1;
    constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    const std::size_t named = kNamed.find(text[i]);
    if (named != kNamed.npos) {
      out += '\\';
      out += kLetters[named];
    } else {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    }
  }
  out.append(text, clean, text.size() - clean);
  out += '"';
}

void append_json_float(std::string& out, double value) {
  if (!std::isfinite(value)) {  // JSON has no such number
    out += "null";
    return;
  }
  // Python's repr: plain digits for 1e-4 <= |value| < 1e16, else an exponent of at least two digits; both are
  // what to_chars writes, apart from the ".0" of whole numbers.
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  char buffer[40];
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const char* const end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
  const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
  out += digits;
  if (plain && digits.find('.') == digits.npos) out += ".0";
}

namespace {

// Exact: 2^53 + 1 is not the double 2^53.
template <class Integer>
bool equals_float(Integer integer, double value) {
  using Limits = std::numeric_limits<Integer>;
  const bool in_range =
      value >= static_cast<double>(Limits::min()) && value < std::ldexp(1.0, Limits::digits);
  return in_range && std::trunc(value) == value && static_cast<Integer>(value) == integer;
}

bool equal_numbers(const Json& left, const Json& right) {
  if (left.is_number_float() && right.is_number_float()) return left.get<double>() == right.get<double>();
  if (left.is_number_float()) return equal_numbers(right, left);
  if (right.is_number_float()) {
    return left.is_number_unsigned() ? equals_float(left.get<std::uint64_t>(), right.get<double>())
                                     : equals_float(left.get<std::int64_t>(), right.get<double>());
  }
  if (left.is_number_unsigned() && right.is_number_unsigned()) {
    return left.get<std::uint64_t>() == right.get<std::uint64_t>();
  }
  if (left.is_number_unsigned()) return std::cmp_equal(left.get<std::uint64_t>(), right.get<std::int64_t>());
  if (right.is_number_unsigned()) return std::cmp_equal(left.get<std::int64_t>(), right.get<std::uint64_t>());
  return left.get<std::int64_t>() == right.get<std::int64_t>();
}

}  // namespace

bool equal_values(const Json& left, const Json& right) {
  if (left.is_number() && right.is_number()) return equal_numbers(left, right);
  if (left.type() != right.type()) return false;
  if (left.is_array()) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), equal_values);
  }
  if (!left.is_object()) return left == right;
  const auto& first = left.get_ref<const Json::object_t&>();
  const auto& second = right.get_ref<const Json::object_t&>();
  return std::equal(
      first.begin(), first.end(), second.begin(), second.end(),
      [](const auto& a, const auto& b) { return a.first == b.first && equal_values(a.second, b.second); });
}

}  // namespace nextstat

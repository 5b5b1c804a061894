#include "base/json_append.h"

#include <fmt/core.h>

#include <cmath>

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

}  // namespace nextstat

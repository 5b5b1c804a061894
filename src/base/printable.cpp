#include <fmt/format.h>
#include <nextstat/text.h>

#include <algorithm>
#include <iterator>

#include "base/utf8.h"

namespace nextstat {
namespace {

enum class Destination { Line, Lines, Json };

struct Range {
  char32_t first, last;
};

// Unicode 15.1, ascending: the categories Cc (control), Cf (format), Zl and Zp
// (line and paragraph separators).
constexpr Range kHidden[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x0600, 0x0605},   {0x061C, 0x061C},
    {0x06DD, 0x06DD},   {0x070F, 0x070F},   {0x0890, 0x0891},   {0x08E2, 0x08E2},   {0x180E, 0x180E},
    {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},
    {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0xE0001, 0xE0001}, {0xE0020, 0xE007F},
};

bool is_hidden(char32_t character) {
  const auto* const range = std::upper_bound(std::begin(kHidden), std::end(kHidden), character,
                                             [](char32_t c, const Range& r) { return c <= r.last; });
  return range != std::end(kHidden) && character >= range->first;
}

// The code point of a well-formed character.
char32_t decoded(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  char32_t value = byte(0) & (0xFFu >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) value = value << 6 | (byte(i) & 0x3Fu);
  return value;
}

// As Python writes it: \x1b, \u202e, \U000e0041; in JSON \u001b, \u202e, \udb40\udc41.
std::string escape(char32_t character, Destination to) {
  const auto value = static_cast<unsigned>(character);
  if (to == Destination::Json && value > 0xFFFF) {
    const unsigned rest = value - 0x10000;
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
  }
  if (to == Destination::Json || (value > 0xFF && value <= 0xFFFF)) return fmt::format("\\u{:04x}", value);
  return value <= 0xFF ? fmt::format("\\x{:02x}", value) : fmt::format("\\U{:08x}", value);
}

std::string not_utf8(char byte, Destination to) {
  return to == Destination::Json
             ? "\\ufffd"
             : fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
}

// Most text is ASCII, and documents can be long.
std::size_t plain_length(std::string_view text, Destination to) {
  const auto plain = [&](char c) {
    return (c >= 0x20 && c < 0x7F) || (c == '\n' && to != Destination::Line);
  };
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), plain) - text.begin());
}

std::string written(std::string_view text, Destination to) {
  std::string result;
  result.reserve(text.size());
  for (;;) {
    const std::size_t plain = plain_length(text, to);
    result.append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return result;
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      result += not_utf8(text.front(), to);
      text.remove_prefix(1);
      continue;
    }
    const std::string_view character = text.substr(0, length);
    const char32_t value = decoded(character);
    result += is_hidden(value) ? escape(value, to) : std::string(character);
    text.remove_prefix(length);
  }
}

}  // namespace

std::string printable(std::string_view text) { return written(text, Destination::Line); }

std::string printable_lines(std::string_view text) { return written(text, Destination::Lines); }

std::string printable_json(std::string_view json) { return written(json, Destination::Json); }

std::string shorten(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace nextstat

#include <fmt/format.h>
#include <nextstat/text.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

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

// Most text is ASCII, and documents can be long: 64 letters at a time, as vectors.
std::size_t plain_length(std::string_view text, Destination to) {
  const auto line_break = static_cast<unsigned char>(to == Destination::Line ? ' ' : '\n');
  const auto odd = [&](char letter) -> unsigned char {
    const auto c = static_cast<unsigned char>(letter);
    return (static_cast<unsigned char>(c - 0x20) > 0x7E - 0x20) & (c != line_break);
  };
  constexpr std::size_t kBlock = 64;
  std::size_t length = 0;
  for (; length + kBlock <= text.size(); length += kBlock) {
    unsigned char any = 0;
    for (std::size_t i = 0; i < kBlock; ++i) any |= odd(text[length + i]);
    if (any != 0) break;
  }
  while (length < text.size() && odd(text[length]) == 0) ++length;
  return length;
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

namespace {

// Longer names are not compared: nobody mistypes them by hand and the cost grows with the square.
constexpr std::size_t kLongestName = 200;

char folded(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Edits (insert, delete, replace, swap of neighbors) that turn one word into the other, ignoring ASCII case.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  const std::size_t width = right.size() + 1;
  std::vector<std::size_t> before(width), previous(width), current(width);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = folded(left[i - 1]) == folded(right[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && folded(left[i - 1]) == folded(right[j - 2]) &&
                           folded(left[i - 2]) == folded(right[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous.back();
}

// The one candidate that begins with these three letters or more, if there is one.
const std::string* only_completion(std::string_view begin, std::span<const std::string> candidates) {
  const std::string* found = nullptr;
  if (begin.size() < 3) return found;
  for (const std::string& candidate : candidates) {
    if (!candidate.starts_with(begin)) continue;
    if (found != nullptr) return nullptr;
    found = &candidate;
  }
  return found;
}

}  // namespace

std::string closest_name(std::string_view wrong, std::span<const std::string> candidates) {
  if (wrong.size() > kLongestName) return {};
  if (const std::string* whole = only_completion(wrong, candidates)) return *whole;
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongestName) continue;
    const std::size_t longer = std::max(wrong.size(), candidate.size());
    const std::size_t allowed = longer / 3;
    if (longer - std::min(wrong.size(), candidate.size()) > allowed) continue;
    const std::size_t distance = edit_distance(wrong, candidate);
    if (distance > allowed || (best && distance >= best_distance)) continue;
    best = &candidate;
    best_distance = distance;
  }
  return best ? *best : std::string();
}

Hint did_you_mean(std::string_view wrong, std::span<const std::string> candidates, Hint otherwise) {
  const std::string name = closest_name(wrong, candidates);
  return name.empty() ? otherwise : Hint("did you mean '" + name + "'?");
}

}  // namespace nextstat

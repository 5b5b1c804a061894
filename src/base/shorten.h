// Names and values from files, cut to a length that fits into a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nextstat {

// The text, or its beginning and "..." when it is longer than `most` bytes; characters stay whole.
inline std::string shorten(std::string_view text, std::size_t most = 100) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace nextstat

// UTF-8, one character at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace nextstat {

// Bytes of the well-formed character that `text` starts with, 0 if it starts with none.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace nextstat

// Text from files, command lines and drivers on its way to a screen. Control characters move the cursor,
// change colors and titles; format characters (bidirectional overrides, zero widths) make one name look like
// another. Both are written as escapes, and so are bytes that are not UTF-8; all other characters stay.
//
//   std::cout << printable("mu\x1b[2J");  // mu\x1b[2J, as nine visible characters
#pragma once

#include <nextstat/error.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace nextstat {

// Text within one line, such as a name: no newline is left either.
std::string printable(std::string_view text);

// Text of several lines: newlines stay.
std::string printable_lines(std::string_view text);

// JSON text with the same values: escapes are those of JSON, bytes that are not UTF-8 become U+FFFD.
std::string printable_json(std::string_view json);

// The text, or its beginning and "..." when it is longer than `most` bytes; characters stay whole.
std::string shorten(std::string_view text, std::size_t most = 100);

// "did you mean": the candidate with the smallest edit distance (ties: the first), or "" when none is within
// a third of the length.
std::string closest_name(std::string_view wrong, std::span<const std::string> candidates);

// "did you mean 'x'?" or, when nothing is close, `otherwise`.
Hint did_you_mean(std::string_view wrong, std::span<const std::string> candidates, Hint otherwise);

}  // namespace nextstat
#pragma GCC visibility pop

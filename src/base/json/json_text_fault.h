// Finds the first fault of a text that is not strict JSON and says it in a sentence. Only for the error path:
// the parser that reads valid documents gives no location.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nextstat {

struct JsonFault {
  std::size_t offset = 0;  // byte where the fault is
  std::string pointer;     // JSON pointer of the value it is in; of one around it when that is deep inside
  bool limit = false;      // valid JSON, but beyond a stated limit (nesting, size of a number)
  std::string what;
  std::string hint;
};

std::optional<JsonFault> find_json_fault(std::string_view text, std::size_t max_depth);

// "line 3, column 14" of a byte; columns count characters.
std::string line_and_column(std::string_view text, std::size_t offset);

}  // namespace nextstat

// The pieces of JSON text as Python's json module writes them (ensure_ascii=False).
#pragma once

#include <nextstat/json.h>

#include <charconv>
#include <string>
#include <string_view>

namespace nextstat {

void append_json_string(std::string& out, std::string_view text);

// Python's repr; null for a number that JSON does not have.
void append_json_float(std::string& out, double value);

template <class Integer>
void append_json_integer(std::string& out, Integer value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

// Equality of documents as Python sees it: numbers by value, whether written 1 or 1.0.

bool equal_values(const Json& left, const Json& right);

}  // namespace nextstat

// JSON documents as trees: text in, text out. For patches and workspace operations, where the whole document
// matters. (A workspace on its way to a model is read without a tree: src/model/workspace/workspace_reader.h.)
//
//   Result<Json> document = parse_json(text);       // errors carry pointer, line and column
//   std::string pretty = dump_json(*document, 4);   // sorted keys, numbers as Python's json writes them
//
// Needs nlohmann-json.
#pragma once

#include <nextstat/result.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace nextstat {

// A document, a value in it, or a patch.
using Json = nlohmann::json;

// Parses strict JSON (no NaN, no comments). Refuses repeated keys, nesting beyond 512, integers over 64 bits.
Result<Json> parse_json(std::string_view text);

// Keys sorted by code point; numbers as Python's repr writes them (1.0, 1e+16, 5e-05).
//   indent < 0    one line, with ", " and ": " between items (the form that pyhf hashes)
//   indent >= 0   that many spaces per level
std::string dump_json(const Json& document, int indent = -1);

// The same as dump_json of parse_json, without the tree; integers of any size stay as they are.
Result<std::string> canonical_json(std::string_view text);

// Python's repr of a finite double: the shortest digits that read back to the same value.
std::string python_float_repr(double value);

// Appends one reference token to a JSON pointer, escaping '~' and '/'. For messages: long tokens are cut.
std::string pointer_append(std::string_view pointer, std::string_view token);
std::string pointer_append(std::string_view pointer, std::size_t index);

}  // namespace nextstat
#pragma GCC visibility pop

// Whole files in and out, with errors that name the file.
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <string>
#include <variant>

namespace nextstat {

// Reads a file, or standard input for "-". Refuses more than max_bytes before reading them.
Result<std::string> read_text(const std::string& path, std::size_t max_bytes);

// Writes text to a temporary file beside path, then renames it: path is never half written. "-" is standard
// output.
Result<std::monostate> write_text(const std::string& path, const std::string& text);

// Whether write_text(path) could begin, found without changing anything: an existing file stays as it is, and
// none is left behind. Asked before long work.
Result<std::monostate> can_write_text(const std::string& path);

// How a path is called in messages: itself, or "standard input" for "-".
std::string display_name(const std::string& path);

// Puts the file in front of every `where`: "/channels/0" becomes "analysis.json /channels/0".
Errors in_file(Errors errors, const std::string& path);

}  // namespace nextstat

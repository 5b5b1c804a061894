// Whole files in and out, with errors that name the file.
//
//   Result<std::string> text = read_text("analysis.json", 1'000'000);
//   Result<void> written = write_text("copy.json", *text);
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace nextstat {

// Reads a file, or standard input for "-". Refuses more than max_bytes before reading them.
Result<std::string> read_text(const std::string& path, std::size_t max_bytes);

// Writes text to a new temporary file beside path, then renames it: path is never half written. A link is
// followed, also where the file that it names is still to be made, and stays a link. "-" is standard output.
Result<void> write_text(const std::string& path, const std::string& text);

// Writes text to standard output. Returns 0, or the error number: a caller may treat EPIPE apart.
int write_standard_output(std::string_view text);

// The error of an output that failed with this error number.
Error cannot_write(const std::string& path, int error_number);

// Whether write_text(path) could begin, found without changing anything: an existing file stays as it is, and
// none is left behind. Asked before long work.
Result<void> can_write_text(const std::string& path);

// Whether both paths lead to one existing file, also through links and hard links.
// "-" is the file behind standard input.
bool same_file(const std::string& input, const std::string& output);

// How a path is called in messages: itself, or "standard input" for "-".
std::string display_name(const std::string& path);

// Puts the file in front of every `where`: "/channels/0" becomes "analysis.json /channels/0".
Errors in_file(Errors errors, const std::string& path);

}  // namespace nextstat
#pragma GCC visibility pop

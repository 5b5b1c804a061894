// Where a verb's output goes: results to standard output or --output, messages to standard error.
#pragma once

#include <nextstat/result.h>

#include <nlohmann/json.hpp>
#include <string>

namespace nextstat::cli {

// Exit codes of the program.
constexpr int kDone = 0;
constexpr int kNotConverged = 1;  // or, of a toy run, not complete
constexpr int kBadInput = 2;
constexpr int kNoDevice = 3;
constexpr int kInterrupted = 4;

enum class Format { Automatic, Table, Json };

// Names come from files: a control character in one must not reach the terminal.
std::string printable(const std::string& text);

// {code, where, what, hint}
nlohmann::json as_json(const Error& error);

class Console {
 public:
  Format format = Format::Automatic;  // --format
  std::string output;                 // -o/--output FILE; "" = standard output

  // True when a person reads standard output: a terminal and no --format json, or --format table.
  bool wants_table() const;

  // Writes a result: JSON to --output if given; to standard output the table or the JSON. Returns `code`, or
  // kBadInput when the file cannot be written.
  int result(const nlohmann::json& json, const std::string& table, int code = kDone);

  // Writes a document (a workspace, a patch) to --output or standard output, as JSON with sorted keys,
  // indent 4.
  int document(const nlohmann::json& json);

  // An --output that cannot be written, found before the work. It may lie in the folder that the work makes.
  Errors check_output(const std::string& folder_to_make) const;

  // Writes plain text to --output or standard output.
  int text(const std::string& text);

  // Reports errors on standard error, as sentences or as JSON with --format json; returns the exit code.
  int fail(const Errors& errors) const;
  void warn(const std::string& message) const;
};

}  // namespace nextstat::cli

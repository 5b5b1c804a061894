// Where a verb's output goes: results to standard output or --output, messages to standard error. All text
// passes nextstat/text.h here, so names from files cannot steer a terminal. Here a newline in a name looks
// like any other. So code that puts a name into a line uses printable() first, as Table does for its cells.
#pragma once

#include <nextstat/result.h>
#include <nextstat/text.h>
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

// {code, where, what, hint}
nlohmann::json as_json(const Error& error);

class Console {
 public:
  Format format = Format::Automatic;  // --format
  std::string output;                 // -o/--output FILE; "" = standard output

  // True when a person reads standard output: a terminal and no --format json, or --format table.
  bool wants_table() const;
  // Whether somebody gets the JSON of a result.
  bool writes_json() const { return !wants_table() || !output.empty(); }

  // Writes a result: JSON to --output if given; to standard output the table or the JSON. Returns `code`, or
  // kBadInput when the file cannot be written.
  int result(const nlohmann::json& json, const std::string& table, int code = kDone);

  // Writes a document (a workspace, a patch) to --output or standard output, as JSON with sorted keys,
  // indent 4; or one that is JSON text already.
  int document(const nlohmann::json& json);
  int document_text(const std::string& json);

  // An --output that cannot be written, found before the work. It may lie in the folder that the work makes.
  Errors check_output(const std::string& folder_to_make) const;

  // Writes plain text to --output or standard output.
  int text(const std::string& text);

  // Reports errors on standard error, as sentences or as JSON with --format json; returns the exit code.
  int fail(const Errors& errors) const;
  void warn(const std::string& message) const;

 private:
  int show(const nlohmann::json& json, const std::string& table, int code);
  int write(const std::string& path, const std::string& text) const;
};

}  // namespace nextstat::cli

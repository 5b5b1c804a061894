// The document that a verb reads: its first argument or -i/--input, "-" for standard input.
//
//   InputFile workspace_;
//   workspace_.declare(command, "workspace", "Workspace");      // in Verb::declare
//   Result<std::string> text = workspace_.read();               // in Verb::run; errors name the file
#pragma once

#include <nextstat/json.h>
#include <nextstat/result.h>
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace nextstat::cli {

// Larger files are refused before they are read.
constexpr std::size_t kMaxDocumentBytes = std::size_t{1} << 30;

class InputFile {
 public:
  // Adds the positional argument and -i/--input.
  void declare(CLI::App& command, const std::string& name, const std::string& description);
  // Adds the positional argument only, for verbs that read two documents.
  void declare_argument(CLI::App& command, const std::string& name, const std::string& description);

  Result<std::string> read() const;
  Result<Json> read_json() const;

  // The path that will be read; "-" when none was given.
  std::string path() const;
  bool given() const { return !argument_.empty() || !option_.empty(); }

 private:
  std::string name_;
  std::string argument_;
  std::string option_;
};

// Reads two documents for one verb; both cannot come from standard input.
Result<std::pair<Json, Json>> read_both(const InputFile& first, const InputFile& second);

// An error when more than one of these paths is "-".
Errors one_from_standard_input(const std::vector<std::string>& paths);

}  // namespace nextstat::cli

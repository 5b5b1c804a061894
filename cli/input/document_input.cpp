#include "input/document_input.h"

#include <unistd.h>

#include <nextstat/files.h>

#include <algorithm>
#include <utility>

namespace nextstat::cli {

void InputFile::declare_argument(CLI::App& command, const std::string& name, const std::string& description) {
  name_ = name;
  command.add_option(name, argument_, description + " (JSON file, - for standard input)")->type_name("FILE");
}

void InputFile::declare(CLI::App& command, const std::string& name, const std::string& description) {
  declare_argument(command, name, description);
  command.add_option("-i,--input", option_, "The same as the argument")->type_name("FILE");
}

std::string InputFile::path() const {
  if (!argument_.empty()) return argument_;
  return option_.empty() ? "-" : option_;
}

Result<std::string> InputFile::read() const {
  if (!argument_.empty() && !option_.empty()) {
    return Error{ErrorCode::BadUsage, "--input",
                 "the " + name_ + " is given twice: '" + argument_ + "' and --input '" + option_ + "'",
                 "give it once"};
  }
  if (argument_.empty() && option_.empty() && isatty(STDIN_FILENO) == 1) {
    return Error{ErrorCode::BadUsage, name_, "no " + name_ + " given",
                 "name a file, or pipe the " + name_ + " to standard input"};
  }
  return read_text(path(), kMaxDocumentBytes);
}

Result<Json> InputFile::read_json() const {
  const Result<std::string> text = read();
  if (!text) return text.errors();
  Result<Json> document = parse_json(*text);
  if (!document) return in_file(document.errors(), path());
  return document;
}

Errors one_from_standard_input(const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") <= 1) return {};
  return {{ErrorCode::BadUsage, "standard input", "only one document can come from standard input",
           "give the others as files"}};
}

Result<std::pair<Json, Json>> read_both(const InputFile& first, const InputFile& second) {
  if (first.path() == "-" && second.path() == "-") {
    return Error{ErrorCode::BadUsage, "standard input",
                 "two documents are needed, and only one can come from standard input",
                 "give at least one of them as a file"};
  }
  Result<Json> left = first.read_json();
  if (!left) return left.errors();
  Result<Json> right = second.read_json();
  if (!right) return right.errors();
  return std::pair(std::move(*left), std::move(*right));
}

}  // namespace nextstat::cli

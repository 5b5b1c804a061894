#include "input/path_checks.h"

#include <fmt/format.h>
#include <nextstat/files.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace nextstat::cli {
namespace {

namespace fs = std::filesystem;

bool has_type(const CLI::Option& option, std::string_view type) {
  return option.get_type_name().find(type) != std::string::npos;
}

bool is_output(const CLI::Option& option) {
  return option.check_lname("output") || option.check_lname("save");
}

// CLI11 gives an option without its optional words one empty word, as if it were written empty:
// only the command line tells the two apart.
bool written_empty(const CLI::Option& option, const std::vector<std::string_view>& words) {
  for (const std::string& name : option.get_lnames()) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "--" + name + "=") return true;
      if (words[i] == "--" + name && i + 1 < words.size() && words[i + 1].empty()) return true;
    }
  }
  return false;
}

bool has_empty_path(const CLI::Option& option, const std::vector<std::string_view>& words) {
  const std::vector<std::string>& given = option.results();
  if (std::find(given.begin(), given.end(), "") == given.end()) return false;
  return option.get_expected_min() > 0 || given.size() > 1 || written_empty(option, words);
}

bool same_folder(const fs::path& one, const fs::path& other) {
  std::error_code failed;
  if (fs::equivalent(one, other, failed)) return true;
  const auto plain = [&](const fs::path& path) {
    return (fs::absolute(path, failed) / "").lexically_normal();
  };
  return plain(one) == plain(other);
}

bool is_file_of_run(const std::string& name) {
  return name == "run.json" || (name.starts_with("block-") && name.ends_with(".toys"));
}

// Whether the command reads a file of this name in the folder: of a folder with toys the files of the run, of
// a folder with workspaces all of them.
bool is_read(const CLI::Option& option, const fs::path& file) {
  return has_type(option, "DIR") ? is_file_of_run(file.filename().string()) : file.extension() == ".json";
}

bool lies_in(const std::string& output, const CLI::Option& option, const std::string& folder) {
  std::error_code failed;
  const fs::path path = fs::absolute(output, failed);
  // A run that is still to be made has no files yet.
  if (has_type(option, "DIR") && is_read(option, path) && same_folder(path.parent_path(), folder))
    return true;
  if (!fs::is_regular_file(path, failed)) return false;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (is_read(option, entry->path()) && same_file(entry->path().string(), output)) return true;
  }
  return false;
}

std::string lost_input(const CLI::App& command, const std::string& output) {
  if (same_file("-", output)) return "standard input";
  for (const CLI::Option* option : command.get_options()) {
    if (is_output(*option)) continue;
    for (const std::string& word : option->results()) {
      const bool folder = has_type(*option, "DIR") || has_type(*option, "FOLDER");
      if ((has_type(*option, "FILE") && same_file(word, output)) ||
          (folder && lies_in(output, *option, word)))
        return fmt::format("{} '{}'", option->get_name(), word);
    }
  }
  return "";
}

}  // namespace

Errors empty_paths(const CLI::App& command, const std::vector<std::string_view>& words) {
  for (const CLI::Option* option : command.get_options()) {
    const bool is_path = has_type(*option, "FILE") || has_type(*option, "DIR") || has_type(*option, "FOLDER");
    if (!is_path || !has_empty_path(*option, words)) continue;
    const std::string name = option->get_name();
    return {{ErrorCode::BadUsage, name, fmt::format("the path of {} is empty: \"\"", name),
             has_type(*option, "FILE") ? "name a file; - is standard input or output" : "name a folder"}};
  }
  return {};
}

Errors replaced_inputs(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!is_output(*option)) continue;
    for (const std::string& output : option->results()) {
      const std::string lost = output == "-" ? "" : lost_input(command, output);
      if (lost.empty()) continue;
      return {{ErrorCode::BadUsage, option->get_name(),
               fmt::format("'{}' is also read, as {}: writing there would replace it", output, lost),
               "name another file"}};
    }
  }
  return {};
}

}  // namespace nextstat::cli

#include "input/usage.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include <set>
#include <string>
#include <vector>

#include "input/choice.h"

namespace nextstat::cli {
namespace {

std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

Error unknown_word(const CLI::App& command, const std::string& word) {
  const std::string see_help = "see " + full_name(command) + " --help";
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    return {ErrorCode::BadUsage, full_name(command), "unknown option '" + name + "'",
            did_you_mean(name, option_names(command), see_help)};
  }
  const std::vector<std::string> names = subcommand_names(command);
  const std::string what = names.empty() ? "unexpected argument '" : "unknown verb '";
  return {ErrorCode::BadUsage, full_name(command), what + word + "' after '" + full_name(command) + "'",
          did_you_mean(word, names, see_help)};
}

Error missing_subcommand(const CLI::App& command) {
  std::string list;
  for (const std::string& name : subcommand_names(command)) list += (list.empty() ? "" : ", ") + name;
  return {ErrorCode::BadUsage, full_name(command), "'" + full_name(command) + "' needs a verb",
          "use one of " + list};
}

// CLI11 says of an option given twice "--mu: At Most 1 required but received 2", of a word that is no number
// "Could not convert: --mu = abc".
std::string in_our_words(const std::string& text) {
  static const std::string twice = ": At Most 1 required but received ", convert = "Could not convert: ";
  if (const std::size_t at = text.find(twice); at != text.npos)
    return text.substr(0, at) + " is given " + text.substr(at + twice.size()) + " times";
  const std::size_t equals = text.find(" = ");
  if (!text.starts_with(convert) || equals == text.npos) return text;
  return text.substr(convert.size(), equals - convert.size()) + " needs a number, not '" +
         text.substr(equals + 3) + "'";
}

}  // namespace

const CLI::App& chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

Error usage_error(const CLI::App& app, const CLI::ParseError& failure) {
  if (const auto* refused = dynamic_cast<const RefusedValue*>(&failure)) return refused->error;
  const CLI::App& command = chosen_command(app);
  const std::vector<std::string> left = command.remaining();
  const bool extras = failure.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  const bool no_subcommand = !subcommand_names(command).empty();
  const bool option_first = no_subcommand && !left.empty() && left.front().starts_with("-");
  if (!left.empty() && !option_first && (extras || no_subcommand)) return unknown_word(command, left.front());
  if (no_subcommand) return missing_subcommand(command);
  return {ErrorCode::BadUsage, full_name(command), in_our_words(failure.what()),
          "see " + full_name(command) + " --help"};
}

Errors empty_numbers(const CLI::App& app) {
  static const std::set<std::string> numbers = {"ALPHA", "CL", "N", "VALUE"};
  const CLI::App& command = chosen_command(app);
  for (const CLI::Option* option : command.get_options()) {
    if (!numbers.contains(option->get_type_name())) continue;
    for (const std::string& word : option->results()) {
      if (word.find_first_not_of(" \t\n") != word.npos) continue;
      const std::string name = option->get_name();
      return {{ErrorCode::BadUsage, name, fmt::format("{} needs a number, not '{}'", name, word),
               fmt::format("give a number, or leave {} out", name)}};
    }
  }
  return {};
}

std::string folder_to_make(const CLI::App& app) {
  const CLI::App& command = chosen_command(app);
  for (const char* name : {"--out", "--resume"}) {
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (option != nullptr && option->count() > 0) return option->results().front();
  }
  return "";
}

Error unknown_verb(const CLI::App& app, const std::string& word) {
  return {ErrorCode::BadUsage, full_name(app), "unknown verb '" + word + "'",
          did_you_mean(word, subcommand_names(app), "nextstat --help lists the verbs")};
}

}  // namespace nextstat::cli

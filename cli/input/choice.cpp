#include "input/choice.h"

#include <utility>

namespace nextstat::cli {

std::string choice_help(const std::string& what, std::vector<std::string> names, const std::string& chosen) {
  for (std::string& name : names)
    if (name == chosen) name += " (default)";
  return what + ": " + listed(names, "or");
}

CLI::Option* add_word(CLI::App& command, const std::string& option, const std::string& description,
                      std::function<Errors(const std::string&)> take) {
  const auto read = [take = std::move(take)](const std::string& word) {
    if (const Errors errors = take(word); !errors.empty()) throw RefusedValue(errors.front());
  };
  return command.add_option_function<std::string>(option, read, description)->type_name("NAME");
}

}  // namespace nextstat::cli

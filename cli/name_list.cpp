#include "name_list.h"

#include <sstream>

namespace nextstat::cli {

std::vector<std::string> split_names(const std::vector<std::string>& words,
                                     const std::set<std::string>& known) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    if (known.contains(word)) {
      names.push_back(word);
      continue;
    }
    std::istringstream parts(word);
    for (std::string name; std::getline(parts, name, ',');) {
      if (!name.empty()) names.push_back(name);
    }
  }
  return names;
}

CLI::Option* add_optional_words(CLI::App& command, const std::string& name, std::vector<std::string>& words,
                                const std::string& description, const std::string& type_name) {
  // Without words the parser gives one empty word.
  const auto keep = [&words](const std::vector<std::string>& given) {
    words = given;
    std::erase(words, "");
  };
  return command.add_option_function<std::vector<std::string>>(name, keep, description)
      ->type_name(type_name)
      ->expected(0, CLI::detail::expected_max_vector_size);
}

}  // namespace nextstat::cli

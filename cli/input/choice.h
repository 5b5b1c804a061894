// Options whose value is one of a few names. A table says which: for the help, the default and the error.
//
//   add_choice(command, "--impact", impact, "Sort by", impacts(), parse_impact);  // postfit (default) or prefit
#pragma once

#include <nextstat/names.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace nextstat::cli {

// Thrown while the command line is parsed: usage_error() gives the error as it is.
struct RefusedValue : CLI::ValidationError {
  explicit RefusedValue(nextstat::Error why) : CLI::ValidationError("", why.what), error(std::move(why)) {}
  nextstat::Error error;
};

// "Sort by: postfit (default) or prefit"
std::string choice_help(const std::string& what, std::vector<std::string> names, const std::string& chosen);

// An option that `take` reads; what it returns is the error.
CLI::Option* add_word(CLI::App& command, const std::string& option, const std::string& description,
                      std::function<Errors(const std::string&)> take);

// `names`: those to show, in their order; the value that `value` has now is the default.
template <class Value, class Parse>
CLI::Option* add_choice(CLI::App& command, const std::string& option, Value& value, const std::string& what,
                        const std::vector<std::string>& names, const std::string& chosen, Parse parse) {
  const auto take = [&value, parse](const std::string& word) -> Errors {
    const Result<Value> read = parse(word);
    if (!read) return read.errors();
    value = *read;
    return {};
  };
  return add_word(command, option, choice_help(what, names, chosen), take);
}

template <class Value, class Parse>
CLI::Option* add_choice(CLI::App& command, const std::string& option, Value& value, const std::string& what,
                        NameTable<Value> table, Parse parse) {
  return add_choice(command, option, value, what, names_in(table), name_in(table, value), parse);
}

}  // namespace nextstat::cli

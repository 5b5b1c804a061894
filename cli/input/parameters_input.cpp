#include "input/parameters_input.h"

#include <fmt/format.h>
#include <nextstat/files.h>
#include <nextstat/json.h>
#include <nextstat/text.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>

namespace nextstat::cli {
namespace {

Error unknown_parameter(const Model& model, const std::string& option, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : model.parameters()) names.push_back(parameter.name);
  return {ErrorCode::BadInput, option, fmt::format("there is no parameter \"{}\"", shorten(name)),
          did_you_mean(name, names, Listing::Parameters)};
}

Result<ParameterRows> read_words(const Model& model, const std::vector<std::string>& words,
                                 const std::string& option) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < model.n_parameters(); ++i) index.emplace(model.parameters()[i].name, i);
  ParameterRows rows{model.initial(), false};
  std::set<std::string> named;
  Errors errors;
  for (const std::string& word : words) {
    const std::size_t equals = word.rfind('=');
    const std::optional<double> value =
        equals == word.npos ? std::nullopt : finite_number(word.substr(equals + 1));
    if (!value) {
      return Error{ErrorCode::BadUsage, option,
                   fmt::format("\"{}\" is not NAME=VALUE with a finite number", word),
                   equals == word.npos ? "put the workspace before " + option + "; values look like mu=1.5"
                                       : "write e.g. mu=1.5, name a file, or write init"};
    }
    if (!named.insert(word.substr(0, equals)).second) {
      return Error{ErrorCode::BadUsage, option, fmt::format("\"{}\" is given twice", word.substr(0, equals)),
                   "give it once"};
    }
    if (const auto found = index.find(word.substr(0, equals)); found != index.end()) {
      rows.values[found->second] = *value;
    } else {
      errors.push_back(unknown_parameter(model, option, word.substr(0, equals)));
    }
  }
  if (!errors.empty()) return errors;
  return rows;
}

}  // namespace

std::optional<double> finite_number(const std::string& text) {
  double value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || status != std::errc() || rest != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

Result<ParameterRows> read_parameter_rows(const Model& model, const std::vector<std::string>& words,
                                          const std::string& option) {
  if (words.empty() || (words.size() == 1 && words[0] == "init"))
    return ParameterRows{model.initial(), false};
  if (words.size() == 1 && words[0].find('=') == std::string::npos) return read_points(model, words[0]);
  return read_words(model, words, option);
}

}  // namespace nextstat::cli

#include "parameters_input.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/files.h"
#include "base/json_text.h"
#include "base/shorten.h"
#include "base/suggest.h"
#include "input.h"
#include "model/shape_check.h"

namespace nextstat::cli {
namespace {

class PointReader {
 public:
  explicit PointReader(const Model& model) : model_(model) {
    for (std::size_t i = 0; i < model.n_parameters(); ++i) index_.emplace(model.parameters()[i].name, i);
  }

  void set(std::vector<double>& point, const std::string& where, const std::string& name, double value) {
    if (const auto found = index_.find(name); found != index_.end()) {
      point[found->second] = value;
      return;
    }
    Hint hint = Listing::Parameters;
    if (faults_.count() < kMostSuggestions) {
      std::vector<std::string> names;
      for (const Parameter& parameter : model_.parameters()) names.push_back(parameter.name);
      hint = did_you_mean(name, names, std::move(hint));
    }
    faults_.add(where, fmt::format("there is no parameter \"{}\"", shorten(name)), std::move(hint));
  }

  void object(const Json& object, const std::string& where, ParameterRows& rows) {
    if (!object.is_object()) {
      faults_.add(where, "a point must be an object {\"parameter\": value}, found " + kind_of(object),
                  "use the parameter names that nextstat inspect lists");
      return;
    }
    std::vector<double> point = model_.initial();
    for (const auto& [name, value] : object.items()) {
      const std::string here = pointer_append(where, name);
      if (value.is_number()) {
        set(point, here, name, value.get<double>());
      } else {
        faults_.add(
            here, fmt::format("the value of \"{}\" is not a number, found {}", shorten(name), kind_of(value)),
            "write a number");
      }
    }
    if (faults_.empty()) rows.values.insert(rows.values.end(), point.begin(), point.end());
  }

  Faults& faults() { return faults_; }

 private:
  static constexpr std::size_t kMostSuggestions = 20;  // each compares with every name

  const Model& model_;
  std::unordered_map<std::string, std::size_t> index_;
  Faults faults_;
};

Result<ParameterRows> read_words(const Model& model, const std::vector<std::string>& words,
                                 const std::string& option) {
  PointReader reader(model);
  ParameterRows rows{model.initial(), false};
  std::set<std::string> named;
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
    reader.set(rows.values, option, word.substr(0, equals), *value);
  }
  if (!reader.faults().empty()) return reader.faults().take();
  return rows;
}

// No points, or more than fit: `[{}, {}, ...]` is short and every point has all parameters.
Error size_fault(const Model& model, const Json& document) {
  constexpr std::size_t kMostValues = 100'000'000;
  if (!document.is_array()) return {};
  if (document.empty())
    return {ErrorCode::BadInput, "", "the list of points is empty", "give at least one point"};
  if (document.size() <= kMostValues / model.n_parameters()) return {};
  return {ErrorCode::LimitExceeded, "",
          fmt::format("{} points of {} parameters, the limit is {} values", document.size(),
                      model.n_parameters(), kMostValues),
          "split the file"};
}

Result<ParameterRows> read_file(const Model& model, const std::string& path) {
  const Result<std::string> text = read_text(path, kMaxDocumentBytes);
  if (!text) return text.errors();
  const Result<Json> document = parse_json(*text);
  if (!document) return in_file(document.errors(), path);
  if (Error fault = size_fault(model, *document); !fault.what.empty())
    return in_file({std::move(fault)}, path);
  PointReader reader(model);
  ParameterRows rows{{}, document->is_array()};
  if (document->is_array()) {
    for (std::size_t i = 0; i < document->size(); ++i) {
      reader.object((*document)[i], pointer_append("", i), rows);
    }
  } else {
    reader.object(*document, "", rows);
  }
  if (!reader.faults().empty()) return in_file(reader.faults().take(), path);
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
  if (words.size() == 1 && words[0].find('=') == std::string::npos) return read_file(model, words[0]);
  return read_words(model, words, option);
}

}  // namespace nextstat::cli

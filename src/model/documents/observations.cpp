#include <fmt/format.h>
#include <nextstat/files.h>
#include <nextstat/json.h>
#include <nextstat/observations.h>
#include <nextstat/text.h>

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "base/try.h"
#include "model/workspace/document_shape.h"

namespace nextstat {
namespace {

struct Observation {
  std::string pointer;
  const Json* data;
};

using Observations = std::map<std::string, Observation>;

void add(Observations& by_channel, const std::string& name, std::string pointer, const Json& data,
         Faults& faults) {
  if (by_channel.emplace(name, Observation{pointer, &data}).second) return;
  faults.add(std::move(pointer), fmt::format("the channel \"{}\" appears twice", shorten(name)),
             "keep one of the two");
}

// Channel name -> its numbers, from either form of the file.
Observations collect(const Json& document, Faults& faults) {
  Observations by_channel;
  if (document.is_object()) {
    for (const auto& [name, data] : document.items())
      add(by_channel, name, pointer_append("", name), data, faults);
  } else if (document.is_array()) {
    for (std::size_t i = 0; i < document.size(); ++i) {
      const Json& entry = document[i];
      const std::string here = pointer_append("", i);
      if (entry.is_object() && entry.contains("name") && entry["name"].is_string() &&
          entry.contains("data")) {
        add(by_channel, entry["name"].get<std::string>(), here + "/data", entry["data"], faults);
      } else {
        faults.add(here, R"(an observation must be {"name": channel, "data": [...]})", "write both keys");
      }
    }
  } else {
    faults.add("", "observations must be a list or an object, found " + kind_of(document),
               R"(write {"channel": [counts]})");
  }
  return by_channel;
}

void read_channel(const ChannelInfo& channel, const Observation& observation, std::vector<double>& data,
                  Faults& faults) {
  const Json& counts = *observation.data;
  if (!counts.is_array() || counts.size() != channel.bins) {
    faults.add(observation.pointer,
               fmt::format("the channel \"{}\" needs an array of {} counts, found {}", channel.name,
                           channel.bins, counts.is_array() ? std::to_string(counts.size()) : kind_of(counts)),
               "give one count per bin");
    return;
  }
  for (std::size_t bin = 0; bin < channel.bins; ++bin) {
    if (counts[bin].is_number() && counts[bin].get<double>() >= 0) {
      data[channel.first_bin + bin] = counts[bin].get<double>();
    } else {
      faults.add(pointer_append(observation.pointer, bin),
                 "an observed count must be a non-negative number, found " + kind_of(counts[bin]),
                 "check this bin");
    }
  }
}

void check_names(const Observations& by_channel, const std::vector<std::string>& known, Faults& faults) {
  constexpr std::size_t kMostListed = 20;
  const std::span<const std::string> listed(known.data(), std::min(known.size(), kMostListed));
  const std::string list = fmt::format("the channels are {}{}", fmt::join(listed, ", "),
                                       known.size() > kMostListed ? ", ..." : "");
  for (const auto& [name, observation] : by_channel) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const Hint suggestion = did_you_mean(name, known, "");
    faults.add(observation.pointer, fmt::format("the workspace has no channel \"{}\"", shorten(name)),
               suggestion.empty() ? list : suggestion.text + " " + list);
  }
}

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
                  {"use the parameter names", Listing::Parameters});
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

}  // namespace

std::vector<std::string> channel_names(const Workspace& workspace) {
  std::vector<std::string> names;
  for (const WorkspaceChannel& channel : workspace.channels) names.emplace_back(workspace.name(channel.name));
  return names;
}

Result<std::vector<double>> read_observations(const Model& model, const std::string& path,
                                              std::vector<std::string> others) {
  TRY(const std::string text, read_text(path, Limits{}.text_bytes));
  const Result<Json> document = parse_json(text);
  if (!document) return in_file(document.errors(), path);
  Faults faults;
  const Observations by_channel = collect(*document, faults);
  std::vector<double> data(model.data().begin(), model.data().end());
  std::vector<std::string> channels;
  for (const ChannelInfo& channel : model.channels()) channels.push_back(channel.name);
  for (std::string& other : others) {
    if (std::find(channels.begin(), channels.end(), other) == channels.end())
      channels.push_back(std::move(other));
  }
  check_names(by_channel, channels, faults);
  const bool known = faults.empty();  // what is missing is then no mistyped name
  for (const ChannelInfo& channel : model.channels()) {
    if (const auto found = by_channel.find(channel.name); found != by_channel.end()) {
      read_channel(channel, found->second, data, faults);
    } else if (known) {
      faults.add("", fmt::format("the channel \"{}\" has no observation", channel.name), "add its counts");
    }
  }
  if (!faults.empty()) return in_file(faults.take(), path);
  return data;
}

Result<ParameterRows> read_points(const Model& model, const std::string& path) {
  TRY(const std::string text, read_text(path, Limits{}.text_bytes));
  const Result<Json> document = parse_json(text);
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

}  // namespace nextstat

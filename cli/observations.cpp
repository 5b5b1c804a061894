#include "observations.h"

#include <fmt/format.h>

#include <map>

#include "base/files.h"
#include "base/json_text.h"
#include "base/suggest.h"
#include "input.h"

namespace nextstat::cli {
namespace {

struct Observation {
  std::string pointer;
  const Json* data;
};

// Channel name -> its numbers, from either form of the file.
Errors collect(const Json& document, std::map<std::string, Observation>& by_channel) {
  Errors errors;
  const auto add = [&](const std::string& name, std::string pointer, const Json& data) {
    if (!by_channel.emplace(name, Observation{pointer, &data}).second) {
      errors.push_back({ErrorCode::BadInput, pointer, fmt::format("the channel \"{}\" stands here twice", name), "keep one of the two"});
    }
  };
  if (document.is_object()) {
    for (const auto& [name, data] : document.items()) add(name, pointer_append("", name), data);
  } else if (document.is_array()) {
    for (std::size_t i = 0; i < document.size(); ++i) {
      const Json& entry = document[i];
      const std::string here = pointer_append("", i);
      if (entry.is_object() && entry.contains("name") && entry["name"].is_string() && entry.contains("data")) {
        add(entry["name"].get<std::string>(), here + "/data", entry["data"]);
      } else {
        errors.push_back({ErrorCode::BadInput, here, "an observation is {\"name\": channel, \"data\": [...]}", "write both keys"});
      }
    }
  } else {
    errors.push_back({ErrorCode::BadInput, "", "observations are a list or an object", "write {\"channel\": [counts]}"});
  }
  return errors;
}

void read_channel(const ChannelInfo& channel, const Observation& observation, std::vector<double>& data, Errors& errors) {
  if (!observation.data->is_array() || observation.data->size() != channel.bins) {
    errors.push_back({ErrorCode::BadInput, observation.pointer, fmt::format("the channel \"{}\" needs an array of {} counts", channel.name, channel.bins), "give one count per bin"});
    return;
  }
  for (std::size_t bin = 0; bin < channel.bins; ++bin) {
    const Json& value = (*observation.data)[bin];
    if (value.is_number() && value.get<double>() >= 0) {
      data[channel.first_bin + bin] = value.get<double>();
    } else {
      errors.push_back({ErrorCode::BadInput, pointer_append(observation.pointer, bin), "an observed count is a number that is not negative", "check this bin"});
    }
  }
}

}  // namespace

Result<std::vector<double>> read_observations(const Model& model, const std::string& path) {
  const Result<std::string> text = read_text(path, kMaxDocumentBytes);
  if (!text) return text.errors();
  const Result<Json> document = parse_json(*text);
  if (!document) return in_file(document.errors(), path);
  std::map<std::string, Observation> by_channel;
  Errors errors = collect(*document, by_channel);
  std::vector<double> data(model.data().begin(), model.data().end());
  std::vector<std::string> given;
  for (const auto& [name, observation] : by_channel) given.push_back(name);
  for (const ChannelInfo& channel : model.channels()) {
    if (const auto found = by_channel.find(channel.name); found != by_channel.end()) {
      read_channel(channel, found->second, data, errors);
    } else if (errors.empty()) {
      errors.push_back({ErrorCode::BadInput, "", fmt::format("the channel \"{}\" has no observation", channel.name), did_you_mean(channel.name, given, "add its counts")});
    }
  }
  if (!errors.empty()) return in_file(std::move(errors), path);
  return data;
}

}  // namespace nextstat::cli

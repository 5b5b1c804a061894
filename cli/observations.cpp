#include "observations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/files.h"
#include "base/json_text.h"
#include "base/shorten.h"
#include "base/suggest.h"
#include "input.h"
#include "model/shape_check.h"

namespace nextstat::cli {
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

}  // namespace

std::vector<std::string> channel_names(const Workspace& workspace) {
  std::vector<std::string> names;
  for (const WorkspaceChannel& channel : workspace.channels) names.emplace_back(workspace.name(channel.name));
  return names;
}

Result<std::vector<double>> read_observations(const Model& model, const std::string& path,
                                              std::vector<std::string> others) {
  const Result<std::string> text = read_text(path, kMaxDocumentBytes);
  if (!text) return text.errors();
  const Result<Json> document = parse_json(*text);
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

}  // namespace nextstat::cli

#include <nextstat/documents.h>
#include <nextstat/text.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "base/utf8.h"
#include "model/workspace/document_shape.h"

namespace nextstat {
namespace {

using Names = std::set<std::string>;

const std::string& text_of(const Json& object, const char* key) {
  return object.at(key).get_ref<const std::string&>();
}

// What a workspace has, by kind. Every type counts; pyhf sees one type per name and so refuses to prune a
// type whose names all have another type too.
struct Inventory {
  Names channels, samples, modifiers, modifier_types, measurements;
};

Inventory take_inventory(const Json& workspace) {
  Inventory inventory;
  for (const Json& channel : workspace.at("channels")) {
    inventory.channels.insert(name_of(channel));
    for (const Json& sample : channel.at("samples")) {
      inventory.samples.insert(name_of(sample));
      for (const Json& modifier : sample.at("modifiers")) {
        inventory.modifiers.insert(name_of(modifier));
        inventory.modifier_types.insert(text_of(modifier, "type"));
      }
    }
  }
  for (const Json& measurement : workspace.at("measurements"))
    inventory.measurements.insert(name_of(measurement));
  return inventory;
}

void require_known(Errors& errors, const char* kind, const std::string& name, const Names& known) {
  if (known.contains(name)) return;
  const std::vector<std::string> candidates(known.begin(), known.end());
  errors.push_back({ErrorCode::NotFound, "", std::string("the workspace has no ") + kind + " '" + name + "'",
                    did_you_mean(name, candidates, Listing::Names)});
}

void erase_if(Json& list, auto condition) {
  auto& items = list.get_ref<Json::array_t&>();
  std::erase_if(items, condition);
}

void require_left(Errors& errors, const Json& list, const std::string& what, const std::string& hint) {
  if (list.empty()) errors.push_back({ErrorCode::BadInput, "", "this would remove all of " + what, hint});
}

Errors unknown_names(const PruneRequest& request, const Inventory& inventory) {
  Errors errors;
  for (const auto& name : request.modifier_types) {
    require_known(errors, "modifier of type", name, inventory.modifier_types);
  }
  for (const auto& name : request.modifiers) require_known(errors, "modifier", name, inventory.modifiers);
  for (const auto& name : request.samples) require_known(errors, "sample", name, inventory.samples);
  for (const auto& name : request.channels) require_known(errors, "channel", name, inventory.channels);
  for (const auto& name : request.measurements)
    require_known(errors, "measurement", name, inventory.measurements);
  return errors;
}

Errors faulty_renames(const RenameRequest& request, const Inventory& inventory) {
  Errors errors;
  const auto check = [&](const char* kind, const Renames& renames, const Names& known) {
    for (const auto& [old_name, new_name] : renames) {
      require_known(errors, kind, old_name, known);
      if (is_utf8(new_name)) continue;
      errors.push_back({ErrorCode::BadUsage, "", "the new name of '" + old_name + "' is not valid UTF-8",
                        "give the name in UTF-8"});
    }
  };
  check("modifier", request.modifiers, inventory.modifiers);
  check("sample", request.samples, inventory.samples);
  check("channel", request.channels, inventory.channels);
  check("measurement", request.measurements, inventory.measurements);
  return errors;
}

void apply_renames(Json& list, const Renames& renames) {
  for (Json& item : list) {
    const auto found = renames.find(name_of(item));
    if (found != renames.end()) item["name"] = found->second;
  }
}

void sort_by_name(Json& list) {
  auto& items = list.get_ref<Json::array_t&>();
  std::stable_sort(items.begin(), items.end(),
                   [](const Json& a, const Json& b) { return name_of(a) < name_of(b); });
}

void sort_modifiers(Json& list) {
  auto& items = list.get_ref<Json::array_t&>();
  const auto key = [](const Json& item) { return std::tie(name_of(item), text_of(item, "type")); };
  std::stable_sort(items.begin(), items.end(), [&](const Json& a, const Json& b) { return key(a) < key(b); });
}

// Removes what was asked for from the channels, and records what would be left empty.
void prune_channels(Json& channels, const PruneRequest& request, Errors& errors) {
  const Names dropped_channels(request.channels.begin(), request.channels.end());
  const Names dropped_samples(request.samples.begin(), request.samples.end());
  const Names dropped_modifiers(request.modifiers.begin(), request.modifiers.end());
  const Names dropped_types(request.modifier_types.begin(), request.modifier_types.end());
  erase_if(channels, [&](const Json& channel) { return dropped_channels.contains(name_of(channel)); });
  require_left(errors, channels, "the channels", "keep at least one channel");
  for (Json& channel : channels) {
    erase_if(channel["samples"],
             [&](const Json& sample) { return dropped_samples.contains(name_of(sample)); });
    require_left(errors, channel["samples"], "the samples of channel '" + name_of(channel) + "'",
                 "prune this channel too, or keep one of its samples");
    for (Json& sample : channel["samples"]) {
      erase_if(sample["modifiers"], [&](const Json& modifier) {
        return dropped_modifiers.contains(name_of(modifier)) ||
               dropped_types.contains(text_of(modifier, "type"));
      });
    }
  }
}

void prune_measurements(Json& measurements, const PruneRequest& request, Errors& errors) {
  const Names dropped(request.measurements.begin(), request.measurements.end());
  const Names dropped_modifiers(request.modifiers.begin(), request.modifiers.end());
  erase_if(measurements, [&](const Json& measurement) { return dropped.contains(name_of(measurement)); });
  require_left(errors, measurements, "the measurements", "keep at least one measurement");
  for (Json& measurement : measurements) {
    erase_if(measurement["config"]["parameters"],
             [&](const Json& parameter) { return dropped_modifiers.contains(name_of(parameter)); });
  }
}

}  // namespace

Result<Json> prune(const Json& workspace, const PruneRequest& request) {
  Errors errors = workspace_shape_errors(workspace);
  if (!errors.empty()) return errors;
  errors = unknown_names(request, take_inventory(workspace));
  if (!errors.empty()) return errors;
  Json pruned = workspace;
  prune_channels(pruned["channels"], request, errors);
  prune_measurements(pruned["measurements"], request, errors);
  const Names dropped(request.channels.begin(), request.channels.end());
  erase_if(pruned["observations"],
           [&](const Json& observation) { return dropped.contains(name_of(observation)); });
  if (!errors.empty()) return errors;
  return pruned;
}

Result<Json> rename(const Json& workspace, const RenameRequest& request) {
  Errors errors = workspace_shape_errors(workspace);
  if (errors.empty()) errors = faulty_renames(request, take_inventory(workspace));
  if (!errors.empty()) return errors;
  Json renamed = workspace;
  apply_renames(renamed["channels"], request.channels);
  apply_renames(renamed["observations"], request.channels);
  apply_renames(renamed["measurements"], request.measurements);
  for (Json& channel : renamed["channels"]) {
    apply_renames(channel["samples"], request.samples);
    for (Json& sample : channel["samples"]) apply_renames(sample["modifiers"], request.modifiers);
  }
  for (Json& measurement : renamed["measurements"]) {
    Json& config = measurement["config"];
    apply_renames(config["parameters"], request.modifiers);
    const auto found = request.modifiers.find(text_of(config, "poi"));
    if (found != request.modifiers.end()) config["poi"] = found->second;
  }
  return renamed;
}

Result<Json> sort(const Json& workspace) {
  const Errors errors = workspace_shape_errors(workspace);
  if (!errors.empty()) return errors;
  Json sorted = workspace;
  sort_by_name(sorted["channels"]);
  for (Json& channel : sorted["channels"]) {
    sort_by_name(channel["samples"]);
    for (Json& sample : channel["samples"]) sort_modifiers(sample["modifiers"]);
  }
  sort_by_name(sorted["measurements"]);
  for (Json& measurement : sorted["measurements"]) sort_by_name(measurement["config"]["parameters"]);
  sort_by_name(sorted["observations"]);
  return sorted;
}

const std::vector<std::string>& digest_algorithms() { return hash_algorithms(); }

Result<std::string> digest_of_text(std::string_view text, const std::string& algorithm) {
  TRY(const std::string canonical, canonical_json(text));
  return hash_bytes(canonical, algorithm);
}

Result<std::string> digest(const Json& document, const std::string& algorithm) {
  return hash_bytes(dump_json(document), algorithm);
}

}  // namespace nextstat

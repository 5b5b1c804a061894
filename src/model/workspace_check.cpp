#include "model/workspace_check.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "base/files.h"
#include "base/suggest.h"
#include "model/parameter_collection.h"
#include "model/workspace_reader.h"

namespace nextstat {
namespace {

class Checker {
 public:
  Checker(Workspace& workspace, const Limits& limits, Faults& faults) : workspace_(workspace), limits_(limits), faults_(faults) {}

  void run() {
    unique_names(workspace_.channels, "/channels", "channel");
    unique_names(workspace_.observations, "/observations", "observation");
    unique_names(workspace_.measurements, "/measurements", "measurement");
    for (std::size_t c = 0; c < workspace_.channels.size(); ++c) channel(c);
    observations();
    if (!within_limits()) return;
    parameters();
  }

 private:
  template <class Items>
  void unique_names(const Items& items, const std::string& pointer, const char* what) {
    std::unordered_map<NameId, std::size_t> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].name == kNoName) continue;
      const auto [first, is_new] = seen.emplace(items[i].name, i);
      if (is_new) continue;
      faults_.add(fmt::format("{}/{}/name", pointer, i), fmt::format("the {} \"{}\" stands here a second time, first at {}/{}", what, workspace_.name(items[i].name), pointer, first->second), "rename or remove one of the two");
    }
  }

  void channel(std::size_t c) {
    const WorkspaceChannel& channel = workspace_.channels[c];
    std::unordered_set<NameId> seen;
    std::optional<std::size_t> bins;
    for (std::size_t s = 0; s < channel.samples_count; ++s) {
      const WorkspaceSample& sample = workspace_.samples[channel.samples_begin + s];
      const std::string here = fmt::format("/channels/{}/samples/{}", c, s);
      if (sample.name != kNoName && !seen.insert(sample.name).second) {
        faults_.add(here + "/name", fmt::format("the sample \"{}\" stands twice in channel \"{}\"", workspace_.name(sample.name), workspace_.name(channel.name)), "rename or merge one of the two");
      }
      if (!is_usable(sample.data)) continue;
      if (!bins) bins = sample.data.count;
      if (sample.data.count != *bins) {
        faults_.add(here + "/data", fmt::format("{} bins, the first sample of channel \"{}\" has {}", sample.data.count, workspace_.name(channel.name), *bins), "all samples of a channel need the same binning");
      }
      modifiers(sample, here);
    }
    bins_.push_back(bins);
  }

  void modifiers(const WorkspaceSample& sample, const std::string& sample_pointer) {
    for (std::size_t m = 0; m < sample.modifiers_count; ++m) {
      const WorkspaceModifier& modifier = workspace_.modifiers[sample.modifiers_begin + m];
      if (modifier.kind == kUnknownKind) continue;
      const DataShape shape = modifier_kinds()[modifier.kind].shape;
      const auto check = [&](const NumberRange& range, const char* key) {
        if (!is_usable(range) || range.count == sample.data.count) return;
        faults_.add(fmt::format("{}/modifiers/{}/data{}", sample_pointer, m, key), fmt::format("{} values, the sample \"{}\" has {} bins", range.count, workspace_.name(sample.name), sample.data.count), "give one value per bin");
      };
      if (shape == DataShape::Numbers) check(modifier.first, "");
      if (shape == DataShape::LowHighArrays) {
        check(modifier.first, "/lo_data");
        check(modifier.second, "/hi_data");
      }
    }
  }

  void observations() {
    std::unordered_map<NameId, std::size_t> by_name;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < workspace_.observations.size(); ++i) {
      const WorkspaceObservation& observation = workspace_.observations[i];
      if (observation.name == kNoName) continue;
      by_name.emplace(observation.name, i);
      names.emplace_back(workspace_.name(observation.name));
      if (!is_usable(observation.data)) continue;
      const auto values = workspace_.values(observation.data);
      for (std::size_t b = 0; b < values.size(); ++b) {
        if (values[b] < 0) faults_.add(fmt::format("/observations/{}/data/{}", i, b), fmt::format("an observed count cannot be negative, found {}", values[b]), "check this bin");
      }
    }
    for (std::size_t c = 0; c < workspace_.channels.size(); ++c) {
      const NameId name = workspace_.channels[c].name;
      if (name == kNoName) continue;
      const auto found = by_name.find(name);
      if (found == by_name.end()) {
        faults_.add(fmt::format("/channels/{}/name", c), fmt::format("the channel \"{}\" has no observation", workspace_.name(name)), did_you_mean(workspace_.name(name), names, "add an entry for it to /observations"));
        continue;
      }
      const NumberRange& data = workspace_.observations[found->second].data;
      if (is_usable(data) && bins_[c] && data.count != *bins_[c]) {
        faults_.add(fmt::format("/observations/{}/data", found->second), fmt::format("{} values, the channel \"{}\" has {} bins", data.count, workspace_.name(name), *bins_[c]), "give one value per bin");
      }
      by_name.erase(found);
    }
    for (const WorkspaceObservation& observation : workspace_.observations) {
      if (by_name.contains(observation.name)) workspace_.warnings.push_back(fmt::format("the observation \"{}\" belongs to no channel and is not used", workspace_.name(observation.name)));
    }
  }

  bool within_limits() {
    std::size_t bins = 0, cells = 0;
    std::unordered_set<NameId> samples, modifiers;
    for (std::size_t c = 0; c < workspace_.channels.size(); ++c) {
      bins += bins_[c].value_or(0);
      cells += bins_[c].value_or(0) * workspace_.channels[c].samples_count;
    }
    for (const WorkspaceSample& sample : workspace_.samples) samples.insert(sample.name);
    for (const WorkspaceModifier& modifier : workspace_.modifiers) modifiers.insert(modifier.name);
    const double dense = static_cast<double>(workspace_.channels.size()) * static_cast<double>(samples.size()) * static_cast<double>(modifiers.size()) * static_cast<double>(bins);
    const std::size_t faults_before = faults_.count();
    const auto check = [&](double found, double limit, const char* what) {
      if (found > limit) faults_.add("/channels", fmt::format("{} {}, the limit is {}", found, what, limit), "split the workspace; `nextstat validate --limits` lists the limits", ErrorCode::LimitExceeded);
    };
    check(static_cast<double>(workspace_.channels.size()), static_cast<double>(limits_.channels), "channels");
    check(static_cast<double>(bins), static_cast<double>(limits_.bins), "bins");
    check(static_cast<double>(cells), static_cast<double>(limits_.nominal_cells), "bins summed over samples");
    check(dense, limits_.dense_size, "as channels x samples x modifiers x bins");
    return faults_.count() == faults_before;
  }

  void parameters() {
    const SortedView view(workspace_);
    const ParameterCollection collection = collect_parameters(workspace_, view, faults_);
    if (collection.sets.empty() && faults_.empty()) {
      faults_.add("/channels", "the workspace has no parameters: no sample has a modifier", "add at least one modifier, such as a normfactor");
    }
    if (collection.size > limits_.parameters) {
      faults_.add("/channels", fmt::format("{} parameters, the limit is {}", collection.size, limits_.parameters), "split the workspace; `nextstat validate --limits` lists the limits", ErrorCode::LimitExceeded);
    }
    for (std::size_t m = 0; m < workspace_.measurements.size(); ++m) {
      ParameterCollection copy = collection;
      configure_parameters(workspace_, m, copy, faults_);
      warn_about(workspace_.measurements[m], copy);
    }
  }

  void warn_about(const WorkspaceMeasurement& measurement, const ParameterCollection& collection) {
    const auto warn = [&](std::string text) { workspace_.warnings.push_back(fmt::format("measurement \"{}\": {}", workspace_.name(measurement.name), text)); };
    if (measurement.poi != kNoName && !collection.find(measurement.poi)) {
      warn(fmt::format("the parameter of interest \"{}\" is not in the model (a patch may bring it)", workspace_.name(measurement.poi)));
    }
    for (const ParameterConfig& config : measurement.parameters) {
      const ParameterSet* set = collection.find(config.name);
      if (!set) continue;
      for (std::size_t i = 0; i < set->size(); ++i) {
        if (set->init[i] < set->low[i] || set->init[i] > set->high[i]) warn(fmt::format("the initial value {} of \"{}\" is outside its bounds [{}, {}]", set->init[i], workspace_.name(config.name), set->low[i], set->high[i]));
      }
    }
  }

  Workspace& workspace_;
  const Limits& limits_;
  Faults& faults_;
  std::vector<std::optional<std::size_t>> bins_;  // [channel]
};

Result<Workspace> read_and_check(std::string text, const Limits& limits) {
  if (text.size() > limits.text_bytes) {
    return Error{ErrorCode::LimitExceeded, "", fmt::format("{} bytes, the limit is {}", text.size(), limits.text_bytes), "split the workspace"};
  }
  Workspace workspace;
  Faults faults;
  if (read_workspace(std::move(text), workspace, faults)) check_workspace(workspace, limits, faults);
  if (!faults.empty()) return faults.take();
  return workspace;
}

}  // namespace

void check_workspace(Workspace& workspace, const Limits& limits, Faults& faults) { Checker(workspace, limits, faults).run(); }

Result<Workspace> parse_workspace(std::string_view text, const Limits& limits) { return read_and_check(std::string(text), limits); }

Result<Workspace> load_workspace(const std::string& path, const Limits& limits) {
  Result<std::string> text = read_text(path, limits.text_bytes);
  if (!text) return text.errors();
  Result<Workspace> workspace = read_and_check(std::move(*text), limits);
  if (workspace) return workspace;
  return in_file(workspace.errors(), path);
}

}  // namespace nextstat

// What the numbers and names of a workspace must mean together, beyond the schema; and the ways in.
#include <nextstat/workspace.h>

#include <fmt/format.h>
#include <nextstat/files.h>
#include <nextstat/text.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/try.h"
#include "model/workspace/workspace_reader.h"

namespace nextstat {
namespace {

// Lists every fault; adds warnings to the workspace.
class Checker {
 public:
  Checker(CheckedWorkspace& checked, const Limits& limits, UsableMeasurements check, Faults& faults)
      : checked_(checked), workspace_(checked.workspace), limits_(limits), check_(check), faults_(faults) {}

  void run() {
    unique_names(workspace_.channels, "/channels", "channel");
    unique_names(workspace_.observations, "/observations", "observation");
    unique_names(workspace_.measurements, "/measurements", "measurement");
    sample_in_.resize(workspace_.names.size());
    for (std::size_t c = 0; c < workspace_.channels.size(); ++c) channel(c);
    observations();
    if (within_limits()) parameters();
    if (warnings_ > kMostWarnings) {
      workspace_.warnings.push_back(
          fmt::format("{} more warnings are not listed", warnings_ - kMostWarnings));
    }
  }

 private:
  static constexpr std::size_t kMostWarnings = 100;
  static constexpr std::size_t kMostSuggestions = 20;  // each compares with every name

  std::string name(NameId id) const { return shorten(workspace_.name(id)); }

  void warn(std::string text) {
    if (++warnings_ <= kMostWarnings) workspace_.warnings.push_back(std::move(text));
  }

  template <class Items>
  void unique_names(const Items& items, const std::string& pointer, const char* what) {
    std::unordered_map<NameId, std::size_t> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].name == kNoName) continue;
      const auto [first, is_new] = seen.emplace(items[i].name, i);
      if (is_new) continue;
      faults_.add(fmt::format("{}/{}/name", pointer, i),
                  fmt::format("the {} \"{}\" appears twice, first at {}/{}", what, name(items[i].name),
                              pointer, first->second),
                  "rename or remove one of the two");
    }
  }

  void channel(std::size_t c) {
    const WorkspaceChannel& channel = workspace_.channels[c];
    std::optional<std::size_t> bins;
    for (std::size_t s = 0; s < channel.samples_count; ++s) {
      const WorkspaceSample& sample = workspace_.samples[channel.samples_begin + s];
      const auto here = [&](const char* key) { return fmt::format("/channels/{}/samples/{}/{}", c, s, key); };
      if (sample.name != kNoName && std::exchange(sample_in_[sample.name], c + 1) == c + 1) {
        faults_.add(here("name"),
                    fmt::format("the sample \"{}\" appears twice in channel \"{}\"", name(sample.name),
                                name(channel.name)),
                    "rename one of them, or merge the two");
      }
      if (!is_usable(sample.data)) continue;
      if (!bins) bins = sample.data.count;
      if (sample.data.count != *bins) {
        faults_.add(here("data"),
                    fmt::format("{} bins, the first sample of channel \"{}\" has {}", sample.data.count,
                                name(channel.name), *bins),
                    "all samples of a channel need the same binning");
      }
      modifiers(sample, c, s);
    }
    bins_.push_back(bins);
  }

  void modifiers(const WorkspaceSample& sample, std::size_t c, std::size_t s) {
    const auto kinds = modifier_kinds();
    for (std::size_t m = 0; m < sample.modifiers_count; ++m) {
      const WorkspaceModifier& modifier = workspace_.modifiers[sample.modifiers_begin + m];
      if (modifier.kind == kUnknownKind) continue;
      if (modifier.first.count == sample.data.count && modifier.second.count == sample.data.count) continue;
      const DataShape shape = kinds[modifier.kind].shape;
      const auto check = [&](const NumberRange& range, const char* key) {
        if (!is_usable(range) || range.count == sample.data.count) return;
        faults_.add(modifier_pointer(c, s, m) + "/data" + key,
                    fmt::format("{} values, the sample \"{}\" has {} bins", range.count, name(sample.name),
                                sample.data.count),
                    "give one value per bin");
      };
      if (shape == DataShape::Numbers) check(modifier.first, "");
      if (shape == DataShape::LowHighArrays) {
        check(modifier.first, "/lo_data");
        check(modifier.second, "/hi_data");
      }
    }
  }

  void observations() {
    std::unordered_map<NameId, std::size_t> unused;  // by name, until a channel takes it
    bool all_named = !workspace_.observations.empty();
    for (std::size_t i = 0; i < workspace_.observations.size(); ++i) {
      const WorkspaceObservation& observation = workspace_.observations[i];
      if (observation.name == kNoName) {
        all_named = false;
      } else {
        unused.emplace(observation.name, i);
      }
      counts(observation, i);
    }
    std::vector<std::size_t> channels_without;
    for (std::size_t c = 0; c < workspace_.channels.size(); ++c) {
      if (workspace_.channels[c].name != kNoName && !take_observation(c, unused))
        channels_without.push_back(c);
    }
    if (all_named) no_observation(channels_without, unused);  // else its fault is listed already
    for (const WorkspaceObservation& observation : workspace_.observations) {
      if (!unused.contains(observation.name)) continue;
      warn(fmt::format("the observation \"{}\" belongs to no channel and is not used",
                       name(observation.name)));
    }
  }

  void counts(const WorkspaceObservation& observation, std::size_t i) {
    if (!is_usable(observation.data)) return;
    const auto values = workspace_.values(observation.data);
    for (std::size_t b = 0; b < values.size(); ++b) {
      if (values[b] >= 0) continue;
      faults_.add(fmt::format("/observations/{}/data/{}", i, b),
                  fmt::format("an observed count cannot be negative, found {}", values[b]), "check this bin");
    }
  }

  bool take_observation(std::size_t c, std::unordered_map<NameId, std::size_t>& unused) {
    const NameId channel = workspace_.channels[c].name;
    const auto found = unused.find(channel);
    if (found == unused.end())
      return taken_.contains(channel);  // a second channel of that name is a fault itself
    taken_.insert(channel);
    const NumberRange& data = workspace_.observations[found->second].data;
    if (is_usable(data) && bins_[c] && data.count != *bins_[c]) {
      faults_.add(
          fmt::format("/observations/{}/data", found->second),
          fmt::format("{} values, the channel \"{}\" has {} bins", data.count, name(channel), *bins_[c]),
          "give one value per bin");
    }
    unused.erase(found);
    return true;
  }

  void no_observation(const std::vector<std::size_t>& channels,
                      const std::unordered_map<NameId, std::size_t>& unused) {
    std::vector<std::string> names;
    for (const auto& [id, index] : unused) names.emplace_back(workspace_.name(id));
    for (std::size_t i = 0; i < channels.size(); ++i) {
      const NameId channel = workspace_.channels[channels[i]].name;
      Hint hint = "add an entry for it to /observations";
      if (i < kMostSuggestions) hint = did_you_mean(workspace_.name(channel), names, std::move(hint));
      faults_.add(fmt::format("/channels/{}/name", channels[i]),
                  fmt::format("the channel \"{}\" has no observation", name(channel)), std::move(hint));
    }
  }

  bool within_limits() {
    std::size_t bins = 0, cells = 0, free_factors = 0;
    for (std::size_t c = 0; c < workspace_.channels.size(); ++c) {
      bins += bins_[c].value_or(0);
      cells += bins_[c].value_or(0) * workspace_.channels[c].samples_count;
    }
    for (const WorkspaceSample& sample : workspace_.samples) {
      if (is_usable(sample.data)) free_factors += sample.data.count * modifiers_without_data(sample);
    }
    const std::size_t samples = different_names(workspace_.samples),
                      modifiers = different_names(workspace_.modifiers);
    const auto real = [](std::size_t count) { return static_cast<double>(count); };
    const double channels = real(workspace_.channels.size());
    const bool fits[] = {
        limit(channels, real(limits_.channels), "channels"),
        limit(real(bins), real(limits_.bins), "bins"),
        limit(real(cells), real(limits_.nominal_cells), "bins summed over samples"),
        limit(real(workspace_.numbers.size()), real(limits_.numbers), "numbers"),
        limit(real(free_factors), real(limits_.free_bin_factors), "bins x shapefactors summed over samples"),
        limit(channels * real(samples) * real(modifiers) * real(bins), limits_.dense_size,
              "as channels x samples x modifiers x bins")};
    return std::all_of(std::begin(fits), std::end(fits), [](bool fit) { return fit; });
  }

  template <class Items>
  std::size_t different_names(const Items& items) const {
    std::vector<char> seen(workspace_.names.size() + 1);  // the last: no name
    for (const auto& item : items) seen[std::min<std::size_t>(item.name, workspace_.names.size())] = 1;
    return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), 1));
  }

  bool limit(double found, double most, const char* what) {
    if (found <= most) return true;
    faults_.add("/channels", fmt::format("{} {}, the limit is {}", found, what, most),
                {"split the workspace", Listing::Limits}, ErrorCode::LimitExceeded);
    return false;
  }

  // Modifiers with a parameter per bin that the text does not spell out: a small file could bring any number.
  std::size_t modifiers_without_data(const WorkspaceSample& sample) const {
    const auto kinds = modifier_kinds();
    std::size_t count = 0;
    for (std::size_t m = 0; m < sample.modifiers_count; ++m) {
      const std::uint32_t kind = workspace_.modifiers[sample.modifiers_begin + m].kind;
      if (kind == kUnknownKind || kinds[kind].scalar) continue;
      count += kinds[kind].shape == DataShape::Null ? 1 : 0;
    }
    return count;
  }

  void parameters() {
    checked_.view.emplace(workspace_);
    checked_.collection = collect_parameters(workspace_, *checked_.view, faults_);
    const ParameterCollection& collection = checked_.collection;
    if (collection.sets.empty() && faults_.empty()) {
      faults_.add("/channels", "the workspace has no parameters: no sample has a modifier",
                  "add at least one modifier, such as a normfactor");
    }
    limit(static_cast<double>(collection.size), static_cast<double>(limits_.parameters), "parameters");
    measurements(collection);
  }

  void measurements(const ParameterCollection& collection) {
    Faults found;
    bool any_usable = false;
    for (std::size_t m = 0; m < workspace_.measurements.size(); ++m) {
      const std::size_t before = found.count();
      check_measurement(workspace_, m, collection, found,
                        !faults_.has_under(fmt::format("/measurements/{}", m)));
      warn_about(workspace_.measurements[m], collection);
      any_usable = any_usable || found.count() == before;
    }
    const bool tolerate = check_ == UsableMeasurements::One && any_usable && faults_.empty();
    for (Error& error : found.take()) {
      if (tolerate) {
        warn(fmt::format("{}: {} (this measurement cannot be used)", error.where.inside, error.what));
      } else {
        faults_.add(std::move(error.where.inside), std::move(error.what), std::move(error.hint), error.code);
      }
    }
  }

  void warn_about(const WorkspaceMeasurement& measurement, const ParameterCollection& collection) {
    const auto warn_here = [&](std::string text) {
      warn(fmt::format("measurement \"{}\": {}", name(measurement.name), text));
    };
    if (measurement.poi != kNoName && !collection.find(measurement.poi)) {
      warn_here(fmt::format("the parameter of interest \"{}\" is not in the model (a patch may add it)",
                            name(measurement.poi)));
    }
    for (const ParameterConfig& config : measurement.parameters) {
      const ParameterSet* set = collection.find(config.name);
      if (set && (config.inits || config.bounds)) initial_values(config, *set, warn_here);
    }
  }

  // One warning per parameter set, for its first component that starts outside its bounds.
  template <class Warn>
  void initial_values(const ParameterConfig& config, const ParameterSet& set, const Warn& warn_here) const {
    const auto given = [&](const std::optional<NumberRange>& range, std::size_t count) {
      return range && is_usable(*range) && range->count == count ? workspace_.values(*range)
                                                                 : std::span<const double>();
    };
    const auto inits = given(config.inits, set.size()), bounds = given(config.bounds, 2 * set.size());
    for (std::size_t i = 0; i < std::max(inits.size(), bounds.size() / 2); ++i) {
      const double init = inits.empty() ? set.components[i].init : inits[i];
      const double low = bounds.empty() ? set.components[i].low : bounds[2 * i];
      const double high = bounds.empty() ? set.components[i].high : bounds[2 * i + 1];
      if (init >= low && init <= high) continue;
      return warn_here(fmt::format("the initial value {} of \"{}\" is outside its bounds [{}, {}]", init,
                                   name(config.name), low, high));
    }
  }

  CheckedWorkspace& checked_;
  Workspace& workspace_;
  const Limits& limits_;
  UsableMeasurements check_;
  Faults& faults_;
  std::vector<std::optional<std::size_t>> bins_;  // [channel]
  std::vector<std::size_t> sample_in_;            // [NameId] 1 + the last channel with such a sample
  std::unordered_set<NameId> taken_;              // observations that a channel has
  std::size_t warnings_ = 0;
};

}  // namespace

Result<CheckedWorkspace> read_and_check(std::string_view text, const Limits& limits,
                                        UsableMeasurements measurements) {
  if (text.size() > limits.text_bytes) {
    return Error{ErrorCode::LimitExceeded, "",
                 fmt::format("{} bytes, the limit is {}", text.size(), limits.text_bytes),
                 "split the workspace"};
  }
  CheckedWorkspace checked;
  Faults faults;
  if (read_workspace(text, checked.workspace, faults)) Checker(checked, limits, measurements, faults).run();
  if (!faults.empty()) return faults.take();
  return checked;
}

Result<Workspace> parse_workspace(std::string_view text, const Limits& limits,
                                  UsableMeasurements measurements) {
  TRY(CheckedWorkspace checked, read_and_check(text, limits, measurements));
  return std::move(checked.workspace);
}

Result<Workspace> load_workspace(const std::string& path, const Limits& limits,
                                 UsableMeasurements measurements) {
  TRY(const std::string text, read_text(path, limits.text_bytes));
  Result<Workspace> workspace = parse_workspace(text, limits, measurements);
  if (workspace) return workspace;
  return in_file(workspace.errors(), path);
}

WorkspaceReview review_workspace(const std::string& text, const Limits& limits) {
  WorkspaceReview review;
  CheckedWorkspace checked;
  Faults shape;
  const bool readable = read_workspace(text, checked.workspace, shape);
  if (!shape.empty()) {
    review.errors = shape.take();
    return review;
  }
  if (!readable) throw std::logic_error("review_workspace: not JSON, and no error");
  Faults meaning;
  Checker(checked, limits, UsableMeasurements::All, meaning).run();
  review.n_incomplete = meaning.count();
  if (!meaning.empty()) review.incomplete = meaning.take();
  return review;
}

}  // namespace nextstat

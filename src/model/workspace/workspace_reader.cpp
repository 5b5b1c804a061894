#include "model/workspace/workspace_reader.h"

#include <fmt/format.h>
#include <nextstat/json.h>
#include <nextstat/text.h>

#include <bit>

#include "model/modifiers/modifier_kind.h"
#include "model/workspace/document_shape.h"
#include "model/workspace/value_reader.h"

namespace nextstat {
namespace {

class Reader final : ValueReader {
 public:
  Reader(Workspace& workspace, Faults& faults, std::string_view text) : ValueReader(workspace, faults, text) {
    for (const ModifierKind& kind : kinds_) types_.emplace_back(kind.type, "");
  }

  // False: not JSON, or no object.
  bool read() {
    if (cursor_.kind() != Kind::Object) return false;
    object(Path::root(), kWorkspaceKeys, [&](std::size_t which, const Path& path) {
      if (which == 0) list(path, [&](const Path& here) { channel(here); });
      if (which == 1) list(path, [&](const Path& here) { measurement(here); });
      if (which == 2) list(path, [&](const Path& here) { observation(here); });
      if (which == 3) version(path);
    });
    return !cursor_.failed() && cursor_.at_end();
  }

 private:
  static constexpr Key kWorkspaceKeys[] = {
      {"channels", true}, {"measurements", true}, {"observations", true}, {"version", true}};
  static constexpr Key kChannelKeys[] = {{"name", true}, {"samples", true}};
  static constexpr Key kSampleKeys[] = {{"name", true}, {"data", true}, {"modifiers", true}};
  static constexpr Key kModifierKeys[] = {{"name", true}, {"type", true}, {"data", true}};
  static constexpr Key kLowHighKeys[] = {
      {"lo", false}, {"hi", false}, {"lo_data", false}, {"hi_data", false}};
  static constexpr Key kObservationKeys[] = {{"name", true}, {"data", true}};
  static constexpr Key kMeasurementKeys[] = {{"name", true}, {"config", true}};
  static constexpr Key kConfigKeys[] = {{"poi", true}, {"parameters", true}};
  static constexpr Key kParameterKeys[] = {{"name", true},     {"inits", false},   {"bounds", false},
                                           {"auxdata", false}, {"factors", false}, {"sigmas", false},
                                           {"fixed", false}};

  template <class Handler>
  void list(const Path& path, Handler&& handle, bool may_be_empty = false) {
    array(path, may_be_empty, [&](std::size_t i) { handle(path / i); });
  }

  void version(const Path& path) {
    std::string_view version;
    if (!string(path, version) || version == "1.0.0") return;
    faults_.add(path, fmt::format("unknown workspace version \"{}\"", shorten(version)),
                "this program reads version \"1.0.0\"");
  }

  void channel(const Path& at) {
    WorkspaceChannel channel;
    channel.samples_begin = workspace_.samples.size();
    object(at, kChannelKeys, [&](std::size_t which, const Path& path) {
      if (which == 0) {
        channel.name = text(path);
      } else {
        list(path, [&](const Path& here) { sample(here); });
      }
    });
    channel.samples_count = workspace_.samples.size() - channel.samples_begin;
    workspace_.channels.push_back(channel);
  }

  void sample(const Path& at) {
    WorkspaceSample sample;
    sample.data.count = kBroken;
    sample.modifiers_begin = workspace_.modifiers.size();
    object(at, kSampleKeys, [&](std::size_t which, const Path& path) {
      if (which == 0) sample.name = text(path);
      if (which == 1) sample.data = numbers(path);
      if (which == 2)
        list(
            path, [&](const Path& here) { modifier(here); }, true);
    });
    sample.modifiers_count = workspace_.modifiers.size() - sample.modifiers_begin;
    workspace_.samples.push_back(sample);
  }

  static constexpr DataShape kNoShape{-1};  // no data, or unreadable

  // In its place from the start, and its shape a plain number: copies would wait for the stores before them.
  void modifier(const Path& at) {
    WorkspaceModifier& modifier = workspace_.modifiers.emplace_back();
    modifier.kind = kUnknownKind;
    modifier.first = modifier.second = {0, kBroken};
    DataShape shape = kNoShape;
    object(at, kModifierKeys, [&](std::size_t which, const Path& path) {
      if (which == 0) modifier.name = text(path);
      if (which == 1) modifier.kind = kind(path);
      if (which == 2) shape = modifier_data(path, modifier);
    });
    if (modifier.kind == kUnknownKind) return;
    const ModifierKind& kind = kinds_[modifier.kind];
    if (shape != kind.shape) {
      wrong_shape(kind, shape, at / "data");
      modifier.first = modifier.second = {0, kBroken};  // numbers of another form say nothing about this kind
    } else if (shape == DataShape::Null || shape == DataShape::Numbers) {
      modifier.second = {};  // what a shape does not have is empty, not broken
      if (shape == DataShape::Null) modifier.first = {};
    }
    if (!name_fits(kind, modifier.name, at)) modifier.kind = kUnknownKind;
  }

  bool name_fits(const ModifierKind& kind, NameId id, const Path& modifier) {
    if (kind.required_name.empty() || id == kNoName || workspace_.names[id] == kind.required_name)
      return true;
    faults_.add(modifier / "name",
                fmt::format("a {} modifier must be named \"{}\", found \"{}\"", kind.type, kind.required_name,
                            shorten(workspace_.names[id])),
                fmt::format("rename it to \"{}\"", kind.required_name));
    return false;
  }

  // Most modifiers have the type of the one before.
  std::uint32_t kind(const Path& path) {
    cursor_.skip_spaces();
    if (!cursor_.comes(types_[last_kind_])) return other_kind(path);
    return last_kind_;
  }

  std::uint32_t other_kind(const Path& path) {
    std::string_view type;
    if (!string(path, type)) return kUnknownKind;
    const auto known = std::find_if(kinds_.begin(), kinds_.end(),
                                    [&](const ModifierKind& kind) { return kind.type == type; });
    if (known != kinds_.end()) return last_kind_ = static_cast<std::uint32_t>(known - kinds_.begin());
    if (faults_.full()) {
      faults_.count_one();
      return kUnknownKind;
    }
    std::vector<std::string> types;
    for (const ModifierKind& kind : kinds_) types.emplace_back(kind.type);
    faults_.add(path, fmt::format("unknown modifier type \"{}\"", shorten(type)),
                did_you_mean(type, types, fmt::format("the types are {}", fmt::join(types, ", "))));
    return kUnknownKind;
  }

  // The data of a modifier may stand before its type, so its form is read first and compared afterwards.
  DataShape modifier_data(const Path& at, WorkspaceModifier& modifier) {
    switch (cursor_.kind()) {
      case Kind::Null:
        if (cursor_.null()) return DataShape::Null;
        bad_token(at);
        return kNoShape;
      case Kind::Array:
        modifier.first = numbers(at);
        return DataShape::Numbers;
      case Kind::Object:
        return low_high(at, modifier);
      default:
        refuse(Kind::Object, at);
        return kNoShape;
    }
  }

  DataShape low_high(const Path& at, WorkspaceModifier& modifier) {
    const std::uint32_t keys = object(at, kLowHighKeys, [&](std::size_t which, const Path& path) {
      NumberRange& range = which % 2 == 0 ? modifier.first : modifier.second;
      range = which < 2 ? single(path) : numbers(path);
    });
    DataShape shape = kNoShape;
    const std::uint32_t present = keys & ~kUnknownKey, scalars = keys & 0b0011, arrays = keys & 0b1100;
    if (scalars && !arrays) shape = DataShape::LowHigh;
    if (arrays && !scalars) shape = DataShape::LowHighArrays;
    if (cursor_.failed() || present != keys) return shape;  // what an unknown key was to be is not known
    if (shape == kNoShape) {
      faults_.add(at, R"(expected {"lo", "hi"} or {"lo_data", "hi_data"})",
                  R"(a normsys has "lo" and "hi", a histosys "lo_data" and "hi_data")");
    }
    if (present == 0b0001 || present == 0b0010 || present == 0b0100 || present == 0b1000) {
      const std::size_t missing = std::size_t{static_cast<unsigned>(std::countr_zero(present))} ^ 1u;
      faults_.add(at, fmt::format("the key \"{}\" is missing", kLowHighKeys[missing].name),
                  fmt::format("add \"{}\"", kLowHighKeys[missing].name));
    }
    return shape;
  }

  NumberRange single(const Path& path) {
    if (number(path, workspace_.numbers.emplace_back())) return {workspace_.numbers.size() - 1, 1};
    workspace_.numbers.pop_back();
    return {0, kBroken};
  }

  void wrong_shape(const ModifierKind& kind, DataShape shape, const Path& path) {
    if (shape == kNoShape || cursor_.failed()) return;
    static constexpr const char* kForms[] = {"null", "an array with one number per bin",
                                             R"({"lo": number, "hi": number})",
                                             R"({"lo_data": [...], "hi_data": [...]})"};
    const auto form = [](DataShape which) { return kForms[static_cast<std::size_t>(which)]; };
    faults_.add(
        path, fmt::format("the data of a {} must be {}, found {}", kind.type, form(kind.shape), form(shape)),
        fmt::format("write {} or change the type", form(kind.shape)));
  }

  void observation(const Path& at) {
    WorkspaceObservation observation;
    observation.data.count = kBroken;
    object(at, kObservationKeys, [&](std::size_t which, const Path& path) {
      if (which == 0) observation.name = text(path);
      if (which == 1) observation.data = numbers(path);
    });
    workspace_.observations.push_back(observation);
  }

  void measurement(const Path& at) {
    WorkspaceMeasurement measurement;
    object(at, kMeasurementKeys, [&](std::size_t which, const Path& path) {
      if (which == 0) measurement.name = text(path);
      if (which == 1) config(path, measurement);
    });
    workspace_.measurements.push_back(std::move(measurement));
  }

  void config(const Path& at, WorkspaceMeasurement& measurement) {
    object(at, kConfigKeys, [&](std::size_t which, const Path& path) {
      if (which == 0) {
        measurement.poi = text(path);
        if (workspace_.name(measurement.poi).empty()) measurement.poi = kNoName;
      } else {
        list(
            path, [&](const Path& here) { measurement.parameters.push_back(parameter(here)); }, true);
      }
    });
  }

  ParameterConfig parameter(const Path& at) {
    ParameterConfig config;
    object(at, kParameterKeys, [&](std::size_t which, const Path& path) {
      bool fixed = false;
      if (which == 0) config.name = text(path);
      if (which == 1) config.inits = numbers(path);
      if (which == 2) config.bounds = pairs(path);
      if (which == 3) config.auxdata = numbers(path);
      if (which == 4) config.factors = numbers(path);
      if (which == 5) config.sigmas = numbers(path);
      if (which == 6 && boolean(path, fixed)) config.fixed = fixed;
    });
    return config;
  }

  const std::span<const ModifierKind> kinds_ = modifier_kinds();
  std::vector<QuotedWord> types_;  // [kind]
  std::uint32_t last_kind_ = 0;
};

// The tree parser is slower and knows where a text breaks.
void explain(std::string_view text, Faults& faults) {
  const Result<Json> parsed = parse_json(text);
  if (parsed) {
    faults.add("", fmt::format("a workspace must be an object, found {}", kind_of(*parsed)),
               "write an object with the keys channels, measurements, observations, version");
    return;
  }
  for (const Error& error : parsed.errors()) {
    if (!faults.has(error.where.inside)) faults.add(error.where.inside, error.what, error.hint, error.code);
  }
}

}  // namespace

bool read_workspace(std::string_view text, Workspace& workspace, Faults& faults) {
  if (Reader(workspace, faults, text).read()) return true;
  explain(text, faults);
  return false;
}

}  // namespace nextstat

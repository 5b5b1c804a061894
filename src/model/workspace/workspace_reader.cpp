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
  Reader(Workspace& workspace, Faults& faults, std::string_view text)
      : ValueReader(workspace, faults, text) {}

  // False: a syntax error.
  bool read(simdjson::ondemand::document& document) {
    Type type;
    Value value;
    if (document.type().get(type)) return false;
    if (type != Type::object) return false;
    if (document.get_value().get(value)) return false;
    const Path root = Path::root();
    object(value, root, kWorkspaceKeys, [&](std::size_t which, Value child, const Path& path) {
      if (which == 0) list(child, path, [&](Value item, const Path& here) { channel(item, here); });
      if (which == 1) list(child, path, [&](Value item, const Path& here) { measurement(item, here); });
      if (which == 2) list(child, path, [&](Value item, const Path& here) { observation(item, here); });
      if (which == 3) version(child, path);
    });
    const char* rest = nullptr;
    if (!broken_ && !document.current_location().get(rest)) broken_ = true;  // text after the closing brace
    return !broken_;
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
  void list(Value value, const Path& path, Handler&& handle, bool may_be_empty = false) {
    array(value, path, may_be_empty, [&](std::size_t i, Value item) { handle(item, path / i); });
  }

  void version(Value value, const Path& path) {
    std::string_view version;
    if (!string(value, path, version) || version == "1.0.0") return;
    faults_.add(path, fmt::format("unknown workspace version \"{}\"", shorten(version)),
                "this program reads version \"1.0.0\"");
  }

  void channel(Value value, const Path& at) {
    WorkspaceChannel channel;
    channel.samples_begin = workspace_.samples.size();
    object(value, at, kChannelKeys, [&](std::size_t which, Value child, const Path& path) {
      if (which == 0) {
        channel.name = text(child, path);
      } else {
        list(child, path, [&](Value item, const Path& here) { sample(item, here); });
      }
    });
    channel.samples_count = workspace_.samples.size() - channel.samples_begin;
    workspace_.channels.push_back(channel);
  }

  void sample(Value value, const Path& at) {
    WorkspaceSample sample;
    sample.data.count = kBroken;
    sample.modifiers_begin = workspace_.modifiers.size();
    object(value, at, kSampleKeys, [&](std::size_t which, Value child, const Path& path) {
      if (which == 0) sample.name = text(child, path);
      if (which == 1) sample.data = numbers(child, path);
      if (which == 2)
        list(
            child, path, [&](Value item, const Path& here) { modifier(item, here); }, true);
    });
    sample.modifiers_count = workspace_.modifiers.size() - sample.modifiers_begin;
    workspace_.samples.push_back(sample);
  }

  struct ModifierData {
    std::optional<DataShape> shape;  // empty: no data, or unreadable
    NumberRange first{0, kBroken}, second{0, kBroken};
  };

  void modifier(Value value, const Path& at) {
    WorkspaceModifier modifier;
    modifier.kind = kUnknownKind;
    ModifierData data;
    object(value, at, kModifierKeys, [&](std::size_t which, Value child, const Path& path) {
      if (which == 0) modifier.name = text(child, path);
      if (which == 1) modifier.kind = kind(child, path);
      if (which == 2) data = modifier_data(child, path);
    });
    if (modifier.kind != kUnknownKind) {
      const ModifierKind& kind = modifier_kinds()[modifier.kind];
      check_shape(kind, data, at / "data");
      if (data.shape == kind.shape) {
        no_numbers_expected(data);
      } else {
        data.first = data.second = {0, kBroken};  // numbers of another form say nothing about this kind
      }
      if (!name_fits(kind, modifier.name, at / "name")) modifier.kind = kUnknownKind;
    }
    modifier.first = data.first;
    modifier.second = data.second;
    workspace_.modifiers.push_back(modifier);
  }

  // What a shape does not have is empty, not broken.
  static void no_numbers_expected(ModifierData& data) {
    if (data.shape == DataShape::Null) data.first = {};
    if (data.shape == DataShape::Null || data.shape == DataShape::Numbers) data.second = {};
  }

  bool name_fits(const ModifierKind& kind, NameId id, const Path& path) {
    if (kind.required_name.empty() || id == kNoName || workspace_.names[id] == kind.required_name)
      return true;
    faults_.add(path,
                fmt::format("a {} modifier must be named \"{}\", found \"{}\"", kind.type, kind.required_name,
                            shorten(workspace_.names[id])),
                fmt::format("rename it to \"{}\"", kind.required_name));
    return false;
  }

  std::uint32_t kind(Value value, const Path& path) {
    std::string_view type;
    if (!string(value, path, type)) return kUnknownKind;
    const auto kinds = modifier_kinds();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (kinds[k].type == type) return static_cast<std::uint32_t>(k);
    }
    if (faults_.full()) {
      faults_.count_one();
      return kUnknownKind;
    }
    std::vector<std::string> types;
    for (const ModifierKind& known : kinds) types.emplace_back(known.type);
    faults_.add(path, fmt::format("unknown modifier type \"{}\"", shorten(type)),
                did_you_mean(type, types, fmt::format("the types are {}", fmt::join(types, ", "))));
    return kUnknownKind;
  }

  // The data of a modifier may stand before its type, so its form is read first and compared afterwards.
  ModifierData modifier_data(Value value, const Path& at) {
    ModifierData data;
    Type type;
    if (value.type().get(type)) {
      bad_token(value, at);
    } else if (type == Type::null) {
      bool null = false;
      if (value.is_null().get(null) || !null) {
        bad_token(value, at);
      } else {
        data.shape = DataShape::Null;
      }
    } else if (type == Type::array) {
      data.first = numbers(value, at);
      data.shape = DataShape::Numbers;
    } else if (expect(value, Type::object, at)) {
      low_high(value, at, data);
    }
    return data;
  }

  void low_high(Value value, const Path& at, ModifierData& data) {
    const std::uint32_t keys =
        object(value, at, kLowHighKeys, [&](std::size_t which, Value child, const Path& path) {
          NumberRange& range = which % 2 == 0 ? data.first : data.second;
          range = which < 2 ? single(child, path) : numbers(child, path);
        });
    const std::uint32_t present = keys & ~kUnknownKey, scalars = keys & 0b0011, arrays = keys & 0b1100;
    if (scalars && !arrays) data.shape = DataShape::LowHigh;
    if (arrays && !scalars) data.shape = DataShape::LowHighArrays;
    if (broken_ || present != keys) return;  // what an unknown key was to be is not known
    if (!data.shape) {
      faults_.add(at, R"(expected {"lo", "hi"} or {"lo_data", "hi_data"})",
                  R"(a normsys has "lo" and "hi", a histosys "lo_data" and "hi_data")");
    }
    if (present == 0b0001 || present == 0b0010 || present == 0b0100 || present == 0b1000) {
      const std::size_t missing = std::size_t{static_cast<unsigned>(std::countr_zero(present))} ^ 1u;
      faults_.add(at, fmt::format("the key \"{}\" is missing", kLowHighKeys[missing].name),
                  fmt::format("add \"{}\"", kLowHighKeys[missing].name));
    }
  }

  NumberRange single(Value value, const Path& path) {
    double x = 0;
    if (!number(value, path, x)) return {0, kBroken};
    workspace_.numbers.push_back(x);
    return {workspace_.numbers.size() - 1, 1};
  }

  void check_shape(const ModifierKind& kind, const ModifierData& data, const Path& path) {
    if (!data.shape || *data.shape == kind.shape || broken_) return;
    static constexpr const char* kForms[] = {"null", "an array with one number per bin",
                                             R"({"lo": number, "hi": number})",
                                             R"({"lo_data": [...], "hi_data": [...]})"};
    const auto form = [](DataShape shape) { return kForms[static_cast<std::size_t>(shape)]; };
    faults_.add(
        path,
        fmt::format("the data of a {} must be {}, found {}", kind.type, form(kind.shape), form(*data.shape)),
        fmt::format("write {} or change the type", form(kind.shape)));
  }

  void observation(Value value, const Path& at) {
    WorkspaceObservation observation;
    observation.data.count = kBroken;
    object(value, at, kObservationKeys, [&](std::size_t which, Value child, const Path& path) {
      if (which == 0) observation.name = text(child, path);
      if (which == 1) observation.data = numbers(child, path);
    });
    workspace_.observations.push_back(observation);
  }

  void measurement(Value value, const Path& at) {
    WorkspaceMeasurement measurement;
    object(value, at, kMeasurementKeys, [&](std::size_t which, Value child, const Path& path) {
      if (which == 0) measurement.name = text(child, path);
      if (which == 1) config(child, path, measurement);
    });
    workspace_.measurements.push_back(std::move(measurement));
  }

  void config(Value value, const Path& at, WorkspaceMeasurement& measurement) {
    object(value, at, kConfigKeys, [&](std::size_t which, Value child, const Path& path) {
      if (which == 0) {
        measurement.poi = text(child, path);
        if (workspace_.name(measurement.poi).empty()) measurement.poi = kNoName;
      } else {
        list(
            child, path,
            [&](Value item, const Path& here) { measurement.parameters.push_back(parameter(item, here)); },
            true);
      }
    });
  }

  ParameterConfig parameter(Value value, const Path& at) {
    ParameterConfig config;
    object(value, at, kParameterKeys, [&](std::size_t which, Value child, const Path& path) {
      bool fixed = false;
      if (which == 0) config.name = text(child, path);
      if (which == 1) config.inits = numbers(child, path);
      if (which == 2) config.bounds = pairs(child, path);
      if (which == 3) config.auxdata = numbers(child, path);
      if (which == 4) config.factors = numbers(child, path);
      if (which == 5) config.sigmas = numbers(child, path);
      if (which == 6 && boolean(child, path, fixed)) config.fixed = fixed;
    });
    return config;
  }
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

bool read_workspace(std::string text, Workspace& workspace, Faults& faults) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  const simdjson::padded_string_view padded(text.data(), text.size(), text.capacity());
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  if (!parser.iterate(padded).get(document) && Reader(workspace, faults, text).read(document)) return true;
  explain(text, faults);
  return false;
}

}  // namespace nextstat

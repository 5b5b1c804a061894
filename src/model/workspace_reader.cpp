#include "model/workspace_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <unordered_map>

#include "base/json_text.h"
#include "base/suggest.h"
#include "model/modifier_kind.h"

namespace nextstat {
namespace {

namespace ondemand = simdjson::ondemand;
using ondemand::json_type;

struct Key {
  std::string_view name;
  bool required;
};

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

std::string describe(json_type type) {
  switch (type) {
    case json_type::array: return "an array";
    case json_type::object: return "an object";
    case json_type::number: return "a number";
    case json_type::string: return "a string";
    case json_type::boolean: return "a boolean";
    case json_type::null: return "null";
  }
  return "something else";
}

std::string trimmed_token(std::string_view token) {
  std::size_t length = token.find_first_of(" \t\r\n,]}");
  token = token.substr(0, length);
  return token.size() > 40 ? std::string(token.substr(0, 37)) + "..." : std::string(token);
}

class Reader {
 public:
  Reader(Workspace& workspace, Faults& faults) : workspace_(workspace), faults_(faults) {}

  // False: a syntax error.
  bool read(ondemand::document& document) {
    json_type type;
    if (document.type().get(type)) return false;
    const Path root = Path::root();
    if (type != json_type::object) {
      faults_.add(root, "a workspace is an object, found " + describe(type),
                  R"(it needs the keys "channels", "measurements", "observations", "version")");
      return true;
    }
    ondemand::value value;
    if (document.get_value().get(value)) return false;
    workspace_body(value, root);
    const char* rest = nullptr;
    if (!broken_ && !document.current_location().get(rest)) broken_ = true;  // text after the closing brace
    return !broken_;
  }

 private:
  static constexpr std::array<Key, 4> kWorkspaceKeys{{{"channels", true}, {"measurements", true}, {"observations", true}, {"version", true}}};
  static constexpr std::array<Key, 2> kChannelKeys{{{"name", true}, {"samples", true}}};
  static constexpr std::array<Key, 3> kSampleKeys{{{"name", true}, {"data", true}, {"modifiers", true}}};
  static constexpr std::array<Key, 3> kModifierKeys{{{"name", true}, {"type", true}, {"data", true}}};
  static constexpr std::array<Key, 4> kModifierDataKeys{{{"lo", false}, {"hi", false}, {"lo_data", false}, {"hi_data", false}}};
  static constexpr std::array<Key, 2> kObservationKeys{{{"name", true}, {"data", true}}};
  static constexpr std::array<Key, 2> kMeasurementKeys{{{"name", true}, {"config", true}}};
  static constexpr std::array<Key, 2> kConfigKeys{{{"poi", true}, {"parameters", true}}};
  static constexpr std::array<Key, 7> kParameterKeys{{{"name", true}, {"inits", false}, {"bounds", false}, {"auxdata", false}, {"factors", false}, {"sigmas", false}, {"fixed", false}}};

  // --- values of one type -------------------------------------------------------------------------------------------

  bool expect(ondemand::value& value, json_type wanted, const Path& path) {
    json_type type;
    if (value.type().get(type)) {
      bad_token(value, path, "expected " + describe(wanted));
      return false;
    }
    if (type == wanted) return true;
    std::string found = describe(type);
    if (type == json_type::number || type == json_type::string) found += " " + trimmed_token(value.raw_json_token());
    faults_.add(path, fmt::format("expected {}, found {}", describe(wanted), found), "see the workspace schema 1.0.0");
    return false;
  }

  void bad_token(ondemand::value& value, const Path& path, const std::string& expected) {
    const std::string token = trimmed_token(value.raw_json_token());
    if (token.empty()) {
      broken_ = true;
      return;
    }
    const bool not_finite = token.find("nan") != token.npos || token.find("NaN") != token.npos || token.find("nf") != token.npos;
    faults_.add(path, fmt::format("{}, found {}", expected, token),
                not_finite ? "JSON has no NaN or Infinity: write a finite number" : "write a plain JSON value here");
  }

  bool number(ondemand::value value, const Path& path, double& result) {
    if (!value.get_double().get(result)) return true;
    if (!expect(value, json_type::number, path)) return false;
    bad_token(value, path, "expected a number between -1.8e308 and 1.8e308");
    return false;
  }

  NameId text(ondemand::value value, const Path& path) {
    std::string_view result;
    if (!expect(value, json_type::string, path)) return kNoName;
    if (value.get_string().get(result)) {
      broken_ = true;
      return kNoName;
    }
    return intern(result);
  }

  NameId intern(std::string_view name) {
    if (auto found = ids_.find(name); found != ids_.end()) return found->second;
    const NameId id = static_cast<NameId>(workspace_.names.size());
    workspace_.names.emplace_back(name);
    ids_.emplace(name, id);
    return id;
  }

  // --- containers ---------------------------------------------------------------------------------------------------

  template <std::size_t N, class Handler>
  void object(ondemand::value value, const Path& path, const std::array<Key, N>& keys, Handler&& handle) {
    ondemand::object fields;
    if (!expect(value, json_type::object, path)) return;
    if (value.get_object().get(fields)) {
      broken_ = true;
      return;
    }
    std::uint32_t seen = 0;
    for (auto field : fields) {
      std::string_view key;
      ondemand::value child;
      if (field.unescaped_key().get(key) || field.value().get(child)) broken_ = true;
      if (broken_) return;
      std::size_t which = 0;
      while (which < N && keys[which].name != key) ++which;
      if (which == N) {
        unknown_key(path / key, key, keys);
      } else if (seen & (1u << which)) {
        faults_.add(path / key, fmt::format("the key \"{}\" stands here twice", key), "keep one of the two");
      } else {
        seen |= 1u << which;
        handle(which, child, path / key);
      }
      if (broken_) return;
    }
    for (std::size_t which = 0; which < N; ++which) {
      if (keys[which].required && !(seen & (1u << which))) {
        faults_.add(path, fmt::format("the key \"{}\" is missing", keys[which].name), fmt::format("add \"{}\"", keys[which].name));
      }
    }
  }

  template <std::size_t N>
  void unknown_key(const Path& path, std::string_view key, const std::array<Key, N>& keys) {
    std::vector<std::string> names;
    std::string list;
    for (const Key& known : keys) {
      names.emplace_back(known.name);
      list += (list.empty() ? "\"" : ", \"") + names.back() + "\"";
    }
    faults_.add(path, fmt::format("unknown key \"{}\"", key), did_you_mean(key, names, "allowed here: " + list));
  }

  template <class Handler>
  std::size_t array(ondemand::value value, const Path& path, bool may_be_empty, Handler&& handle) {
    ondemand::array items;
    if (!expect(value, json_type::array, path)) return 0;
    if (value.get_array().get(items)) {
      broken_ = true;
      return 0;
    }
    std::size_t index = 0;
    for (auto item : items) {
      ondemand::value child;
      if (std::move(item).get(child)) broken_ = true;
      if (broken_) return index;
      handle(index, child);
      if (broken_) return index;
      ++index;
    }
    if (index == 0 && !may_be_empty) faults_.add(path, "this array is empty", "it needs at least one entry");
    return index;
  }

  NumberRange numbers(ondemand::value value, const Path& path) {
    NumberRange range{workspace_.numbers.size(), 0};
    bool usable = true;
    const std::size_t count = array(value, path, false, [&](std::size_t index, ondemand::value item) {
      double x = 0;
      if (!item.get_double().get(x)) {
        workspace_.numbers.push_back(x);
        return;
      }
      usable = number(item, path / index, x) && usable;
    });
    range.count = usable && count > 0 ? count : kBroken;
    return range;
  }

  NumberRange pairs(ondemand::value value, const Path& path) {
    NumberRange range{workspace_.numbers.size(), 0};
    bool usable = true;
    const std::size_t count = array(value, path, false, [&](std::size_t index, ondemand::value item) {
      const Path here = path / index;
      const NumberRange pair = numbers(item, here);
      if (is_usable(pair) && pair.count != 2) {
        faults_.add(here, fmt::format("a bound is [low, high], found {} numbers", pair.count), "write two numbers");
      }
      usable = usable && pair.count == 2;
    });
    range.count = usable && count > 0 ? 2 * count : kBroken;
    return range;
  }

  // --- the workspace, level by level --------------------------------------------------------------------------------

  void workspace_body(ondemand::value value, const Path& root) {
    object(value, root, kWorkspaceKeys, [&](std::size_t which, ondemand::value child, const Path& path) {
      switch (which) {
        case 0: array(child, path, false, [&](std::size_t i, ondemand::value item) { channel(item, path / i); }); break;
        case 1: array(child, path, false, [&](std::size_t i, ondemand::value item) { measurement(item, path / i); }); break;
        case 2: array(child, path, false, [&](std::size_t i, ondemand::value item) { observation(item, path / i); }); break;
        default: version(child, path);
      }
    });
  }

  void version(ondemand::value value, const Path& path) {
    const NameId id = text(value, path);
    if (id != kNoName && workspace_.names[id] != "1.0.0") {
      faults_.add(path, fmt::format("unknown workspace version \"{}\"", workspace_.names[id]), "this program reads version \"1.0.0\"");
    }
  }

  void channel(ondemand::value value, const Path& at) {
    WorkspaceChannel channel;
    channel.samples_begin = workspace_.samples.size();
    object(value, at, kChannelKeys, [&](std::size_t which, ondemand::value child, const Path& path) {
      if (which == 0) {
        channel.name = text(child, path);
      } else {
        array(child, path, false, [&](std::size_t i, ondemand::value item) { sample(item, path / i); });
      }
    });
    channel.samples_count = workspace_.samples.size() - channel.samples_begin;
    workspace_.channels.push_back(channel);
  }

  void sample(ondemand::value value, const Path& at) {
    WorkspaceSample sample;
    sample.data.count = kBroken;
    sample.modifiers_begin = workspace_.modifiers.size();
    object(value, at, kSampleKeys, [&](std::size_t which, ondemand::value child, const Path& path) {
      switch (which) {
        case 0: sample.name = text(child, path); break;
        case 1: sample.data = numbers(child, path); break;
        default: array(child, path, true, [&](std::size_t i, ondemand::value item) { modifier(item, path / i); });
      }
    });
    sample.modifiers_count = workspace_.modifiers.size() - sample.modifiers_begin;
    workspace_.samples.push_back(sample);
  }

  struct ModifierData {
    std::optional<DataShape> shape;  // empty: no data, or unreadable
    NumberRange first{0, kBroken}, second{0, kBroken};
  };

  void modifier(ondemand::value value, const Path& at) {
    WorkspaceModifier modifier;
    modifier.kind = kUnknownKind;
    ModifierData data;
    object(value, at, kModifierKeys, [&](std::size_t which, ondemand::value child, const Path& path) {
      switch (which) {
        case 0: modifier.name = text(child, path); break;
        case 1: modifier.kind = kind(child, path); break;
        default: data = modifier_data(child, path);
      }
    });
    if (modifier.kind != kUnknownKind) {
      const ModifierKind& kind = modifier_kinds()[modifier.kind];
      check_shape(kind, data, at / "data");
      if (!kind.required_name.empty() && modifier.name != kNoName && workspace_.names[modifier.name] != kind.required_name) {
        faults_.add(at / "name", fmt::format("a {} modifier is called \"{}\", found \"{}\"", kind.type, kind.required_name, workspace_.names[modifier.name]),
                    fmt::format("rename it to \"{}\"", kind.required_name));
      }
    }
    modifier.first = data.first;
    modifier.second = data.second;
    workspace_.modifiers.push_back(modifier);
  }

  std::uint32_t kind(ondemand::value value, const Path& path) {
    std::string_view type;
    if (!expect(value, json_type::string, path)) return kUnknownKind;
    if (value.get_string().get(type)) {
      broken_ = true;
      return kUnknownKind;
    }
    const auto kinds = modifier_kinds();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (kinds[k].type == type) return static_cast<std::uint32_t>(k);
    }
    std::vector<std::string> types;
    std::string list;
    for (const ModifierKind& known : kinds) {
      types.emplace_back(known.type);
      list += (list.empty() ? "" : ", ") + types.back();
    }
    faults_.add(path, fmt::format("unknown modifier type \"{}\"", type), did_you_mean(type, types, "the types are " + list));
    return kUnknownKind;
  }

  // The data of a modifier may stand before its type, so its form is read first and compared afterwards.
  ModifierData modifier_data(ondemand::value value, const Path& at) {
    ModifierData data;
    json_type type;
    if (value.type().get(type)) {
      bad_token(value, at, "expected the data of a modifier");
      return data;
    }
    if (type == json_type::null) {
      bool null = false;
      if (value.is_null().get(null) || !null) {
        bad_token(value, at, "expected null");
      } else {
        data.shape = DataShape::Null;
      }
    } else if (type == json_type::array) {
      data.first = numbers(value, at);
      data.shape = DataShape::Numbers;
    } else if (type == json_type::object) {
      low_high(value, at, data);
    } else {
      expect(value, json_type::object, at);
    }
    return data;
  }

  void low_high(ondemand::value value, const Path& at, ModifierData& data) {
    std::uint32_t present = 0;
    object(value, at, kModifierDataKeys, [&](std::size_t which, ondemand::value child, const Path& path) {
      NumberRange range;
      if (which < 2) {
        double x = 0;
        range = {workspace_.numbers.size(), 1};
        if (number(child, path, x)) {
          workspace_.numbers.push_back(x);
        } else {
          range.count = kBroken;
        }
      } else {
        range = numbers(child, path);
      }
      (which % 2 == 0 ? data.first : data.second) = range;
      present |= 1u << which;
    });
    if (present == 0b0011) data.shape = DataShape::LowHigh;
    if (present == 0b1100) data.shape = DataShape::LowHighArrays;
    if (!data.shape && !broken_) {
      faults_.add(at, R"(expected {"lo", "hi"} or {"lo_data", "hi_data"})", R"(normsys has "lo" and "hi", histosys "lo_data" and "hi_data")");
    }
  }

  void check_shape(const ModifierKind& kind, const ModifierData& data, const Path& path) {
    if (!data.shape || *data.shape == kind.shape || broken_) return;
    static constexpr std::array<const char*, 4> kForms{"null", "an array with one number per bin", R"({"lo": number, "hi": number})",
                                                       R"({"lo_data": [...], "hi_data": [...]})"};
    const auto form = [](DataShape shape) { return kForms[static_cast<std::size_t>(shape)]; };
    faults_.add(path, fmt::format("the data of a {} is {}, found {}", kind.type, form(kind.shape), form(*data.shape)),
                fmt::format("write {} or change the type", form(kind.shape)));
  }

  void observation(ondemand::value value, const Path& at) {
    WorkspaceObservation observation;
    observation.data.count = kBroken;
    object(value, at, kObservationKeys, [&](std::size_t which, ondemand::value child, const Path& path) {
      if (which == 0) {
        observation.name = text(child, path);
      } else {
        observation.data = numbers(child, path);
      }
    });
    workspace_.observations.push_back(observation);
  }

  void measurement(ondemand::value value, const Path& at) {
    WorkspaceMeasurement measurement;
    object(value, at, kMeasurementKeys, [&](std::size_t which, ondemand::value child, const Path& path) {
      if (which == 0) {
        measurement.name = text(child, path);
        return;
      }
      object(child, path, kConfigKeys, [&](std::size_t key, ondemand::value entry, const Path& here) {
        if (key == 0) {
          measurement.poi = text(entry, here);
          if (measurement.poi != kNoName && workspace_.names[measurement.poi].empty()) measurement.poi = kNoName;
        } else {
          array(entry, here, true, [&](std::size_t i, ondemand::value item) { measurement.parameters.push_back(parameter(item, here / i)); });
        }
      });
    });
    workspace_.measurements.push_back(std::move(measurement));
  }

  ParameterConfig parameter(ondemand::value value, const Path& at) {
    ParameterConfig config;
    object(value, at, kParameterKeys, [&](std::size_t which, ondemand::value child, const Path& path) {
      switch (which) {
        case 0: config.name = text(child, path); break;
        case 1: config.inits = numbers(child, path); break;
        case 2: config.bounds = pairs(child, path); break;
        case 3: config.auxdata = numbers(child, path); break;
        case 4: config.factors = numbers(child, path); break;
        case 5: config.sigmas = numbers(child, path); break;
        default: {
          bool fixed = false;
          if (!expect(child, json_type::boolean, path)) break;
          if (child.get_bool().get(fixed)) bad_token(child, path, "expected true or false");
          config.fixed = fixed;
        }
      }
    });
    return config;
  }

  Workspace& workspace_;
  Faults& faults_;
  bool broken_ = false;  // the text is not JSON from here on
  std::unordered_map<std::string, NameId, NameHash, std::equal_to<>> ids_;
};

}  // namespace

bool read_workspace(std::string text, Workspace& workspace, Faults& faults) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  const simdjson::padded_string_view padded(text.data(), text.size(), text.capacity());
  ondemand::parser parser;
  ondemand::document document;
  bool read = false;
  if (!parser.iterate(padded).get(document)) read = Reader(workspace, faults).read(document);
  if (read) return true;
  // The tree parser is slower and knows where the text breaks.
  const Result<Json> parsed = parse_json(text);
  if (parsed) {
    faults.add("", "the text is not a JSON document", "check it with a JSON checker");
  } else {
    for (const Error& error : parsed.errors()) faults.add(error.where, error.what, error.hint);
  }
  return false;
}

}  // namespace nextstat

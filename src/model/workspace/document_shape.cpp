#include "model/workspace/document_shape.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include <algorithm>
#include <utility>

namespace nextstat {

std::string kind_of(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string())
    return fmt::format("the string \"{}\"", shorten(value.get_ref<const std::string&>(), 40));
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return "the number " + dump_json(value);
  return "null";
}

void ShapeCheck::fault(const std::string& pointer, std::string what, Hint hint) {
  faults_.add(pointer, std::move(what), std::move(hint));
}

bool ShapeCheck::is(const JsonPlace& place, bool right_type, const char* wanted) {
  if (!right_type) {
    fault(place.pointer, std::string("expected ") + wanted + ", found " + kind_of(place.value),
          std::string("write ") + wanted + " here");
  }
  return right_type;
}

bool ShapeCheck::string(const JsonPlace& place) { return is(place, place.value.is_string(), "a string"); }

bool ShapeCheck::array(const JsonPlace& place, std::size_t least) {
  if (!is(place, place.value.is_array(), "an array")) return false;
  if (place.value.size() >= least) return true;
  fault(place.pointer, "this array is empty", "it needs at least one entry");
  return false;
}

bool ShapeCheck::object(const JsonPlace& place, const Keys& keys) {
  if (!is(place, place.value.is_object(), "an object")) return false;
  const auto only_count = [&] {
    if (faults_.full()) faults_.count_one();
    return faults_.full();
  };
  for (const std::string& key : keys.required) {
    if (place.value.contains(key) || only_count()) continue;
    fault(place.pointer, "the key \"" + key + "\" is missing", "add \"" + key + "\"");
  }
  if (keys.others_allowed) return true;
  const auto lists = [](const std::vector<std::string>& names, const std::string& key) {
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  for (const auto& [key, value] : place.value.items()) {
    if (lists(keys.required, key) || lists(keys.optional, key) || only_count()) continue;
    std::vector<std::string> known = keys.required;
    known.insert(known.end(), keys.optional.begin(), keys.optional.end());
    fault(pointer_append(place.pointer, key), fmt::format("unknown key \"{}\"", shorten(key)),
          did_you_mean(key, known, "remove it"));
  }
  return true;
}

void ShapeCheck::member(const JsonPlace& object, const std::string& key, const Visit& visit) {
  const auto found = object.value.find(key);
  if (found != object.value.end()) visit({*found, pointer_append(object.pointer, key)});
}

void ShapeCheck::each(const JsonPlace& place, std::size_t least, const Visit& visit) {
  if (!array(place, least)) return;
  for (std::size_t i = 0; i < place.value.size(); ++i)
    visit({place.value[i], pointer_append(place.pointer, i)});
}

namespace {

const Keys kSampleKeys{.required = {"name", "data", "modifiers"}};
const Keys kModifierKeys{.required = {"name", "type", "data"}};
const Keys kChannelKeys{.required = {"name", "samples"}};
const Keys kMeasurementKeys{.required = {"name", "config"}};
const Keys kConfigKeys{.required = {"poi", "parameters"}};
const Keys kObservationKeys{.required = {"name", "data"}};
const Keys kWorkspaceKeys{.required = {"channels", "measurements", "observations", "version"}};
const Keys kParameterKeys{.required = {"name"}, .others_allowed = true};

void check_strings(ShapeCheck& check, const JsonPlace& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    check.member(object, key, [&](const JsonPlace& value) { check.string(value); });
}

void check_sample(ShapeCheck& check, const JsonPlace& sample) {
  if (!check.object(sample, kSampleKeys)) return;
  check_strings(check, sample, {"name"});
  check.member(sample, "modifiers", [&](const JsonPlace& modifiers) {
    check.each(modifiers, 0, [&](const JsonPlace& modifier) {
      if (check.object(modifier, kModifierKeys)) {
        check_strings(check, modifier, {"name", "type"});
      }
    });
  });
}

void check_channel(ShapeCheck& check, const JsonPlace& channel) {
  if (!check.object(channel, kChannelKeys)) return;
  check_strings(check, channel, {"name"});
  check.member(channel, "samples", [&](const JsonPlace& samples) {
    check.each(samples, 1, [&](const JsonPlace& sample) { check_sample(check, sample); });
  });
}

void check_measurement_shape(ShapeCheck& check, const JsonPlace& measurement) {
  if (!check.object(measurement, kMeasurementKeys)) return;
  check_strings(check, measurement, {"name"});
  check.member(measurement, "config", [&](const JsonPlace& config) {
    if (!check.object(config, kConfigKeys)) return;
    check_strings(check, config, {"poi"});
    check.member(config, "parameters", [&](const JsonPlace& parameters) {
      check.each(parameters, 0, [&](const JsonPlace& parameter) {
        if (check.object(parameter, kParameterKeys)) {
          check_strings(check, parameter, {"name"});
        }
      });
    });
  });
}

void check_observation(ShapeCheck& check, const JsonPlace& observation) {
  if (check.object(observation, kObservationKeys)) check_strings(check, observation, {"name"});
}

}  // namespace

Errors workspace_shape_errors(const Json& workspace) {
  ShapeCheck check;
  const JsonPlace root{workspace, ""};
  if (!check.object(root, kWorkspaceKeys)) {
    return check.take_errors();
  }
  const auto list = [&](const char* key, auto check_element) {
    check.member(root, key, [&](const JsonPlace& elements) {
      check.each(elements, 1, [&](const JsonPlace& element) { check_element(check, element); });
    });
  };
  list("channels", check_channel);
  list("measurements", check_measurement_shape);
  list("observations", check_observation);
  check_strings(check, root, {"version"});
  return check.take_errors();
}

}  // namespace nextstat

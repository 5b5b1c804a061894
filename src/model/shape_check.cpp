#include "model/shape_check.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"

namespace nextstat {

std::string kind_of(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return "a string";
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return "the number " + dump_json(value);
  return "null";
}

void ShapeCheck::fault(const std::string& pointer, std::string what, std::string hint) {
  errors_.push_back({ErrorCode::BadInput, pointer, std::move(what), std::move(hint)});
}

bool ShapeCheck::is(const Place& place, bool right_type, const char* wanted) {
  if (!right_type) {
    fault(place.pointer, kind_of(place.value) + " where " + wanted + " should be",
          std::string("give ") + wanted);
  }
  return right_type;
}

bool ShapeCheck::string(const Place& place) { return is(place, place.value.is_string(), "a string"); }

bool ShapeCheck::array(const Place& place, std::size_t least) {
  if (!is(place, place.value.is_array(), "an array")) return false;
  if (place.value.size() >= least) return true;
  fault(place.pointer, "the array is empty", "give at least one element");
  return false;
}

bool ShapeCheck::object(const Place& place, const Keys& keys) {
  if (!is(place, place.value.is_object(), "an object")) return false;
  for (const std::string& key : keys.required) {
    if (!place.value.contains(key)) fault(place.pointer, "the key '" + key + "' is missing", "add it");
  }
  if (keys.others_allowed) return true;
  std::vector<std::string> known = keys.required;
  known.insert(known.end(), keys.optional.begin(), keys.optional.end());
  for (const auto& [key, value] : place.value.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    fault(pointer_append(place.pointer, key), "unknown key '" + key + "'",
          did_you_mean(key, known, "remove it"));
  }
  return true;
}

void ShapeCheck::member(const Place& object, const std::string& key, const Visit& visit) {
  const auto found = object.value.find(key);
  if (found != object.value.end()) visit({*found, pointer_append(object.pointer, key)});
}

void ShapeCheck::each(const Place& place, std::size_t least, const Visit& visit) {
  if (!array(place, least)) return;
  for (std::size_t i = 0; i < place.value.size(); ++i)
    visit({place.value[i], pointer_append(place.pointer, i)});
}

}  // namespace nextstat

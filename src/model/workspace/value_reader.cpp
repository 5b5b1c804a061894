#include "model/workspace/value_reader.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include "base/json/json_text_fault.h"
#include "model/modifiers/parameter_set.h"

namespace nextstat {
namespace {

using simdjson::ondemand::json_type;

std::string describe(json_type type) {
  switch (type) {
    case json_type::array:
      return "an array";
    case json_type::object:
      return "an object";
    case json_type::number:
      return "a number";
    case json_type::string:
      return "a string";
    case json_type::boolean:
      return "a boolean";
    case json_type::null:
      return "null";
  }
  return "something else";
}

std::string how_to_write(json_type type) {
  switch (type) {
    case json_type::array:
      return "write a list in brackets: [...]";
    case json_type::object:
      return "write an object in braces: {...}";
    case json_type::number:
      return "write a number, without quotes";
    case json_type::string:
      return "write a string in double quotes";
    case json_type::boolean:
      return "write true or false";
    case json_type::null:
      return "write null";
  }
  return "";
}

std::string_view without_the_rest(std::string_view token) {
  return token.substr(0, token.find_first_of(" \t\r\n,:[]{}"));
}

// A scalar as it stands in the text, for messages.
std::string shown(std::string_view token) {
  if (token.starts_with('"')) token = token.substr(0, token.find('"', 1) + 1);
  return shorten(token.starts_with('"') ? token : without_the_rest(token), 40);
}

}  // namespace

bool ValueReader::expect(Value& value, Type wanted, const Path& path) {
  Type type;
  if (value.type().get(type)) {
    bad_token(value, path);
    return false;
  }
  if (type == wanted) return true;
  // The type is guessed from the first letter: nan looks like null.
  const bool word = type == Type::null || type == Type::boolean;
  if (word && find_json_fault(without_the_rest(value.raw_json_token()), 1)) {
    bad_token(value, path);
    return false;
  }
  std::string found = describe(type);
  if (type == Type::number || type == Type::string || type == Type::boolean) {
    found = fmt::format("{} {}", found, shown(value.raw_json_token()));
  }
  faults_.add(path, fmt::format("expected {}, found {}", describe(wanted), found), how_to_write(wanted));
  return false;
}

void ValueReader::bad_token(Value& value, const Path& path) {
  const std::string_view token = without_the_rest(value.raw_json_token());
  if (token.empty() || token.data() + token.size() >= text_end_) {  // the text breaks off
    broken();
    return;
  }
  if (const auto fault = find_json_fault(std::string(token) + " ", 1)) {
    faults_.add(path, fault->what, fault->hint);
  } else {
    faults_.add(path, fmt::format("{} cannot be read", shown(token)), "write a plain JSON value here");
  }
}

bool ValueReader::number(Value value, const Path& path, double& result) {
  if (!value.get_double().get(result)) return true;
  if (expect(value, Type::number, path)) bad_token(value, path);
  return false;
}

bool ValueReader::boolean(Value value, const Path& path, bool& result) {
  if (!expect(value, Type::boolean, path)) return false;
  if (!value.get_bool().get(result)) return true;
  bad_token(value, path);
  return false;
}

bool ValueReader::string(Value value, const Path& path, std::string_view& result) {
  if (!expect(value, Type::string, path)) return false;
  if (!value.get_string().get(result)) return true;
  broken();
  return false;
}

NameId ValueReader::text(Value value, const Path& path) {
  std::string_view result;
  return string(value, path, result) ? intern(result) : kNoName;
}

NameId ValueReader::intern(std::string_view name) {
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  const NameId id = static_cast<NameId>(workspace_.names.size());
  workspace_.names.emplace_back(name);
  ids_.emplace(name, id);
  return id;
}

NumberRange ValueReader::numbers(Value value, const Path& path) {
  NumberRange range{workspace_.numbers.size(), 0};
  bool usable = true;
  const std::size_t count = array(value, path, false, [&](std::size_t index, Value item) {
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

NumberRange ValueReader::pairs(Value value, const Path& path) {
  NumberRange range{workspace_.numbers.size(), 0};
  bool usable = true;
  const std::size_t count = array(value, path, false, [&](std::size_t index, Value item) {
    const Path here = path / index;
    const NumberRange pair = numbers(item, here);
    if (is_usable(pair) && pair.count != 2) {
      faults_.add(here, fmt::format("a bound is [low, high], found {} numbers", pair.count),
                  "write two numbers");
    }
    usable = usable && pair.count == 2;
  });
  range.count = usable && count > 0 ? 2 * count : kBroken;
  return range;
}

std::uint32_t ValueReader::unknown_key(const Path& path, std::string_view key, std::span<const Key> keys) {
  if (faults_.full()) {
    faults_.count_one();
    return kUnknownKey;
  }
  std::vector<std::string> names;
  for (const Key& known : keys) names.emplace_back(known.name);
  const std::string meant = closest_name(key, names);
  faults_.add(path, fmt::format("unknown key \"{}\"", shorten(key)),
              meant.empty() ? fmt::format("remove it; allowed here: {}", fmt::join(names, ", "))
                            : "did you mean '" + meant + "'?");
  for (std::size_t which = 0; which < keys.size(); ++which) {
    if (keys[which].name == meant) return 1u << which | kUnknownKey;
  }
  return kUnknownKey;
}

void ValueReader::repeated_key(const Path& path, std::string_view key) {
  faults_.add(path, fmt::format("the key \"{}\" appears twice", key), "keep one of the two");
}

void ValueReader::missing_keys(const Path& path, std::span<const Key> keys, std::uint32_t present) {
  for (std::size_t which = 0; which < keys.size(); ++which) {
    if (!keys[which].required || (present & (1u << which))) continue;
    faults_.add(path, fmt::format("the key \"{}\" is missing", keys[which].name),
                fmt::format("add \"{}\"", keys[which].name));
  }
}

}  // namespace nextstat

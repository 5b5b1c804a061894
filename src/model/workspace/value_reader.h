// Typed values out of a JSON text, each fault listed with its pointer. The base of the workspace reader: what
// a key may be called, which type stands where, numbers and names into flat storage.
#pragma once

#include <nextstat/workspace.h>
#include <simdjson.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json/fault_list.h"
#include "model/workspace/workspace_reader.h"

namespace nextstat {

class ValueReader {
 protected:
  static constexpr std::uint32_t kUnknownKey = 1u << 31;
  using Value = simdjson::ondemand::value;
  using Type = simdjson::ondemand::json_type;

  struct Key {
    std::string_view name;
    bool required;
  };

  ValueReader(Workspace& workspace, Faults& faults, std::string_view text)
      : workspace_(workspace), faults_(faults), text_end_(text.data() + text.size()) {}

  // Whether the value has the type; if not, the fault is listed.
  bool expect(Value& value, Type wanted, const Path& path);
  // Lists a token that is no JSON, such as NaN or 0x10.
  void bad_token(Value& value, const Path& path);

  bool number(Value value, const Path& path, double& result);
  bool boolean(Value value, const Path& path, bool& result);
  bool string(Value value, const Path& path, std::string_view& result);
  NameId text(Value value, const Path& path);
  NumberRange numbers(Value value, const Path& path);
  NumberRange pairs(Value value, const Path& path);  // [[low, high], ...], flattened

  // Calls handle(which key, value, path) for each key. Returns the keys that stand there, one bit each, and
  // kUnknownKey if there are others; a key that is mistyped counts as there, so that one slip is one fault.
  template <class Handler>
  std::uint32_t object(Value value, const Path& path, std::span<const Key> keys, Handler&& handle) {
    simdjson::ondemand::object fields;
    if (!expect(value, Type::object, path)) return 0;
    if (value.get_object().get(fields)) return broken();
    std::uint32_t seen = 0, meant = 0;
    for (auto field : fields) {
      std::string_view key;
      Value child;
      if (field.unescaped_key().get(key) || field.value().get(child)) return broken();
      std::size_t which = 0;
      while (which < keys.size() && keys[which].name != key) ++which;
      if (which == keys.size()) {
        meant |= unknown_key(path / key, key, keys);
      } else if (seen & (1u << which)) {
        repeated_key(path / key, key);
      } else {
        seen |= 1u << which;
        handle(which, child, path / key);
      }
      if (broken_) return 0;
    }
    missing_keys(path, keys, seen | meant);
    return seen | meant;
  }

  // Calls handle(index, value) for each element; returns how many there are.
  template <class Handler>
  std::size_t array(Value value, const Path& path, bool may_be_empty, Handler&& handle) {
    simdjson::ondemand::array items;
    if (!expect(value, Type::array, path)) return 0;
    if (value.get_array().get(items)) return broken();
    std::size_t index = 0;
    for (auto item : items) {
      Value child;
      if (std::move(item).get(child)) return broken();
      handle(index, child);
      if (broken_) return 0;
      ++index;
    }
    if (index == 0 && !may_be_empty) faults_.add(path, "this array is empty", "it needs at least one entry");
    return index;
  }

  Workspace& workspace_;
  Faults& faults_;
  bool broken_ = false;  // the text is not JSON from here on

 private:
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  std::uint32_t broken() {
    broken_ = true;
    return 0;
  }
  NameId intern(std::string_view name);
  std::uint32_t unknown_key(const Path& path, std::string_view key, std::span<const Key> keys);
  void repeated_key(const Path& path, std::string_view key);
  void missing_keys(const Path& path, std::span<const Key> keys, std::uint32_t present);

  const char* text_end_;
  std::unordered_map<std::string, NameId, NameHash, std::equal_to<>> ids_;
};

}  // namespace nextstat

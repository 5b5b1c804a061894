// Typed values out of a JSON text, each fault listed with its pointer. The base of the workspace reader: what
// a key may be called, which type stands where, numbers and names into flat storage.
#pragma once

#include <nextstat/workspace.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/fault_list.h"
#include "base/json/json_cursor.h"
#include "model/workspace/workspace_reader.h"

namespace nextstat {

// The number of each name. Names come a hundred times more often than new ones.
class NameNumbers {
 public:
  explicit NameNumbers(std::vector<std::string>& names) : names_(names), slots_(1024, kNoName) {}

  NameId number_of(std::string_view name);

 private:
  static std::uint64_t hash(std::string_view name);
  NameId add(std::string_view name, std::size_t slot);

  std::vector<std::string>& names_;
  std::vector<NameId> slots_;  // by hash, with linear probing; a power of two, at most half full
};

class ValueReader {
 protected:
  static constexpr std::uint32_t kUnknownKey = 1u << 31;
  using Kind = JsonCursor::Kind;

  struct Key {
    std::string_view name;
    bool required;
    QuotedWord text{name, ":"};  // as it stands in most texts
  };

  ValueReader(Workspace& workspace, Faults& faults, std::string_view text)
      : cursor_(text), workspace_(workspace), faults_(faults), numbers_of_names_(workspace.names) {
    // Room that is not used costs nothing, other than growing: a number takes two letters, a modifier about 100.
    workspace.numbers.reserve(std::min<std::size_t>(text.size() / 2, 1u << 22));
    workspace.modifiers.reserve(std::min<std::size_t>(text.size() / 64, 1u << 20));
  }

  // Each of these reads the value that comes, or lists its fault and goes past it.

  // Whether the value has the type; if so, the caller reads it.
  bool expect(Kind wanted, const Path& path) { return cursor_.kind() == wanted || refuse(wanted, path); }
  // A token that is no JSON, such as NaN or 0x10.
  void bad_token(const Path& path);

  bool number(const Path& path, double& result) {
    return cursor_.number(result) || bad_value(Kind::Number, path);
  }
  bool boolean(const Path& path, bool& result) {
    return cursor_.boolean(result) || bad_value(Kind::Boolean, path);
  }
  bool string(const Path& path, std::string_view& result) {
    return cursor_.string(result) || bad_value(Kind::String, path);
  }
  NameId text(const Path& path) {
    std::string_view name;
    return string(path, name) ? numbers_of_names_.number_of(name) : kNoName;
  }
  NumberRange numbers(const Path& path);
  NumberRange pairs(const Path& path);  // [[low, high], ...], flattened

  // Calls handle(which key, path) for each key, which reads its value. Returns the keys that stand there, one bit each, and
  // kUnknownKey if there are others; a key that is mistyped counts as there, so that one slip is one fault.
  template <std::size_t N, class Handler>
  std::uint32_t object(const Path& path, const Key (&keys)[N], Handler&& handle) {
    if (!expect(Kind::Object, path)) return 0;
    std::uint32_t seen = 0, meant = 0;
    for (bool more = cursor_.enter('{'); more; more = cursor_.next('}')) {
      cursor_.skip_spaces();
      std::size_t which = 0;
      while (which < N && !cursor_.comes(keys[which].text)) ++which;
      if (which == N) which = other_key(path, keys, meant);
      if (which == N) continue;
      if (seen & (1u << which)) {
        repeated_key(path / keys[which].name, keys[which].name);
      } else {
        seen |= 1u << which;
        handle(which, path / keys[which].name);
      }
    }
    if (cursor_.failed()) return 0;
    const auto missing = [&](const Key& key) {
      return key.required && !((seen | meant) >> (&key - keys) & 1);
    };
    if (std::any_of(keys, keys + N, missing)) missing_keys(path, keys, seen | meant);
    return seen | meant;
  }

  // Calls handle(index) for each element, which reads it, or several: then it adds to the index. Returns how many.
  template <class Handler>
  [[gnu::always_inline]] std::size_t array(const Path& path, bool may_be_empty, Handler&& handle) {
    if (!expect(Kind::Array, path)) return 0;
    std::size_t index = 0;
    for (bool more = cursor_.enter('['); more; more = cursor_.next(']')) {
      handle(index);
      ++index;
      if (cursor_.failed()) return 0;
    }
    if (index == 0 && !may_be_empty && !cursor_.failed())
      faults_.add(path, "this array is empty", "it needs at least one entry");
    return index;
  }

  JsonCursor cursor_;
  Workspace& workspace_;
  Faults& faults_;

  bool refuse(Kind wanted, const Path& path);

 private:
  bool bad_value(Kind wanted, const Path& path);
  // Past a key that does not stand as in most texts; the number of the keys where it is none of them.
  std::size_t other_key(const Path& path, std::span<const Key> keys, std::uint32_t& meant);
  std::uint32_t unknown_key(const Path& path, std::string_view key, std::span<const Key> keys);
  void repeated_key(const Path& path, std::string_view key);
  void missing_keys(const Path& path, std::span<const Key> keys, std::uint32_t present);

  NameNumbers numbers_of_names_;
};

}  // namespace nextstat

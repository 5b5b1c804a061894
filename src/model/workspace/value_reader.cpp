#include "model/workspace/value_reader.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include "base/json/json_text_fault.h"
#include "model/modifiers/parameter_set.h"

namespace nextstat {
namespace {

using Kind = JsonCursor::Kind;

struct KindWords {
  const char *name, *how_to_write;
};
// [kind]
constexpr KindWords kWords[] = {{"an object", "write an object in braces: {...}"},
                                {"an array", "write a list in brackets: [...]"},
                                {"a string", "write a string in double quotes"},
                                {"a number", "write a number, without quotes"},
                                {"a boolean", "write true or false"},
                                {"null", "write null"}};
const KindWords& words(Kind kind) { return kWords[static_cast<std::size_t>(kind)]; }

std::string_view without_the_rest(std::string_view token) {
  return token.substr(0, token.find_first_of(" \t\r\n,:[]{}"));
}

// A scalar as it stands in the text, for messages.
std::string shown(std::string_view token) {
  if (token.starts_with('"')) token = token.substr(0, token.find('"', 1) + 1);
  return shorten(token.starts_with('"') ? token : without_the_rest(token), 40);
}

}  // namespace

bool ValueReader::refuse(Kind wanted, const Path& path) {
  const Kind kind = cursor_.kind();
  // The kind is guessed from the first letter: nan looks like null.
  const bool word = kind == Kind::Null || kind == Kind::Boolean;
  if (kind == Kind::None || (word && find_json_fault(without_the_rest(cursor_.rest()), 1))) {
    bad_token(path);
    return false;
  }
  std::string found = words(kind).name;
  if (kind == Kind::Number || kind == Kind::String || kind == Kind::Boolean) {
    found = fmt::format("{} {}", found, shown(cursor_.rest()));
  }
  faults_.add(path, fmt::format("expected {}, found {}", words(wanted).name, found),
              words(wanted).how_to_write);
  cursor_.skip();
  return false;
}

void ValueReader::bad_token(const Path& path) {
  const std::string_view rest = cursor_.rest(), token = without_the_rest(rest);
  if (token.empty() || token.size() == rest.size()) {  // the text breaks off
    cursor_.skip();
    return;
  }
  if (const auto fault = find_json_fault(std::string(token) + " ", 1)) {
    faults_.add(path, fault->what, fault->hint);
  } else {
    faults_.add(path, fmt::format("{} cannot be read", shown(token)), "write a plain JSON value here");
  }
  cursor_.skip_characters(token.size());
}

// A value that could not be read as what it looks like, or that is something else.
bool ValueReader::bad_value(Kind wanted, const Path& path) {
  if (!cursor_.failed() && expect(wanted, path)) bad_token(path);
  return false;
}

namespace {

// Visits all letters of a name, eight at once, some twice; most names without a loop, whose end is hard to guess.
template <class Visit>
[[gnu::always_inline]] inline void each_eight(std::size_t size, Visit&& visit) {
  visit(0);
  visit(size - 8);
  if (size > 16) visit(8), visit(size - 16);
  for (std::size_t i = 16; i + 16 < size; i += 8) visit(i);
}

// Of names of one length.
bool same_letters(std::string_view a, std::string_view b) {
  if (a.size() < 8) return a == b;
  std::uint64_t difference = 0;
  each_eight(a.size(), [&](std::size_t i) { difference |= eight_bytes(&a[i]) ^ eight_bytes(&b[i]); });
  return difference == 0;
}

}  // namespace

inline std::uint64_t NameNumbers::hash(std::string_view name) {
  // The products do not wait for each other.
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;
  std::uint64_t hash = name.size();
  const auto mix = [&](std::uint64_t word) { hash = std::rotl(hash, 23) + word * kOdd; };
  if (name.size() < 8) {
    for (const char c : name) mix(static_cast<unsigned char>(c));
  } else {
    each_eight(name.size(), [&](std::size_t i) { mix(eight_bytes(&name[i])); });
  }
  return (hash ^ hash >> 32) * kOdd >> 32;
}

NameId NameNumbers::number_of(std::string_view name) {
  const std::size_t last = slots_.size() - 1;
  std::size_t slot = hash(name) & last;
  for (; slots_[slot] != kNoName; slot = (slot + 1) & last) {
    const std::string& known = names_[slots_[slot]];
    if (known.size() == name.size() && same_letters(known, name)) return slots_[slot];
  }
  return add(name, slot);
}

NameId NameNumbers::add(std::string_view name, std::size_t slot) {
  const NameId id = static_cast<NameId>(names_.size());
  names_.emplace_back(name);
  slots_[slot] = id;
  if (2 * names_.size() <= slots_.size()) return id;
  slots_.assign(2 * slots_.size(), kNoName);
  for (NameId each = 0; each < names_.size(); ++each) {
    std::size_t place = hash(names_[each]) & (slots_.size() - 1);
    while (slots_[place] != kNoName) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = each;
  }
  return id;
}

NumberRange ValueReader::numbers(const Path& path) {
  NumberRange range{workspace_.numbers.size(), 0};
  bool usable = true;
  const std::size_t count = array(path, false, [&](std::size_t& index) {
    if (const std::size_t read = cursor_.numbers(workspace_.numbers); read > 0) {
      index += read - 1;
      return;
    }
    bad_value(Kind::Number, path / index);
    usable = false;
  });
  range.count = usable && count > 0 ? count : kBroken;
  return range;
}

NumberRange ValueReader::pairs(const Path& path) {
  NumberRange range{workspace_.numbers.size(), 0};
  bool usable = true;
  const std::size_t count = array(path, false, [&](std::size_t index) {
    const Path here = path / index;
    const NumberRange pair = numbers(here);
    if (is_usable(pair) && pair.count != 2) {
      faults_.add(here, fmt::format("a bound is [low, high], found {} numbers", pair.count),
                  "write two numbers");
    }
    usable = usable && pair.count == 2;
  });
  range.count = usable && count > 0 ? 2 * count : kBroken;
  return range;
}

std::size_t ValueReader::other_key(const Path& path, std::span<const Key> keys, std::uint32_t& meant) {
  std::string_view name;
  if (!cursor_.key(name)) return keys.size();
  const auto known = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
  if (known == keys.end()) meant |= unknown_key(path / name, name, keys);
  return static_cast<std::size_t>(known - keys.begin());
}

std::uint32_t ValueReader::unknown_key(const Path& path, std::string_view key, std::span<const Key> keys) {
  if (faults_.full()) {
    faults_.count_one();
    cursor_.skip();
    return kUnknownKey;
  }
  std::vector<std::string> names;
  for (const Key& known : keys) names.emplace_back(known.name);
  const std::string meant = closest_name(key, names);
  faults_.add(path, fmt::format("unknown key \"{}\"", shorten(key)),
              meant.empty() ? fmt::format("remove it; allowed here: {}", fmt::join(names, ", "))
                            : "did you mean '" + meant + "'?");
  cursor_.skip();
  for (std::size_t which = 0; which < keys.size(); ++which) {
    if (keys[which].name == meant) return 1u << which | kUnknownKey;
  }
  return kUnknownKey;
}

void ValueReader::repeated_key(const Path& path, std::string_view key) {
  faults_.add(path, fmt::format("the key \"{}\" appears twice", key), "keep one of the two");
  cursor_.skip();
}

void ValueReader::missing_keys(const Path& path, std::span<const Key> keys, std::uint32_t present) {
  for (std::size_t which = 0; which < keys.size(); ++which) {
    if (!keys[which].required || (present & (1u << which))) continue;
    if (faults_.full()) {
      faults_.count_one();
      continue;
    }
    faults_.add(path, fmt::format("the key \"{}\" is missing", keys[which].name),
                fmt::format("add \"{}\"", keys[which].name));
  }
}

}  // namespace nextstat

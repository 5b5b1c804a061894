#include <fmt/format.h>
#include <nextstat/documents.h>
#include <nextstat/text.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/json/json_values.h"
#include "model/workspace/document_shape.h"

namespace nextstat {
namespace {

const std::vector<std::string>& operation_names() {
  static const std::vector<std::string> names = {"add", "remove", "replace", "move", "copy", "test"};
  return names;
}

bool needs_value(const std::string& name) { return name == "add" || name == "replace" || name == "test"; }
bool needs_from(const std::string& name) { return name == "move" || name == "copy"; }

using Tokens = std::vector<std::string>;

// The tokens of a JSON pointer, or nothing if it is malformed.
std::optional<Tokens> split_pointer(const std::string& pointer) {
  Tokens tokens;
  if (pointer.empty()) return tokens;
  if (pointer[0] != '/') return std::nullopt;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (pointer[i] != '~') {
      tokens.back() += pointer[i];
    } else if (i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
      tokens.back() += pointer[++i] == '0' ? '~' : '/';
    } else {
      return std::nullopt;
    }
  }
  return tokens;
}

// An index without sign or leading zeros.
std::optional<std::size_t> parse_index(const std::string& token) {
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool whole = failure == std::errc{} && end == token.data() + token.size();
  if (!whole || (token.size() > 1 && token[0] == '0')) return std::nullopt;
  return index;
}

void check_pointer(ShapeCheck& check, const JsonPlace& operation, const char* key) {
  check.member(operation, key, [&](const JsonPlace& pointer) {
    if (check.string(pointer) && !split_pointer(pointer.value.get_ref<const std::string&>())) {
      check.fault(pointer.pointer, shorten(dump_json(pointer.value)) + " is not a JSON pointer",
                  "a pointer is empty or starts with '/'; write ~0 for '~' and ~1 for '/'");
    }
  });
}

void check_operation(ShapeCheck& check, const JsonPlace& operation) {
  if (!check.object(operation, {.required = {"op", "path"}, .others_allowed = true})) return;
  check_pointer(check, operation, "path");
  check.member(operation, "op", [&](const JsonPlace& op) {
    if (!check.string(op)) return;
    const std::string& name = op.value.get_ref<const std::string&>();
    if (std::find(operation_names().begin(), operation_names().end(), name) == operation_names().end()) {
      return check.fault(
          op.pointer, "unknown operation '" + shorten(name) + "'",
          did_you_mean(name, operation_names(), "use add, remove, replace, move, copy or test"));
    }
    if (needs_value(name) && !operation.value.contains("value")) {
      check.fault(operation.pointer, "'" + name + "' without a 'value'", "add the key 'value'");
    }
    if (!needs_from(name)) return;
    if (!operation.value.contains("from")) {
      return check.fault(operation.pointer, "'" + name + "' without a 'from'", "add the key 'from'");
    }
    check_pointer(check, operation, "from");
  });
}

constexpr std::size_t kMaxDepth = 512;  // of the patched document, as for parsed ones

// A few dozen copies of the root into itself would fill any memory, and a small patch
// can move a large array for hours.
constexpr std::uint64_t kMaxCopiedBytes = 50'000'000;
constexpr std::uint64_t kMaxMovedBytes = 500'000'000;
constexpr std::uint64_t kBytesOfValue = 16;

std::size_t depth_of(const Json& value) {
  if (!value.is_structured()) return 0;
  std::size_t deepest = 0;
  for (const Json& element : value) deepest = std::max(deepest, depth_of(element));
  return deepest + 1;
}

// About what a value takes in memory.
std::uint64_t bytes_of(const Json& value) {
  constexpr std::uint64_t kContainer = 32, kMember = 64;
  std::uint64_t bytes = kBytesOfValue;
  if (value.is_string()) bytes += kContainer + value.get_ref<const std::string&>().size();
  if (value.is_structured()) bytes += kContainer;
  if (value.is_array()) {
    for (const Json& element : value) bytes += bytes_of(element);
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      bytes += kMember + key.size() + bytes_of(member);
    }
  }
  return bytes;
}

// Applies operations of a checked shape, one after the other. Each returns false after recording its fault.
class Patcher {
 public:
  explicit Patcher(Json document) : document_(std::move(document)) {}

  bool apply(const Json& operation, std::string where) {
    where_ = std::move(where);
    const std::string& name = operation.at("op").get_ref<const std::string&>();
    path_ = operation.at("path").get<std::string>();
    const Tokens path = *split_pointer(path_);
    if (name == "add") return add(path, operation.at("value"));
    if (name == "remove") return remove(path, "/path");
    if (name == "replace") return replace(path, operation.at("value"));
    if (name == "test") return test(path, operation.at("value"));
    return transfer(path, operation.at("from").get<std::string>(), name == "move");
  }

  Json take_document() { return std::move(document_); }
  const Error& error() const { return error_; }

 private:
  bool fail(std::string what, Hint hint, const char* key = "/path") {
    error_ = {ErrorCode::BadInput, where_ + key, shorten(path_) + ": " + std::move(what), std::move(hint)};
    return false;
  }

  // Counts work that does not show in the length of the patch; false when there is too much of it.
  bool within_limits(std::uint64_t moved, std::uint64_t copied, const char* key = "/path") {
    moved_ += moved;
    copied_ += copied;
    if (moved_ <= kMaxMovedBytes && copied_ <= kMaxCopiedBytes) return true;
    const bool copies = copied_ > kMaxCopiedBytes;
    fail("this patch " + std::string(copies ? "copies" : "moves") + " more than " +
             std::to_string(copies ? kMaxCopiedBytes : kMaxMovedBytes) + " bytes inside the document",
         "check what wrote this patch; patch the parts one by one", key);
    error_.code = ErrorCode::LimitExceeded;
    return false;
  }

  // One step down, or nullptr after recording why there is nothing.
  Json* child(Json& parent, const std::string& token, const std::string& parent_pointer, const char* key) {
    if (parent.is_object()) {
      const auto found = parent.find(token);
      if (found != parent.end()) return &*found;
      std::vector<std::string> names;
      for (const auto& item : parent.items()) names.push_back(item.key());
      fail(place(parent_pointer) + " has no key '" + shorten(token) + "'",
           did_you_mean(token, names, "check that the patch belongs to this document"), key);
      return nullptr;
    }
    if (parent.is_array()) {
      const auto index = parse_index(token);
      if (index && *index < parent.size()) return &parent[*index];
      bad_index(parent, token, parent_pointer, key);
      return nullptr;
    }
    fail(place(parent_pointer) + " is " + kind_of(parent) + ", which has no members",
         "check that the patch belongs to this document", key);
    return nullptr;
  }

  bool bad_index(const Json& array, const std::string& token, const std::string& pointer, const char* key) {
    return fail(fmt::format("'{}' is not an index of {}, which has {} elements", shorten(token),
                            place(pointer), array.size()),
                "check that the patch belongs to this document; indices start at 0", key);
  }

  static std::string place(const std::string& pointer) { return pointer.empty() ? "the document" : pointer; }

  Json* find(const Tokens& path, std::size_t length, const char* key) {
    Json* value = &document_;
    std::string pointer;
    for (std::size_t i = 0; i < length && value != nullptr; ++i) {
      value = child(*value, path[i], pointer, key);
      pointer = pointer_append(pointer, path[i]);
    }
    return value;
  }

  static std::string pointer_of(const Tokens& path, std::size_t length) {
    std::string pointer;
    for (std::size_t i = 0; i < length; ++i) pointer = pointer_append(pointer, path[i]);
    return pointer;
  }

  bool add(const Tokens& path, Json value) {
    if (path.size() + depth_of(value) > kMaxDepth) {
      return fail("nested deeper than " + std::to_string(kMaxDepth) + " levels",
                  "check what wrote this patch");
    }
    if (path.empty()) {
      document_ = std::move(value);
      return true;
    }
    Json* const parent = find(path, path.size() - 1, "/path");
    if (parent == nullptr) return false;
    const std::string& token = path.back();
    const std::string pointer = pointer_of(path, path.size() - 1);
    if (parent->is_object()) {
      (*parent)[token] = std::move(value);
      return true;
    }
    if (!parent->is_array()) return child(*parent, token, pointer, "/path") != nullptr;
    const auto index = token == "-" ? parent->size() : parse_index(token);
    if (!index || *index > parent->size()) return bad_index(*parent, token, pointer, "/path");
    parent->insert(parent->begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return within_limits((parent->size() - *index) * kBytesOfValue, 0);
  }

  bool remove(const Tokens& path, const char* key) {
    if (path.empty()) return fail("the whole document cannot be removed", "name the part to remove", key);
    Json* const parent = find(path, path.size() - 1, key);
    if (parent == nullptr || child(*parent, path.back(), pointer_of(path, path.size() - 1), key) == nullptr)
      return false;
    if (parent->is_object()) {
      parent->erase(path.back());
      return true;
    }
    const std::size_t index = *parse_index(path.back());
    parent->erase(index);
    return within_limits((parent->size() - index) * kBytesOfValue, 0, key);
  }

  bool replace(const Tokens& path, const Json& value) {
    if (path.size() + depth_of(value) > kMaxDepth) {
      return fail("nested deeper than " + std::to_string(kMaxDepth) + " levels",
                  "check what wrote this patch");
    }
    Json* const target = find(path, path.size(), "/path");
    if (target != nullptr) *target = value;
    return target != nullptr;
  }

  bool test(const Tokens& path, const Json& expected) {
    const Json* const actual = find(path, path.size(), "/path");
    if (actual == nullptr) return false;
    if (equal_values(*actual, expected)) return true;
    return fail("the test failed: the value is not the expected one",
                "the patch was made for another document; check which one it belongs to");
  }

  bool transfer(const Tokens& path, const std::string& from_pointer, bool move) {
    const Tokens from = *split_pointer(from_pointer);
    const bool inside = path.size() > from.size() && std::equal(from.begin(), from.end(), path.begin());
    if (move && inside) return fail("a value cannot be moved into itself", "copy it instead", "/from");
    Json* const source = find(from, from.size(), "/from");
    if (source == nullptr) return false;
    if (move && path == from) return true;
    const std::uint64_t size = bytes_of(*source);
    if (!within_limits(size, move ? 0 : size, "/from")) return false;
    Json value = move ? std::move(*source) : *source;
    if (move && !remove(from, "/from")) return false;
    return add(path, std::move(value));
  }

  Json document_;
  std::string where_;                     // of the operation, in the patch
  std::string path_;                      // of the operation, for messages
  std::uint64_t copied_ = 0, moved_ = 0;  // bytes
  Error error_;
};

}  // namespace

void check_patch_shape(ShapeCheck& check, const JsonPlace& patch) {
  check.each(patch, 0, [&](const JsonPlace& operation) { check_operation(check, operation); });
}

Errors patch_shape_errors(const Json& patch, const std::string& where) {
  ShapeCheck check;
  check_patch_shape(check, {patch, where});
  return check.take_errors();
}

Result<Json> apply_patch(Json document, const Json& patch, const std::string& where) {
  Errors faults = patch_shape_errors(patch, where);
  if (!faults.empty()) return faults;
  Patcher patcher(std::move(document));
  for (std::size_t i = 0; i < patch.size(); ++i) {
    if (!patcher.apply(patch[i], pointer_append(where, i))) return patcher.error();
  }
  return patcher.take_document();
}

}  // namespace nextstat

#include <fmt/core.h>
#include <nextstat/json.h>
#include <nextstat/text.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/json/json_cursor.h"
#include "base/json/json_text_fault.h"
#include "base/json/json_values.h"

namespace nextstat {
namespace {

constexpr std::size_t kMaxDepth = JsonCursor::kMaxDepth;
constexpr std::size_t kMostRepeatedKeys = 1000;  // further ones are not listed

// The way from the root to a value, kept on the call stack and spelled out only when an error needs it.
struct Step {
  const Step* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;
  bool is_key = false;
};

std::string pointer_to(const Step* step) {
  if (step == nullptr || step->parent == nullptr) return {};
  const std::string front = pointer_to(step->parent);
  return step->is_key ? pointer_append(front, step->key) : pointer_append(front, step->index);
}

// Reads a document, value by value. What becomes of them says Derived: object(depth) and array(depth), which walk what is in
// them, and text, real, integer (as it is written), word and null. Each is false where the text is not JSON, or beyond a limit.
template <class Derived>
class DocumentReader {
 protected:
  explicit DocumentReader(std::string_view text) : cursor_(text) {}

  bool value(std::size_t depth) {
    Derived& derived = static_cast<Derived&>(*this);
    std::string_view text;
    bool word = false;
    switch (cursor_.kind()) {
      case JsonCursor::Kind::Object:
        return depth < kMaxDepth && derived.object(depth + 1) && !cursor_.failed();
      case JsonCursor::Kind::Array:
        return depth < kMaxDepth && derived.array(depth + 1) && !cursor_.failed();
      case JsonCursor::Kind::String:
        return cursor_.string(text) && derived.text(text);
      case JsonCursor::Kind::Number:
        return number(derived);
      case JsonCursor::Kind::Boolean:
        return cursor_.boolean(word) && derived.word(word);
      case JsonCursor::Kind::Null:
        return cursor_.null() && derived.null();
      case JsonCursor::Kind::None:
        return false;
    }
    return false;
  }

  bool document() { return value(0) && cursor_.at_end(); }

  JsonCursor cursor_;

 private:
  bool number(Derived& derived) {
    double value = 0;
    const char* const begin = cursor_.rest().data();
    if (!cursor_.number(value)) return false;
    const std::string_view token(begin, static_cast<std::size_t>(cursor_.position() - begin));
    return token.find_first_of(".eE") == token.npos ? derived.integer(token) : derived.real(value);
  }
};

class TreeBuilder : DocumentReader<TreeBuilder> {
 public:
  explicit TreeBuilder(std::string_view text) : DocumentReader(text) {}

  // False: the text is not JSON.
  bool build() { return document(); }
  Json take() { return std::move(made_); }
  Errors& errors() { return errors_; }

 private:
  friend DocumentReader;

  template <class T>
  bool make(T&& value) {
    made_ = std::forward<T>(value);
    return true;
  }
  bool text(std::string_view value) { return make(std::string(value)); }
  bool real(double value) { return make(value); }
  bool word(bool value) { return make(value); }
  bool null() { return make(nullptr); }
  bool integer(std::string_view token) {
    std::int64_t integer = 0;
    std::uint64_t large = 0;
    if (fits(token, integer)) return make(integer);
    return fits(token, large) && make(large);
  }
  template <class Integer>
  static bool fits(std::string_view token, Integer& integer) {
    return std::from_chars(token.data(), token.data() + token.size(), integer).ec == std::errc{};
  }

  bool array(std::size_t depth) {
    Json::array_t result;
    Step step{here_, {}, 0, false};
    here_ = &step;
    for (bool more = cursor_.enter('['); more; more = cursor_.next(']')) {
      if (!value(depth)) return false;
      result.push_back(std::move(made_));
      ++step.index;
    }
    here_ = step.parent;
    return make(std::move(result));
  }

  bool object(std::size_t depth) {
    Json::object_t result;
    Step step{here_, {}, 0, true};
    std::string_view key;
    here_ = &step;
    for (bool more = cursor_.enter('{'); more && cursor_.key(key); more = cursor_.next('}')) {
      const auto [slot, added] = result.try_emplace(std::string(key));
      step.key = slot->first;
      if (!added && errors_.size() < kMostRepeatedKeys) {
        errors_.push_back({ErrorCode::BadInput, pointer_to(&step),
                           fmt::format("the key \"{}\" appears twice", shorten(key)), "keep one of the two"});
      }
      if (!value(depth)) return false;
      slot->second = std::move(made_);
    }
    here_ = step.parent;
    return make(std::move(result));
  }

  Json made_;  // of the last value
  const Step root_;
  const Step* here_ = &root_;
  Errors errors_;
};

Error syntax_error(std::string_view text) {
  if (const auto fault = find_json_fault(text, kMaxDepth)) {
    return {fault->limit ? ErrorCode::LimitExceeded : ErrorCode::BadInput, fault->pointer,
            line_and_column(text, fault->offset) + ": " + fault->what, fault->hint};
  }
  return {ErrorCode::BadInput, "", "not a JSON document", "check the file with a JSON tool"};
}

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void write(const Json& value) {
    switch (value.type()) {
      case Json::value_t::object:
        return object(value.get_ref<const Json::object_t&>());
      case Json::value_t::array:
        return array(value.get_ref<const Json::array_t&>());
      case Json::value_t::string:
        return append_json_string(out_, value.get_ref<const std::string&>());
      case Json::value_t::boolean:
        out_ += value.get<bool>() ? "true" : "false";
        return;
      case Json::value_t::number_integer:
        return append_json_integer(out_, value.get<std::int64_t>());
      case Json::value_t::number_unsigned:
        return append_json_integer(out_, value.get<std::uint64_t>());
      case Json::value_t::number_float:
        return append_json_float(out_, value.get<double>());
      case Json::value_t::null:
        out_ += "null";
        return;
      case Json::value_t::binary:
      case Json::value_t::discarded:
        throw std::logic_error("dump_json: a value that JSON does not have");
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void object(const Json::object_t& members) {
    bool first = true;
    out_ += '{';
    ++level_;
    for (const auto& [key, value] : members) {
      separate(first);
      append_json_string(out_, key);
      out_ += ": ";
      write(value);
    }
    --level_;
    if (!first) new_line();
    out_ += '}';
  }

  void array(const Json::array_t& elements) {
    bool first = true;
    out_ += '[';
    ++level_;
    for (const Json& element : elements) {
      separate(first);
      write(element);
    }
    --level_;
    if (!first) new_line();
    out_ += ']';
  }

  void separate(bool& first) {
    if (!first) out_ += indent_ < 0 ? ", " : ",";
    first = false;
    new_line();
  }

  void new_line() {
    if (indent_ < 0) return;
    const std::size_t length = 1 + static_cast<std::size_t>(indent_) * level_;
    if (line_.size() < length) line_.resize(length, ' ');
    out_.append(line_, 0, length);
  }

  int indent_;
  std::size_t level_ = 0;
  std::string line_ = "\n";  // a line break, and the spaces of the deepest level so far
  std::string out_;
};

// Writes the canonical text while reading: a digest needs no tree.
class CanonicalWriter : DocumentReader<CanonicalWriter> {
 public:
  explicit CanonicalWriter(std::string_view text) : DocumentReader(text) { out_.reserve(text.size()); }

  // False: the text is not JSON.
  bool write() { return document(); }
  bool has_repeated_keys() const { return has_repeated_keys_; }
  std::string take() { return std::move(out_); }

 private:
  friend DocumentReader;

  struct Member {
    std::string key;
    std::size_t begin, end;  // of "key": value, in the text written
  };

  bool put(std::string_view text) {
    out_ += text;
    return true;
  }
  bool text(std::string_view value) { return append_json_string(out_, value), true; }
  bool real(double value) { return append_json_float(out_, value), true; }
  bool integer(std::string_view token) { return put(token == "-0" ? "0" : token); }
  bool word(bool value) { return put(value ? "true" : "false"); }
  bool null() { return put("null"); }

  bool array(std::size_t depth) {
    const char* separator = "";
    out_ += '[';
    for (bool more = cursor_.enter('['); more; more = cursor_.next(']')) {
      out_ += std::exchange(separator, ", ");
      if (!value(depth)) return false;
    }
    return put("]");
  }

  bool object(std::size_t depth) {
    std::vector<Member> members;
    std::string_view key;
    const char* separator = "";
    out_ += '{';
    const std::size_t begin = out_.size();
    for (bool more = cursor_.enter('{'); more && cursor_.key(key); more = cursor_.next('}')) {
      out_ += std::exchange(separator, ", ");
      members.push_back({std::string(key), out_.size(), 0});
      append_json_string(out_, key);
      out_ += ": ";
      if (!value(depth)) return false;
      members.back().end = out_.size();
    }
    sort(members, begin);
    return put("}");
  }

  // Puts the members of an object, written from `begin` on, in the order of their keys.
  void sort(std::vector<Member>& members, std::size_t begin) {
    const auto by_key = [](const Member& a, const Member& b) { return a.key < b.key; };
    const auto same_key = [](const Member& a, const Member& b) { return a.key == b.key; };
    if (!std::is_sorted(members.begin(), members.end(), by_key)) {
      std::stable_sort(members.begin(), members.end(), by_key);
      std::string sorted;
      for (const Member& member : members) {
        if (!sorted.empty()) sorted += ", ";
        sorted.append(out_, member.begin, member.end - member.begin);
      }
      out_.replace(begin, out_.npos, sorted);
    }
    if (std::adjacent_find(members.begin(), members.end(), same_key) != members.end())
      has_repeated_keys_ = true;
  }

  std::string out_;
  bool has_repeated_keys_ = false;
};

}  // namespace

Result<Json> parse_json(std::string_view text) {
  TreeBuilder builder(text);
  if (!builder.build()) return syntax_error(text);
  if (!builder.errors().empty()) return std::move(builder.errors());
  return builder.take();
}

Result<std::string> canonical_json(std::string_view text) {
  CanonicalWriter writer(text);
  if (!writer.write()) return syntax_error(text);
  if (writer.has_repeated_keys()) return parse_json(text).errors();  // with their pointers
  return writer.take();
}

std::string dump_json(const Json& document, int indent) {
  Writer writer(indent);
  writer.write(document);
  return writer.take();
}

std::string python_float_repr(double value) {
  std::string out;
  append_json_float(out, value);
  return out;
}

std::string pointer_append(std::string_view pointer, std::string_view token) {
  constexpr std::size_t kLongestToken = 200, kLongestPointer = 2000;  // pointers are for messages
  std::string result(pointer);
  if (result.size() > kLongestPointer) return result.ends_with("/...") ? result : result + "/...";
  result += '/';
  for (const char c : shorten(token, kLongestToken)) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

std::string pointer_append(std::string_view pointer, std::size_t index) {
  return fmt::format("{}/{}", pointer, index);
}

}  // namespace nextstat

#include <fmt/core.h>
#include <nextstat/json.h>
#include <nextstat/text.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
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

// A number, and how it is written: an integer stays one.
bool read_number(JsonCursor& cursor, double& value, std::string_view& token) {
  const char* const begin = cursor.rest().data();
  if (!cursor.number(value)) return false;
  token = {begin, static_cast<std::size_t>(cursor.position() - begin)};
  return true;
}
bool is_integer(std::string_view token) { return token.find_first_of(".eE") == token.npos; }

// Reads a document into a tree.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::string_view text) : cursor_(text) {}

  // Empty: the text is not JSON.
  std::optional<Json> document() {
    Json root = value(Step{}, 0);
    if (failed_ || cursor_.failed() || !cursor_.at_end()) return {};
    return root;
  }

  Errors& errors() { return errors_; }

 private:
  Json value(const Step& here, std::size_t depth) {
    std::string_view text;
    bool word = false;
    switch (cursor_.kind()) {
      case JsonCursor::Kind::Object:
        if (depth < kMaxDepth) return object(here, depth + 1);
        break;
      case JsonCursor::Kind::Array:
        if (depth < kMaxDepth) return array(here, depth + 1);
        break;
      case JsonCursor::Kind::String:
        if (cursor_.string(text)) return std::string(text);
        break;
      case JsonCursor::Kind::Number:
        return number();
      case JsonCursor::Kind::Boolean:
        if (cursor_.boolean(word)) return word;
        break;
      case JsonCursor::Kind::Null:
        if (cursor_.null()) return nullptr;
        break;
      case JsonCursor::Kind::None:
        break;
    }
    failed_ = true;
    return nullptr;
  }

  Json number() {
    double real = 0;
    std::string_view token;
    if (read_number(cursor_, real, token)) {
      std::int64_t integer = 0;
      std::uint64_t large = 0;
      if (!is_integer(token)) return real;
      if (fits(token, integer)) return integer;
      if (fits(token, large)) return large;
    }
    failed_ = true;
    return nullptr;
  }

  template <class Integer>
  static bool fits(std::string_view token, Integer& integer) {
    return std::from_chars(token.data(), token.data() + token.size(), integer).ec == std::errc{};
  }

  Json array(const Step& here, std::size_t depth) {
    Json::array_t result;
    Step step{&here, {}, 0, false};
    for (bool more = cursor_.enter('['); more && !failed_; more = cursor_.next(']')) {
      result.push_back(value(step, depth));
      ++step.index;
    }
    return Json(std::move(result));
  }

  Json object(const Step& here, std::size_t depth) {
    Json::object_t result;
    std::string_view key;
    for (bool more = cursor_.enter('{'); more && !failed_ && cursor_.key(key); more = cursor_.next('}')) {
      const auto [slot, added] = result.try_emplace(std::string(key));
      const Step step{&here, slot->first, 0, true};
      if (!added && errors_.size() < kMostRepeatedKeys) {
        errors_.push_back({ErrorCode::BadInput, pointer_to(&step),
                           fmt::format("the key \"{}\" appears twice", shorten(key)), "keep one of the two"});
      }
      slot->second = value(step, depth);
    }
    return Json(std::move(result));
  }

  JsonCursor cursor_;
  bool failed_ = false;
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
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * level_, ' ');
  }

  int indent_;
  std::size_t level_ = 0;
  std::string out_;
};

// Writes the canonical text while reading: a digest needs no tree.
class CanonicalWriter {
 public:
  explicit CanonicalWriter(std::string_view text) : cursor_(text) { out_.reserve(text.size()); }

  // False: the text is not JSON.
  bool write() { return value(0) && cursor_.at_end(); }
  bool has_repeated_keys() const { return has_repeated_keys_; }
  std::string take() { return std::move(out_); }

 private:
  struct Member {
    std::string key;
    std::size_t begin, end;  // of "key": value, in the text written
  };

  bool value(std::size_t depth) {
    std::string_view text;
    bool word = false;
    switch (cursor_.kind()) {
      case JsonCursor::Kind::Object:
        return depth < kMaxDepth && object(depth + 1);
      case JsonCursor::Kind::Array:
        return depth < kMaxDepth && array(depth + 1);
      case JsonCursor::Kind::String:
        if (!cursor_.string(text)) return false;
        append_json_string(out_, text);
        return true;
      case JsonCursor::Kind::Number:
        return this->number();
      case JsonCursor::Kind::Boolean:
        if (!cursor_.boolean(word)) return false;
        out_ += word ? "true" : "false";
        return true;
      case JsonCursor::Kind::Null:
        out_ += "null";
        return cursor_.null();
      case JsonCursor::Kind::None:
        return false;
    }
    return false;
  }

  bool number() {
    double real = 0;
    std::string_view token;
    if (!read_number(cursor_, real, token)) return false;
    if (!is_integer(token)) {
      append_json_float(out_, real);
    } else {
      out_ += token == "-0" ? "0" : token;
    }
    return true;
  }

  bool array(std::size_t depth) {
    const char* separator = "";
    out_ += '[';
    for (bool more = cursor_.enter('['); more; more = cursor_.next(']')) {
      out_ += std::exchange(separator, ", ");
      if (!value(depth)) return false;
    }
    out_ += ']';
    return !cursor_.failed();
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
    out_ += '}';
    return !cursor_.failed();
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

  JsonCursor cursor_;
  std::string out_;
  bool has_repeated_keys_ = false;
};

}  // namespace

Result<Json> parse_json(std::string_view text) {
  TreeBuilder builder(text);
  std::optional<Json> document = builder.document();
  if (!document) return syntax_error(text);
  if (!builder.errors().empty()) return std::move(builder.errors());
  return *std::move(document);
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

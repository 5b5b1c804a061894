#include <fmt/core.h>
#include <nextstat/json.h>
#include <nextstat/text.h>

#include <simdjson.h>
#include <algorithm>
#include <utility>
#include <vector>

#include "base/json/json_text_fault.h"
#include "base/json/json_values.h"

namespace nextstat {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMaxDepth = 512;
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

class TreeBuilder {
 public:
  Json build(const dom::element& element, const Step& here) {
    switch (element.type()) {
      case dom::element_type::OBJECT:
        return object(element.get_object().value_unsafe(), here);
      case dom::element_type::ARRAY:
        return array(element.get_array().value_unsafe(), here);
      case dom::element_type::STRING:
        return std::string(element.get_string().value_unsafe());
      case dom::element_type::INT64:
        return element.get_int64().value_unsafe();
      case dom::element_type::UINT64:
        return element.get_uint64().value_unsafe();
      case dom::element_type::DOUBLE:
        return element.get_double().value_unsafe();
      case dom::element_type::BOOL:
        return element.get_bool().value_unsafe();
      case dom::element_type::NULL_VALUE:
        return nullptr;
    }
    throw std::logic_error("parse_json: unknown element type");
  }

  Errors& errors() { return errors_; }

 private:
  Json array(const dom::array& elements, const Step& here) {
    Json::array_t result;
    result.reserve(elements.size());
    Step step{&here, {}, 0, false};
    for (const dom::element element : elements) {
      result.push_back(build(element, step));
      ++step.index;
    }
    return Json(std::move(result));
  }

  Json object(const dom::object& members, const Step& here) {
    Json::object_t result;
    for (const dom::key_value_pair member : members) {
      const Step step{&here, member.key, 0, true};
      const auto [slot, added] = result.try_emplace(std::string(member.key));
      if (!added && errors_.size() < kMostRepeatedKeys) {
        errors_.push_back({ErrorCode::BadInput, pointer_to(&step),
                           fmt::format("the key \"{}\" appears twice", shorten(member.key)),
                           "keep one of the two"});
      }
      slot->second = build(member.value, step);
    }
    return Json(std::move(result));
  }

  Errors errors_;
};

Error syntax_error(std::string_view text, simdjson::error_code failure) {
  if (const auto fault = find_json_fault(text, kMaxDepth)) {
    return {fault->limit ? ErrorCode::LimitExceeded : ErrorCode::BadInput, fault->pointer,
            line_and_column(text, fault->offset) + ": " + fault->what, fault->hint};
  }
  return {ErrorCode::BadInput, "", fmt::format("not a JSON document: {}", simdjson::error_message(failure)),
          "check the file with a JSON tool"};
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

// Writes the canonical text straight from the parser's elements: a digest needs no tree.
class CanonicalWriter {
 public:
  void write(const dom::element& element) {
    switch (element.type()) {
      case dom::element_type::OBJECT:
        return object(element.get_object().value_unsafe());
      case dom::element_type::ARRAY:
        return array(element.get_array().value_unsafe());
      case dom::element_type::STRING:
        return append_json_string(out_, element.get_string().value_unsafe());
      case dom::element_type::INT64:
        return append_json_integer(out_, element.get_int64().value_unsafe());
      case dom::element_type::UINT64:
        return append_json_integer(out_, element.get_uint64().value_unsafe());
      case dom::element_type::DOUBLE:
        return append_json_float(out_, element.get_double().value_unsafe());
      case dom::element_type::BOOL:
        out_ += element.get_bool().value_unsafe() ? "true" : "false";
        return;
      case dom::element_type::NULL_VALUE:
        out_ += "null";
        return;
    }
  }

  bool has_repeated_keys() const { return has_repeated_keys_; }
  std::string take() { return std::move(out_); }

 private:
  void array(const dom::array& elements) {
    const char* separator = "[";
    for (const dom::element element : elements) {
      out_ += std::exchange(separator, ", ");
      write(element);
    }
    out_ += *separator == '[' ? "[]" : "]";
  }

  void object(const dom::object& members) {
    std::vector<dom::key_value_pair> sorted;
    for (const dom::key_value_pair member : members) sorted.push_back(member);
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    const char* separator = "{";
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      has_repeated_keys_ = has_repeated_keys_ || (i > 0 && sorted[i].key == sorted[i - 1].key);
      out_ += std::exchange(separator, ", ");
      append_json_string(out_, sorted[i].key);
      out_ += ": ";
      write(sorted[i].value);
    }
    out_ += *separator == '{' ? "{}" : "}";
  }

  std::string out_;
  bool has_repeated_keys_ = false;
};

// The elements live in the parser.
simdjson::error_code parse_elements(dom::parser& parser, std::string_view text, dom::element& root) {
  // The parser counts one level more than there are brackets around a value.
  const simdjson::error_code failure = parser.allocate(text.size(), kMaxDepth + 1);
  return failure ? failure : parser.parse(text.data(), text.size()).get(root);
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  dom::parser parser;
  dom::element root;
  const simdjson::error_code failure = parse_elements(parser, text, root);
  if (failure) return syntax_error(text, failure);
  TreeBuilder builder;
  Json document = builder.build(root, Step{});
  if (!builder.errors().empty()) return std::move(builder.errors());
  return document;
}

Result<std::string> canonical_json(std::string_view text) {
  dom::parser parser;
  dom::element root;
  const simdjson::error_code failure = parse_elements(parser, text, root);
  if (failure) return syntax_error(text, failure);
  CanonicalWriter writer;
  writer.write(root);
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

#include "base/json/json_text_fault.h"

#include <fmt/core.h>
#include <nextstat/json.h>
#include <nextstat/text.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/json/json_cursor.h"
#include "base/utf8.h"

namespace nextstat {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

// A finite-state walk over the text. Open brackets stand in a vector: deep nesting cannot exhaust the stack.
class Scanner {
 public:
  Scanner(std::string_view text, std::size_t max_depth) : text_(text), max_depth_(max_depth) {}

  std::optional<JsonFault> run() {
    if (!check_start()) return fault_;
    while (!done_) {
      if (!step()) return fault_;
    }
    skip_space();
    if (at_ < text_.size()) {
      fail(at_, fmt::format("{} after the end of the document", shown(at_)),
           "a file holds one JSON value; remove what follows it");
    }
    return fault_;
  }

 private:
  enum class Expect { Value, ValueOrEnd, Key, KeyOrEnd, Colon, CommaOrEnd };

  struct Open {
    char bracket;
    std::size_t offset;
    std::size_t index = 0;                // array: of the element
    std::optional<std::string_view> key;  // object: of the member, once it is known
  };

  bool fail(std::size_t offset, std::string what, std::string hint, bool limit = false) {
    fault_ = JsonFault{offset, pointer(), limit, std::move(what), std::move(hint)};
    return false;
  }

  // After a complete value the fault is in what holds it.
  std::string pointer() const {
    constexpr std::size_t kMostLevels = 20;
    std::string pointer;
    for (std::size_t level = 0; level < std::min(open_.size(), kMostLevels); ++level) {
      const Open& open = open_[level];
      if (level + 1 == open_.size() && expect_ == Expect::CommaOrEnd) break;
      if (open.bracket == '[') pointer = pointer_append(pointer, open.index);
      if (open.bracket == '{' && open.key) pointer = pointer_append(pointer, *open.key);
    }
    return pointer;
  }

  bool check_start() {
    if (text_.starts_with("\xEF\xBB\xBF")) {
      return fail(0, "the text starts with a byte-order mark",
                  "save the file as UTF-8 without a byte-order mark");
    }
    if (starts_with_any(text_, {"\xFF\xFE", "\xFE\xFF"})) {
      return fail(0, "the text is UTF-16", "save the file as UTF-8");
    }
    if (text_.starts_with("\x1F\x8B"))
      return fail(0, "this is a gzip archive", "unpack it first, e.g. with gunzip");
    if (text_.starts_with("PK\x03\x04"))
      return fail(0, "this is a zip archive", "unpack it first, e.g. with unzip");
    skip_space();
    if (at_ == text_.size()) {
      return fail(at_, text_.empty() ? "the text is empty" : "the text has only spaces",
                  "give a JSON document");
    }
    if (text_[at_] == '<') return fail(at_, "this looks like XML or HTML, not JSON", "give a JSON document");
    return true;
  }

  bool step() {
    skip_space();
    if (at_ == text_.size()) return truncated();
    const char c = text_[at_];
    switch (expect_) {
      case Expect::ValueOrEnd:
        if (c == ']') return close();
        return value();
      case Expect::Value:
        return value();
      case Expect::KeyOrEnd:
        if (c == '}') return close();
        return key();
      case Expect::Key:
        return key();
      case Expect::Colon:
        if (c != ':') return unexpected("':' after the key");
        ++at_;
        expect_ = Expect::Value;
        return true;
      case Expect::CommaOrEnd:
        return comma_or_end();
    }
    return false;
  }

  bool truncated() {
    if (open_.empty())
      return fail(at_, "the text ends where a value should be", "the file seems cut off; fetch it again");
    return fail(at_,
                fmt::format("the text ends before the '{}' of {} is closed", open_.back().bracket,
                            line_and_column(text_, open_.back().offset)),
                "the file seems cut off; fetch it again");
  }

  bool comma_or_end() {
    const char bracket = open_.back().bracket;
    const char c = text_[at_];
    if (c == (bracket == '{' ? '}' : ']')) return close();
    if (c != ',') return unexpected(bracket == '{' ? "',' or '}'" : "',' or ']'");
    comma_ = at_++;
    ++open_.back().index;
    open_.back().key.reset();
    expect_ = bracket == '{' ? Expect::Key : Expect::Value;
    return true;
  }

  bool key() {
    if (text_[at_] == '}') return trailing_comma();
    if (text_[at_] != '"') return unexpected("a key in double quotes");
    const std::size_t begin = at_ + 1;
    if (!string()) return false;
    open_.back().key = text_.substr(begin, at_ - begin - 1);
    expect_ = Expect::Colon;
    return true;
  }

  bool trailing_comma() {
    expect_ = Expect::CommaOrEnd;
    return fail(comma_, "a comma with nothing after it", "remove this comma");
  }

  bool close() {
    ++at_;
    open_.pop_back();
    return after_value();
  }

  bool after_value() {
    expect_ = Expect::CommaOrEnd;
    done_ = open_.empty();
    return true;
  }

  bool value() {
    const char c = text_[at_];
    if (c == '{' || c == '[') return open(c);
    if (c == '"') return string() && after_value();
    if (c == '-' || is_digit(c)) return number();
    if (is_letter(c)) return word();
    if (c == ']' && expect_ == Expect::Value && !open_.empty() && open_.back().bracket == '[')
      return trailing_comma();
    if (c == '.' || c == '+') {
      return fail(at_, fmt::format("a number starts with {}", shown(at_)),
                  "numbers start with a digit or '-'");
    }
    return unexpected("a value");
  }

  bool open(char bracket) {
    if (open_.size() == max_depth_) {
      return fail(at_, fmt::format("nested deeper than {} levels", max_depth_),
                  "documents of this kind nest about 10 levels; check what wrote this file", true);
    }
    open_.push_back({bracket, at_++, 0, {}});
    expect_ = bracket == '{' ? Expect::KeyOrEnd : Expect::ValueOrEnd;
    return true;
  }

  // true, false, null, and the words that other writers emit.
  bool word() {
    const std::string_view word = letters_at(at_);
    if (word != "true" && word != "false" && word != "null") return bad_word(at_, word);
    at_ += word.size();
    return after_value();
  }

  std::string_view letters_at(std::size_t offset) const {
    std::size_t end = offset;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return text_.substr(offset, end - offset);
  }

  bool bad_word(std::size_t offset, std::string_view word) {
    std::string lower(word.substr(0, 40));
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower == "nan" || lower == "inf" || lower == "infinity") {
      return fail(
          offset, fmt::format("{} is not a JSON number", word),
          "give a finite number; look for an empty bin or a division by zero in what wrote this file");
    }
    if (lower == "true" || lower == "false")
      return fail(offset, fmt::format("'{}' is not JSON", word), "write " + lower);
    if (lower == "none") return fail(offset, fmt::format("'{}' is not JSON", word), "write null");
    if (offset + word.size() == text_.size()) {
      return fail(offset, fmt::format("the text ends with '{}'", lower),
                  "the file seems cut off; fetch it again");
    }
    return fail(offset, fmt::format("'{}' is not a JSON value", lower), "strings need double quotes");
  }

  bool number() {
    const std::size_t begin = at_;
    if (text_[at_] == '-') ++at_;
    if (at_ < text_.size() && is_letter(text_[at_])) return bad_word(at_, letters_at(at_));
    const std::size_t first_digit = at_;
    if (digits() == 0) return fail(begin, "'-' without digits", "write the number in full");
    if (text_[first_digit] == '0' && at_ - first_digit > 1) {
      return fail(begin, "a number with leading zeros", "remove the leading zeros");
    }
    bool integer = true;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      integer = false;
      if (digits() == 0)
        return fail(begin, "a number without digits after its point", "write e.g. 1.0, not 1.");
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      integer = false;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (digits() == 0) return fail(begin, "a number without digits in its exponent", "write e.g. 1e-5");
    }
    if (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) {
      return fail(begin,
                  fmt::format("{}... is not a JSON number",
                              text_.substr(begin, std::min<std::size_t>(at_ + 1 - begin, 40))),
                  "write a decimal number such as 12, 0.5 or 1e-5");
    }
    return check_size(text_.substr(begin, at_ - begin), begin, integer);
  }

  std::size_t digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ - begin;
  }

  bool check_size(std::string_view token, std::size_t offset, bool integer) {
    const char* const end = token.data() + token.size();
    std::errc failure{};
    if (integer && token.front() == '-') {
      std::int64_t parsed = 0;
      failure = std::from_chars(token.data(), end, parsed).ec;
    } else if (integer) {
      std::uint64_t parsed = 0;
      failure = std::from_chars(token.data(), end, parsed).ec;
    } else {
      double parsed = 0;
      if (!JsonCursor(token).number(parsed)) failure = std::errc::result_out_of_range;
    }
    if (failure == std::errc{}) return after_value();
    return fail(offset, fmt::format("the number {} is too large", shorten(token, 40)),
                integer ? "integers are limited to 64 bits; write it as 1.0e20"
                        : "the largest number is about 1.8e308",
                true);
  }

  bool string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        return fail(at_, fmt::format("{} inside a string", shown(at_)),
                    "close the string before the end of the line, or write \\n or \\t");
      }
      if (!(c == '\\' ? escape() : character())) return false;
    }
    return fail(begin, "a string that is never closed", "the file seems cut off or a quote is missing");
  }

  bool character() {
    const std::size_t length = utf8_length(text_.substr(at_));
    if (length == 0) {
      return fail(at_, fmt::format("{} is not valid UTF-8", shown(at_)), "save the file as UTF-8");
    }
    at_ += length;
    return true;
  }

  bool escape() {
    const std::size_t begin = at_++;
    if (at_ == text_.size()) return true;  // reported as a string that is never closed
    const char c = text_[at_++];
    if (c != 'u') {
      if (std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos) return true;
      return fail(begin, "an unknown escape in a string", "write \\\\ for a backslash");
    }
    const int unit = hex4();
    if (unit < 0) return fail(begin, "\\u needs four hexadecimal digits", "write \\\\ for a backslash");
    if (unit < 0xD800 || unit > 0xDFFF) return true;
    const bool paired = unit < 0xDC00 && text_.substr(at_).starts_with("\\u");
    if (paired) at_ += 2;
    const int second = paired ? hex4() : -1;
    if (second >= 0xDC00 && second <= 0xDFFF) return true;
    return fail(begin, "half of a surrogate pair in a string", "write the character itself, in UTF-8");
  }

  int hex4() {
    if (text_.size() - at_ < 4) return -1;
    int unit = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, failure] = std::from_chars(begin, begin + 4, unit, 16);
    if (failure != std::errc{} || end != begin + 4 || *begin == '-') return -1;
    at_ += 4;
    return unit;
  }

  bool unexpected(std::string_view wanted) {
    const char c = text_[at_];
    std::string hint = "check the line before too: a comma, quote or bracket may be missing";
    if (c == '\'') hint = "strings and keys need double quotes";
    if (c == '/' || c == '#') hint = "JSON has no comments; remove it";
    return fail(at_, fmt::format("{} where {} should be", shown(at_), wanted), std::move(hint));
  }

  // The character at a byte, for messages.
  std::string shown(std::size_t offset) const {
    const unsigned char byte = static_cast<unsigned char>(text_[offset]);
    if (byte == '\n' || byte == '\r') return "a line break";
    if (byte == '\t') return "a tab";
    const std::size_t length = utf8_length(text_.substr(offset));
    if (byte < 0x20 || byte == 0x7F || length == 0)
      return fmt::format("byte 0x{:02x}", static_cast<unsigned>(byte));
    return fmt::format("'{}'", text_.substr(offset, length));
  }

  void skip_space() {
    while (at_ < text_.size() && is_json_space(text_[at_])) ++at_;
  }

  std::string_view text_;
  std::size_t max_depth_;
  std::size_t at_ = 0;
  std::size_t comma_ = 0;  // the last comma, to be named when nothing follows it
  Expect expect_ = Expect::Value;
  bool done_ = false;
  std::vector<Open> open_;
  std::optional<JsonFault> fault_;
};

}  // namespace

std::optional<JsonFault> find_json_fault(std::string_view text, std::size_t max_depth) {
  return Scanner(text, max_depth).run();
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  const auto column = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(),
                                    [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }) +
                      1;
  return fmt::format("line {}, column {}", line, column);
}

}  // namespace nextstat

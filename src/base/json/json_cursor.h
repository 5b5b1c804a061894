// A cursor over JSON text: one value after the other, in one pass, without an index or a tree.
//
//   JsonCursor cursor(text);
//   for (bool more = cursor.enter('['); more; more = cursor.next(']')) {
//     double x;
//     if (!cursor.number(x)) ...          // what stands here is no number: cursor.rest() shows it
//   }
//   if (cursor.failed() || !cursor.at_end()) ...   // not strict JSON: find_json_fault says where and why
//
// Every call is strict: what it does not accept it leaves in place, except that a text which cannot go on as JSON (a bracket
// or comma that is missing, a string that is not UTF-8) makes the cursor fail, for good.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/decimal.h"

namespace nextstat {

inline bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
// What may follow a number or a word.
inline bool ends_json_token(char c) { return c == ',' || c == ']' || c == '}' || is_json_space(c); }

// A short word in quotes, and what follows it: compared 16 letters at once.
struct QuotedWord {
  std::array<std::uint64_t, 2> letters{}, mask{};
  std::size_t size = 0;  // with its quotes

  constexpr QuotedWord(std::string_view word, std::string_view after) {
    std::array<char, 16> text{}, used{};
    for (const std::string_view part : {std::string_view("\""), word, std::string_view("\""), after}) {
      for (const char c : part) {
        if (size < text.size()) text[size] = c, used[size] = '\xff';
        ++size;
      }
    }
    letters = std::bit_cast<std::array<std::uint64_t, 2>>(text);
    if (size <= text.size()) mask = std::bit_cast<std::array<std::uint64_t, 2>>(used);  // else never found
  }
};

class JsonCursor {
 public:
  enum class Kind { Object, Array, String, Number, Boolean, Null, None };

  static constexpr std::size_t kMaxDepth = 512;  // of nested brackets

  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  // Of the value that comes, by its first letter.
  Kind kind() {
    skip_spaces();
    return at_ == end_ ? Kind::None : kKinds[static_cast<unsigned char>(*at_)];
  }

  // Steps into an array '[' or object '{': whether it has an element or a key. The caller knows that it comes.
  bool enter(char bracket) {
    ++at_;
    if (comes(closing(bracket))) return false;
    return true;
  }

  // After an element: whether another comes, or the bracket closes.
  bool next(char closing_bracket) {
    skip_spaces();
    if (at_ < end_ && !failed_) {
      const char c = *at_++;
      if (c == ',') return true;
      if (c == closing_bracket) return false;
    }
    failed_ = true;
    return false;
  }

  // The key and its colon. The view lives until the next string is read.
  bool key(std::string_view& name) {
    skip_spaces();
    if (string(name) && comes(':')) return true;
    failed_ = true;
    return false;
  }

  // Past a word, if it comes just as it is and not close to the end of the text: else the other calls tell.
  bool comes(const QuotedWord& word) {
    if (end_ - at_ < 16 || (eight_bytes(at_) & word.mask[0]) != word.letters[0] ||
        (eight_bytes(at_ + 8) & word.mask[1]) != word.letters[1])
      return false;
    at_ += word.size;
    return true;
  }

  // The values. The view of a string lives until the next string is read.
  bool number(double& value);
  // Appends a number and those that follow with nothing but commas between them; returns how many.
  std::size_t numbers(std::vector<double>& values);
  bool boolean(bool& value);
  bool null();
  bool string(std::string_view& value) {
    skip_spaces();
    if (at_ == end_ || *at_ != '"') return false;
    const char* const begin = at_ + 1;
    const char* const stop = plain_end(begin);
    if (stop == end_ || *stop != '"') return unusual_string(value);
    value = {begin, static_cast<std::size_t>(stop - begin)};
    at_ = stop + 1;
    return true;
  }

  // Past spaces, as most calls do by themselves.
  void skip_spaces() {
    if (at_ < end_ && *at_ <= ' ') [[unlikely]]
      skip_all_spaces();
  }
  // Past the value that comes, whatever it is; a text that is no value makes the cursor fail.
  void skip();
  // Past some characters that are no JSON value.
  void skip_characters(std::size_t count) { at_ += count; }

  // The text from here on.
  std::string_view rest() {
    skip_spaces();
    return {at_, static_cast<std::size_t>(end_ - at_)};
  }
  // Where the last call stopped.
  const char* position() const { return at_; }
  bool at_end() { return rest().empty(); }
  bool failed() const { return failed_; }

 private:
  static constexpr auto kKinds = [] {
    std::array<Kind, 256> kinds;
    kinds.fill(Kind::None);
    kinds['{'] = Kind::Object;
    kinds['['] = Kind::Array;
    kinds['"'] = Kind::String;
    kinds['t'] = kinds['f'] = Kind::Boolean;
    kinds['n'] = Kind::Null;
    kinds['-'] = Kind::Number;
    for (unsigned char digit = '0'; digit <= '9'; ++digit) kinds[digit] = Kind::Number;
    return kinds;
  }();

  static constexpr char closing(char bracket) { return bracket == '{' ? '}' : ']'; }

  void skip_all_spaces();

  // Past a character, if it comes.
  [[gnu::always_inline]] bool comes(char c) {
    skip_spaces();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  // The first quote, backslash, control character or byte beyond ASCII (a negative char).
  const char* plain_end(const char* text) const {
    if constexpr (std::endian::native == std::endian::little) {
      using Bytes [[gnu::vector_size(16)]] = signed char;
      using Words [[gnu::vector_size(16)]] = std::uint64_t;
      for (; end_ - text >= 16; text += 16) {
        Bytes bytes;
        std::memcpy(&bytes, text, sizeof bytes);
        const auto marks = reinterpret_cast<Words>((bytes == '"') | (bytes == '\\') | (bytes < 0x20));
        if (marks[0] != 0) return text + std::countr_zero(marks[0]) / 8;
        if (marks[1] != 0) return text + 8 + std::countr_zero(marks[1]) / 8;
      }
    }
    while (text < end_ && *text != '"' && *text != '\\' && static_cast<signed char>(*text) >= 0x20) ++text;
    return text;
  }

  // The end of the number, its begin if there is none, null if the library must read it.
  static const char* plain_number(const char* begin, const char* end, double& value);
  bool number_by_library(double& value);
  bool unusual_string(std::string_view& value);
  bool escape(const char*& text);
  bool beyond_ascii(const char*& text);

  const char* at_;
  const char* end_;
  bool failed_ = false;
  std::string decoded_;  // the last string with escapes
};

inline const char* JsonCursor::plain_number(const char* const begin, const char* end, double& value) {
  const bool minus = begin < end && *begin == '-';
  const char* const first = begin + (minus ? 1 : 0);
  const char* text = first;
  std::uint64_t digits = 0;  // of the number without its point, as long as they fit
  for (unsigned digit = 0; text < end && (digit = static_cast<unsigned>(*text - '0')) <= 9; ++text)
    digits = 10 * digits + digit;
  const std::ptrdiff_t whole = text - first;
  if (whole != 1 && (whole <= 0 || *first == '0')) return begin;
  std::ptrdiff_t decimals = 0;
  if (text < end && *text == '.') {
    const char* const point = text++;
    append_digits(text, end, digits);
    decimals = text - point - 1;
    if (decimals == 0) return begin;
  }
  const bool ends = text == end || *text == ',' || ends_json_token(*text);
  if (!ends || (whole + decimals > 19 && whole + decimals - (*first == '0' ? 1 : 0) > 19)) return nullptr;
  return nearest_double(digits, static_cast<unsigned>(decimals), minus, value) ? text : nullptr;
}

inline bool JsonCursor::number(double& value) {
  skip_spaces();
  const char* const stop = plain_number(at_, end_, value);
  if (stop == nullptr) return number_by_library(value);
  return std::exchange(at_, stop) != stop;
}

inline std::size_t JsonCursor::numbers(std::vector<double>& values) {
  skip_spaces();
  double value = 0, other = 0;  // what only a register holds is quicker
  const std::size_t before = values.size();
  const char *text = at_, *stop;
  while ((stop = plain_number(text, end_, value)) != nullptr && stop != text) {
    values.push_back(value);
    at_ = stop;
    if (stop == end_ || *stop != ',') break;
    text = stop + 1;
  }
  if (stop == nullptr && text == at_ && number_by_library(other)) values.push_back(other);
  return values.size() - before;
}

}  // namespace nextstat

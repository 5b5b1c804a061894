#include "base/json/json_cursor.h"

#include <charconv>

#include "base/utf8.h"

namespace nextstat {
namespace {

// Of a number that is out of range: whether it is too large, and not so small that it is zero.
bool is_huge(const char* first, const char* end) {
  long long power = 0;  // the number is 0.d... times ten to it
  while (first < end && is_digit(*first)) ++first, ++power;
  if (first[-1] == '0' && power == 1) power = 0;
  const std::string_view rest(first, static_cast<std::size_t>(end - first));
  const std::size_t mark = rest.find_first_of("eE");
  if (power == 0 && rest.starts_with('.')) {
    power = 1 - static_cast<long long>(rest.find_first_not_of('0', 1));
  }
  if (mark == rest.npos) return power > 0;
  const std::size_t digits = mark + (rest[mark + 1] == '+' ? 2 : 1);
  int exponent = 0;
  if (std::from_chars(first + digits, end, exponent).ec != std::errc{}) return rest[mark + 1] != '-';
  return power + exponent > 0;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// Four hexadecimal digits, past which the text moves.
bool hexadecimal(const char*& text, const char* end, std::uint32_t& value) {
  if (end - text < 4 || *text == '-') return false;
  const auto [stop, failure] = std::from_chars(text, text + 4, value, 16);
  if (failure != std::errc{} || stop != text + 4) return false;
  text = stop;
  return true;
}

}  // namespace

void JsonCursor::skip_all_spaces() {
  if (!is_json_space(*at_)) return;
  ++at_;
  while (end_ - at_ >= 8 && eight_bytes(at_) == 0x2020202020202020u) at_ += 8;  // indented text
  while (at_ < end_ && is_json_space(*at_)) ++at_;
}

bool JsonCursor::number_by_library(double& value) {
  const auto [stop, failure] = std::from_chars(at_, end_, value);
  if (failure != std::errc{}) {
    if (failure != std::errc::result_out_of_range || is_huge(at_ + (*at_ == '-' ? 1 : 0), stop)) return false;
    value = *at_ == '-' ? -0.0 : 0.0;
  }
  if (stop < end_ && !ends_json_token(*stop)) return false;
  at_ = stop;
  return true;
}

bool JsonCursor::boolean(bool& value) {
  const std::string_view here = rest();
  const bool is_true = here.starts_with("true");
  if (!is_true && !here.starts_with("false")) return false;
  const std::size_t length = is_true ? 4 : 5;
  if (here.size() > length && !ends_json_token(here[length])) return false;
  value = is_true;
  at_ += length;
  return true;
}

bool JsonCursor::null() {
  const std::string_view here = rest();
  if (!here.starts_with("null") || (here.size() > 4 && !ends_json_token(here[4]))) return false;
  at_ += 4;
  return true;
}

// A string with escapes or characters beyond ASCII, or none at all.
bool JsonCursor::unusual_string(std::string_view& value) {
  const char* text = at_ + 1;
  decoded_.clear();
  for (;;) {
    const char* const stop = plain_end(text);
    decoded_.append(text, stop);
    text = stop;
    if (text < end_ && *text == '"') break;
    if (text == end_ || !(*text == '\\' ? escape(text) : beyond_ascii(text))) {
      failed_ = true;
      return false;
    }
  }
  at_ = text + 1;
  value = decoded_;
  return true;
}

// False: a control character, or not UTF-8.
bool JsonCursor::beyond_ascii(const char*& text) {
  const std::size_t length = utf8_length({text, static_cast<std::size_t>(end_ - text)});
  decoded_.append(text, length);
  text += length;
  return length > 1;
}

bool JsonCursor::escape(const char*& text) {
  if (end_ - text < 2) return false;
  static constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const char letter = text[1];
  text += 2;
  if (letter != 'u') {
    const std::size_t which = kLetters.find(letter);
    if (which == kLetters.npos) return false;
    decoded_ += kMeanings[which];
    return true;
  }
  std::uint32_t code = 0;
  if (!hexadecimal(text, end_, code)) return false;
  if (code >= 0xD800 && code <= 0xDFFF) {  // half of a character beyond U+FFFF
    std::uint32_t second = 0;
    if (code >= 0xDC00 || end_ - text < 2 || text[0] != '\\' || text[1] != 'u') return false;
    text += 2;
    if (!hexadecimal(text, end_, second) || second < 0xDC00 || second > 0xDFFF) return false;
    code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
  }
  append_utf8(decoded_, code);
  return true;
}

// The brackets that are open stand in a string: deep nesting cannot exhaust the stack.
void JsonCursor::skip() {
  std::string open;
  std::string_view text;
  double x = 0;
  bool word = false;
  do {
    const Kind here = kind();
    if (here == Kind::Array || here == Kind::Object) {
      const char bracket = *at_;
      if (open.size() == kMaxDepth) failed_ = true;
      if (!failed_ && enter(bracket)) {
        open += closing(bracket);
        if (bracket == '{') key(text);
        continue;
      }
    } else if (!(here == Kind::String    ? string(text)
                 : here == Kind::Number  ? number(x)
                 : here == Kind::Boolean ? boolean(word)
                                         : here == Kind::Null && null())) {
      failed_ = true;
    }
    while (!failed_ && !open.empty() && !next(open.back())) {
      if (!failed_) open.pop_back();
    }
    if (!failed_ && !open.empty() && open.back() == '}') key(text);
  } while (!failed_ && !open.empty());
}

}  // namespace nextstat

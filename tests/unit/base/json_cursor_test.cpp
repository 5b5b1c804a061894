// The cursor against independent readers: std::from_chars for numbers, nlohmann-json for whole documents.
#include "base/json/json_cursor.h"

#include <gtest/gtest.h>
#include <nextstat/json.h>

#include <charconv>
#include <cmath>
#include <random>

#include "same_bits.h"

namespace nextstat {
namespace {

using test::same_bits;

// The number at the end of a text, and with more behind it: blocks of bytes end differently.
void expect_number(const std::string& token) {
  double expected = 0;
  ASSERT_EQ(std::from_chars(token.data(), token.data() + token.size(), expected).ec, std::errc{}) << token;
  const std::string followed = token + ",        ";
  for (const std::string& text : {token, followed}) {
    JsonCursor cursor(text);
    double found = 0;
    ASSERT_TRUE(cursor.number(found)) << text;
    ASSERT_TRUE(same_bits(std::span(&found, 1), std::span(&expected, 1))) << text << ": " << found;
    ASSERT_EQ(cursor.position() - text.data(), static_cast<std::ptrdiff_t>(token.size())) << text;
  }
}

TEST(JsonCursor, ReadsDigitsToTheNearestDouble) {
  std::mt19937_64 random(1);
  const auto digits = [&](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('0' + random() % 10);
    return text;
  };
  for (int i = 0; i < 50'000; ++i) {
    std::string token = random() % 2 == 0 ? "-" : "";
    token += random() % 3 == 0 ? "0" : std::to_string(1 + random() % 9) + digits(random() % 4);
    if (random() % 8 != 0) token += "." + digits(1 + random() % 24);
    expect_number(token);
  }
}

TEST(JsonCursor, ReadsWhatDoublesAndFloatsPrint) {
  std::mt19937_64 random(2);
  char buffer[400];
  const auto printed = [&](double x, std::chars_format format) {
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, x, format).ptr);
  };
  for (int i = 0; i < 50'000; ++i) {
    const double x =
        std::ldexp(1 + std::generate_canonical<double, 53>(random), static_cast<int>(random() % 80) - 40);
    for (const double y : {x, static_cast<double>(static_cast<float>(x))}) {
      expect_number(printed(y, std::chars_format::general));
      expect_number(printed(y, std::chars_format::fixed));
    }
  }
}

// Exactly between two doubles, and next to it: here the short way must give up, not guess.
TEST(JsonCursor, RoundsTiesToEven) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t odd = (std::uint64_t{1} << 53 | random() % (std::uint64_t{1} << 53)) | 1;
    expect_number(std::to_string(odd));
    expect_number(std::to_string(odd) + ".000");
    expect_number(std::to_string(odd) + ".001");
    expect_number(std::to_string((std::uint64_t{1} << 52) + random() % (std::uint64_t{1} << 52)) + ".5");
    expect_number(std::to_string((std::uint64_t{1} << 50) + random() % (std::uint64_t{1} << 50)) + ".125");
  }
}

TEST(JsonCursor, ReadsNumbersOfEverySize) {
  for (const char* token :
       {"0", "-0", "0.0", "-0.0", "1e5", "1E+5", "1.5e-5", "12345678901234567890123", "5e-324",
        "1.7976931348623157e308", "2.2250738585072014e-308", "0.00000000000000000000000000001",
        "9007199254740993", "18446744073709551615", "0.1234567890123456789012345678901234567890"})
    expect_number(token);
}

TEST(JsonCursor, ReadsWhatIsTooSmallAsZero) {
  const std::string zeros(400, '0');
  for (const std::string& token :
       {std::string("1e-400"), "0." + zeros + "1", "1" + zeros + "e-900", std::string("-1e-999999999999")}) {
    JsonCursor cursor(token);
    double found = 1;
    EXPECT_TRUE(cursor.number(found)) << token;
    EXPECT_EQ(found, 0) << token;
    EXPECT_EQ(std::signbit(found), token.front() == '-') << token;
  }
}

TEST(JsonCursor, RefusesWhatIsNoNumber) {
  const std::string digits(400, '9');
  for (const std::string& token : {std::string("01"),
                                   std::string("-01"),
                                   std::string("1."),
                                   std::string("1.e5"),
                                   std::string(".5"),
                                   std::string("+1"),
                                   std::string("-"),
                                   std::string("1e"),
                                   std::string("1e+"),
                                   std::string("inf"),
                                   std::string("-inf"),
                                   std::string("nan"),
                                   std::string("0x10"),
                                   std::string("1.5.5"),
                                   std::string("12abc"),
                                   std::string("1e999"),
                                   digits,
                                   digits + "e-5",
                                   std::string("1e999999999999"),
                                   std::string("12345678x"),
                                   std::string("1:"),
                                   std::string("")}) {
    JsonCursor cursor(token);
    double x = 0;
    EXPECT_FALSE(cursor.number(x)) << token;
    EXPECT_EQ(cursor.position(), token.data()) << token;
    EXPECT_FALSE(cursor.failed()) << token;
  }
}

// Every place that a character can have in a block of bytes.
TEST(JsonCursor, ReadsStringsWithEverythingAtEveryPlace) {
  const std::pair<const char*, const char*> pieces[] = {{"\\n", "\n"},
                                                        {"\\\"", "\""},
                                                        {"\\\\", "\\"},
                                                        {"\\/", "/"},
                                                        {"\\u00e9", "\xC3\xA9"},
                                                        {"\\ud83d\\ude00", "\xF0\x9F\x98\x80"},
                                                        {"\\u20AC", "\xE2\x82\xAC"},
                                                        {"\xC3\xA9", "\xC3\xA9"},
                                                        {"\x7F", "\x7F"}};
  for (std::size_t before = 0; before < 40; ++before) {
    for (const auto& [written, meant] : pieces) {
      const std::string front(before, 'a'), text = "\"" + front + written + "bc\" rest";
      JsonCursor cursor(text);
      std::string_view found;
      ASSERT_TRUE(cursor.string(found)) << text;
      ASSERT_EQ(found, front + meant + "bc");
      ASSERT_EQ(cursor.rest(), "rest");
    }
    for (const char* bad : {"\n", "\x1F", "\xFF", "\xC3", "\xED\xA0\x80", "\\x", "\\u12", "\\ud83d",
                            "\\ud83dx", "\\ude00", "\\u-123"}) {
      const std::string text = "\"" + std::string(before, 'a') + bad + "\"";
      JsonCursor cursor(text);
      std::string_view found;
      ASSERT_FALSE(cursor.string(found)) << text;
      ASSERT_TRUE(cursor.failed()) << text;
    }
    const std::string open = "\"" + std::string(before, 'a');
    JsonCursor cursor(open);
    std::string_view found;
    ASSERT_FALSE(cursor.string(found));
    ASSERT_TRUE(cursor.failed());
  }
}

TEST(JsonCursor, SkipsWholeValuesAndFailsOnHalfOnes) {
  for (const char* value : {"[]", "{}", "[1, [2, {\"a\": [3, null, true]}], \"]\"]",
                            "{\"a\": {\"b\": []}, \"c\": 1e5}", "-0.5", "\"}\"", "null"}) {
    JsonCursor cursor(value);
    cursor.skip();
    EXPECT_FALSE(cursor.failed()) << value;
    EXPECT_TRUE(cursor.at_end()) << value;
  }
  for (const char* value : {"[", "[1", "[1,", "[1,]", "[1 2]", "{", "{\"a\"", "{\"a\":", "{\"a\":1",
                            "{\"a\":1,}", "{a:1}", "[}", "t", "nul", "\"a", "", "]"}) {
    JsonCursor cursor(value);
    cursor.skip();
    EXPECT_TRUE(cursor.failed()) << value;
  }
  JsonCursor deep{std::string_view("x")};
  const std::string brackets(10'000'000, '[');
  deep = JsonCursor(brackets);
  deep.skip();
  EXPECT_TRUE(deep.failed());
}

// Documents with some bytes changed: accepted by both readers or by none, with the same values. Ours refuses repeated keys
// and integers over 64 bits, which the other accepts.
TEST(JsonCursor, AgreesWithAnotherReaderOnDamagedDocuments) {
  const std::string document =
      R"({"channels": [{"name": "SR", "data": [1.5, -2e-3, 0, 17, 123456789.125], "x": null},
 {"name": "\u00e9\t\"q\" )"
      "\xC3\xA9"
      R"(", "flags": [true, false, []], "e": {}}], "version": "1.0.0"})";
  const std::string letters = "{}[]\",:0123456789.eE+- \n\ttrufalsn\\\"u\x80\xC3\xFF";
  std::mt19937_64 random(4);
  std::size_t accepted = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text = document;
    for (std::uint64_t change = 0; change <= random() % 3; ++change) {
      const std::size_t at = random() % (text.size() + 1);
      const char letter = letters[random() % letters.size()];
      switch (random() % 4) {
        case 0:
          text.replace(at, 1, 1, letter);
          break;
        case 1:
          text.insert(at, 1, letter);
          break;
        case 2:
          text.erase(at, 1 + random() % 3);
          break;
        default:
          text.erase(random() % 8 == 0 ? at : text.size());
      }
    }
    const Json other = Json::parse(text, nullptr, false);
    const Result<Json> ours = parse_json(text);
    const Result<std::string> canonical = canonical_json(text);
    if (!ours) {
      const std::string& what = ours.errors().front().what;
      const bool repeated = what.find("twice") != what.npos, large = what.find("too large") != what.npos;
      ASSERT_TRUE(other.is_discarded() || repeated || large) << text << "\n" << what;
      ASSERT_TRUE(!canonical || large) << text << "\n" << what;
      continue;
    }
    ASSERT_TRUE(canonical) << text;
    ++accepted;
    ASSERT_FALSE(other.is_discarded()) << text;
    ASSERT_EQ(dump_json(*ours), dump_json(other)) << text;
    ASSERT_EQ(*canonical, dump_json(*ours)) << text;
  }
  EXPECT_GT(accepted, 5'000u);
}

}  // namespace
}  // namespace nextstat

// Text for screens: what is escaped, how, and what stays.

#include <gtest/gtest.h>
#include <nextstat/text.h>
#include <nlohmann/json.hpp>

#include <string>

namespace nextstat {
namespace {

TEST(Printable, TextOfAllLanguagesStays) {
  const std::string text = "mu ± σ, Größe, Δφ, 信号, 🙂, \"quoted\" \\back";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable_lines(text), text);
  EXPECT_EQ(printable_json(text), text);
}

TEST(Printable, ControlsBecomeEscapes) {
  EXPECT_EQ(printable("a\x1b[2J"), "a\\x1b[2J");
  EXPECT_EQ(printable(std::string("\0\t\r\x7f", 4)), "\\x00\\x09\\x0d\\x7f");
  EXPECT_EQ(printable("\u009b31m\u0085"), "\\x9b31m\\x85");
}

TEST(Printable, FormatCharactersBecomeEscapes) {
  EXPECT_EQ(printable("\u202e\u2066\u200f\u061c\u200b\ufeff"), "\\u202e\\u2066\\u200f\\u061c\\u200b\\ufeff");
  EXPECT_EQ(printable("\u2028\u2029"), "\\u2028\\u2029");
  EXPECT_EQ(printable("\U000e0041"), "\\U000e0041");
}

TEST(Printable, NewlinesStayBetweenLinesOnly) {
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
  EXPECT_EQ(printable_lines("a\nb\x1b"), "a\nb\\x1b");
}

TEST(Printable, BytesThatAreNotUtf8BecomeEscapes) {
  EXPECT_EQ(printable("a\xff\x9b\xc3"), "a\\xff\\x9b\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // ESC in two bytes
}

TEST(Printable, TwiceIsOnce) {
  const std::string once = printable("\x1b\u202e\xff\n");
  EXPECT_EQ(printable(once), once);
}

TEST(Printable, JsonKeepsItsValue) {
  const nlohmann::json value = {{"name\u202e", "\u009b\U000e0041\u2028\x7f\x1b\n"}};
  const std::string text = printable_json(value.dump(2));
  EXPECT_EQ(nlohmann::json::parse(text), value);
  EXPECT_NE(text.find("\\u009b\\udb40\\udc41\\u2028\\u007f"), text.npos);
  EXPECT_EQ(text.find("\u202e"), text.npos);
}

TEST(Printable, JsonWithBrokenUtf8IsJson) {
  EXPECT_EQ(nlohmann::json::parse(printable_json("\"a\xff\"")), "a\ufffd");
}

}  // namespace
}  // namespace nextstat

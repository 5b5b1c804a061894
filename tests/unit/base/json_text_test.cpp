#include <gtest/gtest.h>
#include <nextstat/json.h>
#include <nextstat/text.h>

#include <chrono>
#include <limits>

#include "base/json/json_values.h"
#include "mentions.h"

namespace nextstat {
namespace {

using test::mentions;

Error first_error(std::string_view text) {
  const Result<Json> parsed = parse_json(text);
  EXPECT_FALSE(parsed) << text;
  return parsed ? Error{} : parsed.errors().front();
}

std::string round_trip(std::string_view text) {
  const Result<Json> parsed = parse_json(text);
  return parsed ? dump_json(*parsed) : "error: " + parsed.errors().front().what;
}

TEST(FloatRepr, IsPythons) {
  EXPECT_EQ(python_float_repr(0.0), "0.0");
  EXPECT_EQ(python_float_repr(-0.0), "-0.0");
  EXPECT_EQ(python_float_repr(1.0), "1.0");
  EXPECT_EQ(python_float_repr(0.1), "0.1");
  EXPECT_EQ(python_float_repr(-2.5), "-2.5");
  EXPECT_EQ(python_float_repr(100000.0), "100000.0");
  EXPECT_EQ(python_float_repr(123456789012345.67), "123456789012345.67");
  EXPECT_EQ(python_float_repr(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(python_float_repr(1e16), "1e+16");
  EXPECT_EQ(python_float_repr(1.5e16), "1.5e+16");
  EXPECT_EQ(python_float_repr(1e22), "1e+22");
  EXPECT_EQ(python_float_repr(1e100), "1e+100");
  EXPECT_EQ(python_float_repr(0.0001), "0.0001");
  EXPECT_EQ(python_float_repr(0.00012345), "0.00012345");
  EXPECT_EQ(python_float_repr(9.999999999999999e-05), "9.999999999999999e-05");
  EXPECT_EQ(python_float_repr(1e-5), "1e-05");
  EXPECT_EQ(python_float_repr(5e-324), "5e-324");
  EXPECT_EQ(python_float_repr(1.7976931348623157e308), "1.7976931348623157e+308");
}

TEST(DumpJson, KeepsIntegersAndFloatsApart) {
  EXPECT_EQ(round_trip("[1, 1.0, 1e5, -0, -0.0, 18446744073709551615, -9223372036854775808]"),
            "[1, 1.0, 100000.0, 0, -0.0, 18446744073709551615, -9223372036854775808]");
}

TEST(DumpJson, SortsKeysByCodePoint) {
  EXPECT_EQ(round_trip(R"({"b":1,"a":2,"é":3,"Z":4,"😀":5,"￿":6})"),
            R"({"Z": 4, "a": 2, "b": 1, "é": 3, "￿": 6, "😀": 5})");
}

TEST(DumpJson, EscapesWhatPythonEscapes) {
  EXPECT_EQ(round_trip(R"(["\u0000\u001f\u007f\b\f\n\r\t\"\\\/é\u00e9\ud83d\ude00"])"),
            "[\"\\u0000\\u001f\x7f\\b\\f\\n\\r\\t\\\"\\\\/éé😀\"]");
}

TEST(DumpJson, IndentsAsPython) {
  EXPECT_EQ(
      dump_json(*parse_json(R"({"a":[1,{"b":null}],"c":[],"d":{}})"), 4),
      "{\n    \"a\": [\n        1,\n        {\n            \"b\": null\n        }\n    ],\n    \"c\": [],\n"
      "    \"d\": {}\n}");
}

TEST(DumpJson, WritesNumbersThatDoNotExistAsNull) {
  EXPECT_EQ(dump_json(Json(std::numeric_limits<double>::quiet_NaN())), "null");
  EXPECT_EQ(dump_json(Json(std::numeric_limits<double>::infinity())), "null");
}

TEST(CanonicalJson, EqualsDumpOfTheTree) {
  for (const char* text :
       {"{}", "[]", "[[]]", "3", R"("x")", R"({"b": [1, 2.5, {"z": {}, "a": []}], "a": null})",
        R"({"é":true,"e":false,"":1e-7})"}) {
    EXPECT_EQ(*canonical_json(text), round_trip(text)) << text;
  }
  EXPECT_EQ(canonical_json(R"({"a":{"b":1,"b":1}})").errors().front().where.inside, "/a/b");
}

TEST(CanonicalJson, KeepsIntegersOfAnySize) {
  EXPECT_EQ(
      canonical_json("[12345678901234567890123, -98765432109876543210, -0, 18446744073709551615]").value(),
      "[12345678901234567890123, -98765432109876543210, 0, 18446744073709551615]");
}

TEST(ParseJson, ListsEveryRepeatedKeyWithItsPointer) {
  const Result<Json> parsed = parse_json(R"({"a": [{"x/y": 1, "x/y": 2}], "b": 1, "b": 2})");
  ASSERT_FALSE(parsed);
  ASSERT_EQ(parsed.errors().size(), 2u);
  EXPECT_EQ(parsed.errors()[0].where.inside, "/a/0/x~1y");
  EXPECT_EQ(parsed.errors()[1].where.inside, "/b");
}

TEST(ParseJson, SaysWhereTheFaultIs) {
  const auto place = [](const std::string& text) {
    const Error error = first_error(text);
    return error.where.inside + " " + error.what.substr(0, error.what.find(':'));
  };
  EXPECT_EQ(place("{\"a\": 1,\n \"b\" 2}"), "/b line 2, column 6");
  EXPECT_EQ(place("{\"ééé\": x}"), "/ééé line 1, column 9");
  EXPECT_EQ(place("[1, 2,\n 3,\n]"), " line 2, column 3");
  EXPECT_EQ(place("[1] 2"), " line 1, column 5");
  EXPECT_EQ(place("{\"a\": [{\"b/c\": [1, 2, NaN]}]}"), "/a/0/b~1c/2 line 1, column 23");
  EXPECT_EQ(place("{\"a\": [1, 2"), "/a line 1, column 12");
  EXPECT_EQ(place("{\"a\": [1, 2,"), "/a/2 line 1, column 13");
  EXPECT_EQ(place("{\"a\": {\"b\": 1, c: 2}}"), "/a line 1, column 16");
}

struct Fault {
  std::string text;
  std::string part;  // of the sentence
};

TEST(ParseJson, NamesTheFault) {
  const std::vector<Fault> faults = {
      {"", "empty"},
      {" \n ", "only spaces"},
      {"\xEF\xBB\xBF{}", "byte-order mark"},
      {std::string("\xFF\xFE{\0}\0", 6), "UTF-16"},
      {"\x1F\x8B\x08", "gzip"},
      {"<html>", "XML or HTML"},
      {"[NaN]", "NaN is not a JSON number"},
      {"[-Infinity]", "Infinity is not a JSON number"},
      {"[True]", "'True' is not JSON"},
      {"[None]", "'None' is not JSON"},
      {"[nul", "the text ends with 'nul'"},
      {"[abc]", "'abc' is not a JSON value"},
      {"{\"a\": [1, 2", "before the '[' of line 1, column 7 is closed"},
      {"{\"a\": \"b", "never closed"},
      {"{\"a\" 1}", "where ':' after the key should be"},
      {"{\"a\": 1 \"b\": 2}", "where ',' or '}' should be"},
      {"{\"a\": 1,}", "a comma with nothing after it"},
      {"[1,]", "a comma with nothing after it"},
      {"[,1]", "where a value should be"},
      {"{'a': 1}", "a key in double quotes"},
      {"{a: 1}", "a key in double quotes"},
      {"[1 // one\n]", "'/' where"},
      {"[01]", "leading zeros"},
      {"[0x1F]", "0x... is not a JSON number"},
      {"[1.5.2]", "1.5.... is not a JSON number"},
      {"[1.]", "after its point"},
      {"[.5]", "starts with '.'"},
      {"[+1]", "starts with '+'"},
      {"[1e]", "in its exponent"},
      {"[-]", "'-' without digits"},
      {"[1e400]", "too large"},
      {"[18446744073709551616]", "too large"},
      {"[\"\x01\"]", "byte 0x01 inside a string"},
      {"[\"a\nb\"]", "a line break inside a string"},
      {"[\"\\x\"]", "unknown escape"},
      {"[\"\\u12g4\"]", "four hexadecimal digits"},
      {"[\"\\ud800\"]", "half of a surrogate pair"},
      {"[\"\xC3\x28\"]", "not valid UTF-8"},
      {"[\"\xED\xA0\x80\"]", "not valid UTF-8"},
      {std::string("[1, \0]", 6), "byte 0x00 where"},
      {"{} {}", "after the end of the document"},
      {"[1}", "where ',' or ']' should be"},
  };
  for (const Fault& fault : faults) {
    const Error error = first_error(fault.text);
    EXPECT_TRUE(mentions(error.what, fault.part)) << fault.text << " -> " << error.what;
    EXPECT_FALSE(error.hint.empty()) << fault.text;
    EXPECT_TRUE(mentions(error.what, "line ")) << fault.text;
  }
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); }

TEST(ParseJson, Accepts512LevelsAndRefusesMore) {
  EXPECT_TRUE(parse_json(nested(512)));
  const Error error = first_error(nested(513));
  EXPECT_EQ(error.code, ErrorCode::LimitExceeded);
  EXPECT_TRUE(mentions(error.what, "deeper than 512"));
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kMostSeconds = 60;
#else
constexpr int kMostSeconds = 4;
#endif

TEST(ParseJson, RefusesMegabytesOfBracketsOrJunkQuickly) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(parse_json(std::string(5'000'000, '[')));
  EXPECT_FALSE(parse_json(std::string(5'000'000, '\xFE')));
  EXPECT_FALSE(parse_json("[" + std::string(5'000'000, '1') + "]"));
  std::string almost = "[0";
  while (almost.size() < 5'000'000) almost += ",1";
  EXPECT_FALSE(parse_json(almost));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(kMostSeconds));
}

TEST(EqualValues, ComparesNumbersByValueExactly) {
  const auto equal = [](const char* a, const char* b) {
    return equal_values(*parse_json(a), *parse_json(b));
  };
  EXPECT_TRUE(equal("[1, {\"a\": 2.0}]", "[1.0, {\"a\": 2}]"));
  EXPECT_TRUE(equal("18446744073709551615", "18446744073709551615"));
  EXPECT_FALSE(equal("18446744073709551615", "-1"));
  EXPECT_FALSE(equal("9007199254740993", "9007199254740992.0"));
  EXPECT_TRUE(equal("9007199254740992", "9007199254740992.0"));
  EXPECT_FALSE(equal("18446744073709551615", "1.8446744073709552e19"));
  EXPECT_FALSE(equal("1", "\"1\""));
  EXPECT_FALSE(equal("1", "true"));
  EXPECT_FALSE(equal("[1]", "[1, 2]"));
  EXPECT_FALSE(equal("{\"a\": 1}", "{\"b\": 1}"));
}

TEST(Pointer, EscapesItsTokens) {
  EXPECT_EQ(pointer_append("/a", "b/c~d"), "/a/b~1c~0d");
  EXPECT_EQ(pointer_append("", std::size_t{3}), "/3");
}

TEST(Suggest, FindsTheMistypedName) {
  const std::vector<std::string> names = {"signal", "background", "ttbar", "SR1"};
  EXPECT_EQ(closest_name("signl", names), "signal");
  EXPECT_EQ(closest_name("tbtar", names), "ttbar");
  EXPECT_EQ(closest_name("sr1", names), "SR1");
  EXPECT_EQ(closest_name("zzz", names), "");
  EXPECT_EQ(did_you_mean("zzz", names, "see inspect").text, "see inspect");
}

}  // namespace
}  // namespace nextstat

// How numbers look on a screen: rounding, bars, progress; how people write them: lists of names, amounts of memory.
#include <gtest/gtest.h>

#include <limits>

#include "input/values.h"
#include "screen/progress.h"
#include "screen/rounding.h"

namespace nextstat::cli {
namespace {

TEST(Rounding, TheExamplesOfTheParticleDataGroup) {
  EXPECT_EQ(rounded(0.827, 0.119).text(), "0.83 ± 0.12");
  EXPECT_EQ(rounded(0.827, 0.367).text(), "0.8 ± 0.4");
}

TEST(Rounding, TheThreeLeadingDigitsDecide) {
  EXPECT_EQ(rounded(1.23456, 0.100).text(), "1.23 ± 0.10");
  EXPECT_EQ(rounded(1.23456, 0.354).text(), "1.23 ± 0.35");
  EXPECT_EQ(rounded(1.23456, 0.355).text(), "1.2 ± 0.4");
  EXPECT_EQ(rounded(1.23456, 0.0949).text(), "1.23 ± 0.09");
  EXPECT_EQ(rounded(1.23456, 0.0950).text(), "1.23 ± 0.10");
  EXPECT_EQ(rounded(1.23456, 0.999).text(), "1.2 ± 1.0");
  EXPECT_EQ(rounded(1.23456, 0.9996).text(), "1.2 ± 1.0");
}

TEST(Rounding, LargeUncertaintiesRoundBeforeTheDecimalPoint) {
  EXPECT_EQ(rounded(12345, 1234).text(), "12300 ± 1200");
  EXPECT_EQ(rounded(12345, 567).text(), "12300 ± 600");
  EXPECT_EQ(rounded(12345, 12.3).text(), "12345 ± 12");
}

TEST(Rounding, FarFromOneThereIsAPowerOfTen) {
  EXPECT_EQ(rounded(1.2341e9, 2.3e7).text(), "(1.234 ± 0.023)e+09");
  EXPECT_EQ(rounded(-1.5e-12, 2e-13).text(), "(-1.50 ± 0.20)e-12");
}

TEST(Rounding, ZeroHasNoSign) {
  EXPECT_EQ(rounded(-0.001, 0.5).text(), "0.0 ± 0.5");
  EXPECT_EQ(rounded(0, 0.012).text(), "0.000 ± 0.012");
}

TEST(Rounding, TwoSidesEndAtTheSameDecimal) {
  EXPECT_EQ(rounded_text(1.2345, -0.123, 0.456), "1.23 +0.46 -0.12");
  EXPECT_EQ(rounded_text(2.0, -0.5, 0.6), "2.0 +0.6 -0.5");
}

TEST(PullBar, ZeroStandsUnderTheZeroOfTheHeader) {
  const std::string bar = pull_bar(0, 1);
  EXPECT_EQ(bar.find('o'), pull_bar_header().find('0'));
  EXPECT_EQ(bar, "    .   :---o---:   .    ");
}

TEST(PullBar, PointsOutsideAreArrowsAtTheEdge) {
  EXPECT_EQ(pull_bar(7, 0.1).back(), '>');
  EXPECT_EQ(pull_bar(-7, 0.1).front(), '<');
  EXPECT_EQ(pull_bar(1, std::numeric_limits<double>::quiet_NaN()), "    .   :   |   o   .    ");
}

TEST(Progress, TheLineTellsRateAndTimeLeft) {
  EXPECT_EQ(progress_text(0, 100, 0), "[........................] 0/100");
  EXPECT_EQ(progress_text(50, 100, 10), "[############............] 50/100  5/s  10 s left");
  EXPECT_EQ(progress_text(1, 200, 1), "[........................] 1/200  1/s  3:19 min left");
  EXPECT_EQ(progress_text(1, 7201, 1), "[........................] 1/7201  1/s  2:00 h left");
  EXPECT_EQ(progress_text(50, 100, 10, "toys"), "[############............] 50/100  5 toys/s  10 s left");
}

TEST(NameList, CommasSeparateUnlessTheyBelongToAName) {
  EXPECT_EQ(split_names({"a,b", "c"}, {}), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(split_names({"a,b", "c,a"}, {"a,b"}), (std::vector<std::string>{"a,b", "c", "a"}));
}

TEST(Memory, HasUnitsOrIsInMegabytes) {
  EXPECT_EQ(*parse_memory("200MB"), 200'000'000u);
  EXPECT_EQ(*parse_memory("200"), 200'000'000u);
  EXPECT_EQ(*parse_memory("200 MB"), 200'000'000u);
  EXPECT_EQ(*parse_memory("2GiB"), 2'147'483'648u);
  EXPECT_EQ(*parse_memory("2GB"), 2'000'000'000u);
  EXPECT_EQ(*parse_memory("1.5GB"), 1'500'000'000u);
  EXPECT_EQ(*parse_memory("0.5"), 500'000u);
  EXPECT_EQ(*parse_memory("1e3"), 1'000'000'000u);
  EXPECT_EQ(*parse_memory("512KiB"), 524'288u);
  EXPECT_EQ(*parse_memory("3kB"), 3000u);
  EXPECT_EQ(*parse_memory("4096B"), 4096u);
  EXPECT_EQ(*parse_memory("1TiB"), std::uint64_t{1} << 40);
  EXPECT_EQ(*parse_memory("2TB"), 2'000'000'000'000u);
  EXPECT_EQ(*parse_memory("1MiB"), 1'048'576u);
}

TEST(Memory, MoreThanANumberOfBytesCanBeIsAnError) {
  EXPECT_EQ(*parse_memory("16777215TiB"), (std::uint64_t{16'777'215} << 40));
  for (const char* text : {"16777216TiB", "18446744073709551616B", "1e300", "20000000000000"}) {
    const auto bytes = parse_memory(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_NE(bytes.errors().front().what.find("is more than 2^64 - 1 bytes"), std::string::npos) << text;
  }
}

TEST(Memory, WhatIsNoAmountIsAnErrorThatSaysHowToWriteOne) {
  for (const char* text : {"", "MB", "abc", "-1", "-1MB", "0", "0GB", "nan", "inf", "1e999", "0.1B", "2 GiB ",
                           "2GBB", "2mb", "0x10", "1,5GB", " 2GB"}) {
    const auto bytes = parse_memory(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.errors().front().code, ErrorCode::BadUsage);
    EXPECT_EQ(bytes.errors().front().hint.text, "write e.g. 200MB or 2GiB; a number alone is in MB") << text;
  }
  EXPECT_EQ(parse_memory("2mb").errors().front().what,
            "'mb' is not a unit of memory; there are B, kB, MB, GB, TB, KiB, MiB, GiB and TiB");
}

}  // namespace
}  // namespace nextstat::cli

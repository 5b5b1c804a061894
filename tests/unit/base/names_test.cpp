// Names of enumerations: there and back, and what an unknown one is answered.
#include <gtest/gtest.h>
#include <nextstat/backends.h>
#include <nextstat/documents.h>
#include <nextstat/hypotest_toys.h>
#include <nextstat/model.h>
#include <nextstat/ranking.h>
#include <nextstat/upper_limit.h>
#include <nextstat/version.h>

#include <algorithm>
#include <set>

#include "device/device_names.h"

namespace nextstat {
namespace {

template <class Value, class Parse>
void expect_there_and_back(NameTable<Value> table, std::size_t size, Field field, Parse parse) {
  std::set<std::string> names;
  for (const auto& [name, value] : table) {
    EXPECT_STREQ(to_string(value), name);
    ASSERT_TRUE(parse(name)) << name;
    EXPECT_EQ(*parse(name), value);
    names.insert(name);
  }
  EXPECT_EQ(names.size(), size);
  const auto unknown = parse("x y z");
  ASSERT_FALSE(unknown);
  const Error& error = unknown.errors().front();
  EXPECT_EQ(error.code, ErrorCode::BadUsage);
  EXPECT_EQ(error.where.field, field);
  for (const std::string& name : names) EXPECT_NE(error.what.find(name), std::string::npos) << error.what;
}

TEST(NamesOfEnumerations, AreReadAsTheyAreWritten) {
  expect_there_and_back(normsys_codes(), 2, Field::NormsysCode, parse_normsys_code);
  expect_there_and_back(histosys_codes(), 3, Field::HistosysCode, parse_histosys_code);
  expect_there_and_back(test_statistics(), 5, Field::Statistic,
                        [](std::string_view name) { return parse_test_statistic(name); });
  expect_there_and_back(calculators(), 2, Field::Calculator, parse_calculator);
  expect_there_and_back(impacts(), 2, Field::Impact, parse_impact);
  expect_there_and_back(joins(), 4, Field::Join, parse_join);
}

TEST(NamesOfEnumerations, AnUnknownOneGetsTheClosest) {
  const Error error = parse_test_statistic("qtidle").errors().front();
  EXPECT_EQ(error.what, "'qtidle' is not a test statistic; there are qtilde, q, q0, t and ttilde");
  EXPECT_EQ(error.hint.text, "did you mean 'qtilde'?");
  EXPECT_EQ(parse_impact("nothing").errors().front().hint.text, "choose one of them");
}

TEST(NamesOfEnumerations, AQuestionNamesTheStatisticsThatItCanUse) {
  const Error limit = parse_test_statistic("t", kLimitStatistics).errors().front();
  EXPECT_EQ(limit.what, "'t' is not a test statistic for this; there are qtilde and q");
  const Error toys = parse_test_statistic("ttilde", kToyStatistics).errors().front();
  EXPECT_EQ(toys.what, "'ttilde' is not a test statistic for this; there are qtilde, q and q0");
  EXPECT_EQ(*parse_test_statistic("q0", kToyStatistics), TestStatistic::Q0);
  EXPECT_EQ(parse_test_statistic("qq", kLimitStatistics).errors().front().what,
            "'qq' is not a test statistic; there are qtilde and q");
}

TEST(NamesOfDevices, EveryTypeHasItsPreference) {
  for (const BackendReport& report : discover_backends()) {
    const std::optional<BackendPreference> preference = preference_named(to_string(report.type));
    ASSERT_TRUE(preference) << to_string(report.type);
    EXPECT_EQ(type_of(*preference), report.type);
    EXPECT_STREQ(to_string(*preference), to_string(report.type));
  }
  EXPECT_EQ(type_of(BackendPreference::Auto), std::nullopt);
  EXPECT_EQ(device_names().size(), discover_backends().size() + 1);
  for (const std::string& name : device_names()) EXPECT_EQ(to_string(parse_device(name).value()), name);
}

TEST(NamesOfInstructionSets, TheOneInUseIsAmongThem) {
  const std::vector<std::string> names = instruction_set_names();
  EXPECT_NE(std::find(names.begin(), names.end(), instruction_set_name()), names.end());
}

TEST(Listed, WordsBetweenNames) {
  EXPECT_EQ(listed(std::vector<std::string>{}), "");
  EXPECT_EQ(listed(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b"}, "or"), "a or b");
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace nextstat

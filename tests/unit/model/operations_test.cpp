#include <gtest/gtest.h>
#include <nextstat/documents.h>

#include "mentions.h"

namespace nextstat {
namespace {

using test::mentions;

// One channel with two samples; every test changes what it needs.
Json workspace(const std::string& channel = "SR") {
  Json document = *parse_json(R"({
    "channels": [{"name": "SR", "samples": [
      {"name": "signal", "data": [1, 2.0], "modifiers": [{"name": "mu", "type": "normfactor", "data": null}]},
      {"name": "background", "data": [5.0, 6], "modifiers": [
        {"name": "syst", "type": "normsys", "data": {"lo": 0.9, "hi": 1.1}},
        {"name": "syst", "type": "histosys", "data": {"lo_data": [4, 5], "hi_data": [6, 7]}}]}]}],
    "measurements": [{"name": "meas", "config": {"poi": "mu", "parameters": [{"name": "syst", "fixed": true}]}}],
    "observations": [{"name": "SR", "data": [6, 8]}],
    "version": "1.0.0"})");
  document["channels"][0]["name"] = channel;
  document["observations"][0]["name"] = channel;
  return document;
}

Json with_measurement(Json document, const std::string& name) {
  document["measurements"][0]["name"] = name;
  return document;
}

std::string first_what(const Result<Json>& result) {
  EXPECT_FALSE(result);
  return result ? "" : result.errors().front().what;
}

TEST(Combine, PutsSideBySideWhatHasNothingInCommon) {
  const Result<Json> joined = combine(workspace("SR"), with_measurement(workspace("CR"), "other"));
  ASSERT_TRUE(joined);
  EXPECT_EQ((*joined)["channels"].size(), 2u);
  EXPECT_EQ((*joined)["observations"][1]["name"], "CR");
  EXPECT_EQ((*joined)["measurements"][1]["name"], "other");
}

TEST(Combine, ListsEverythingInCommon) {
  const Result<Json> joined = combine(workspace(), workspace());
  ASSERT_FALSE(joined);
  ASSERT_EQ(joined.errors().size(), 3u);
  EXPECT_EQ(joined.errors()[0].where.inside, "/channels");
  EXPECT_TRUE(mentions(joined.errors()[0].what, "'SR'"));
  EXPECT_TRUE(mentions(joined.errors()[2].what, "'meas'"));
}

TEST(Combine, OuterAcceptsEqualParts) {
  Json as_floats = workspace();
  as_floats["observations"][0]["data"] = {6.0, 8.0};
  const Result<Json> joined = combine(workspace(), as_floats, {.join = Join::Outer});
  ASSERT_TRUE(joined);
  EXPECT_EQ(dump_json(*joined), dump_json(workspace()));  // the left form of equal numbers
}

TEST(Combine, OuterRefusesPartsThatDiffer) {
  Json other = workspace();
  other["observations"][0]["data"][0] = 7;
  const Result<Json> joined = combine(workspace(), other, {.join = Join::Outer});
  EXPECT_TRUE(mentions(first_what(joined), "'SR'"));
  EXPECT_EQ(joined.errors().front().where.inside, "/observations");
}

TEST(Combine, OuterUnitesParameterSettings) {
  Json other = workspace("CR");
  other["measurements"][0]["config"]["parameters"] = {{{"name", "mu"}, {"inits", {1.0}}}};
  const Result<Json> joined = combine(workspace(), other, {.join = Join::Outer});
  ASSERT_TRUE(joined);
  ASSERT_EQ((*joined)["measurements"].size(), 1u);
  EXPECT_EQ((*joined)["measurements"][0]["config"]["parameters"][1]["name"], "mu");
}

TEST(Combine, OuterRefusesDifferentSettingsAndParametersOfInterest) {
  Json settings = workspace("CR");
  settings["measurements"][0]["config"]["parameters"][0]["fixed"] = false;
  EXPECT_TRUE(mentions(first_what(combine(workspace(), settings, {.join = Join::Outer})), "'syst'"));
  Json poi = workspace("CR");
  poi["measurements"][0]["config"]["poi"] = "syst";
  EXPECT_TRUE(
      mentions(first_what(combine(workspace(), poi, {.join = Join::Outer})), "parameters of interest"));
}

TEST(Combine, LeftAndRightOuterKeepTheirSide) {
  Json other = workspace();
  other["observations"][0]["data"] = {70, 80};
  const Result<Json> left = combine(workspace(), other, {.join = Join::LeftOuter});
  const Result<Json> right = combine(workspace(), other, {.join = Join::RightOuter});
  ASSERT_TRUE(left && right);
  EXPECT_EQ((*left)["observations"][0]["data"][0], 6);
  EXPECT_EQ((*right)["observations"][0]["data"][0], 70);
}

TEST(Combine, MergeChannelsUnitesSamples) {
  Json other = workspace();
  other["channels"][0]["samples"][0]["name"] = "fakes";
  const Result<Json> joined = combine(workspace(), other, {.join = Join::Outer, .merge_channels = true});
  ASSERT_TRUE(joined);
  ASSERT_EQ((*joined)["channels"].size(), 1u);
  ASSERT_EQ((*joined)["channels"][0]["samples"].size(), 3u);
  EXPECT_EQ((*joined)["channels"][0]["samples"][2]["name"], "fakes");
}

TEST(Combine, RefusesVersionsThatDifferAndMergingWithoutAJoin) {
  Json other = with_measurement(workspace("CR"), "other");
  other["version"] = "2.0.0";
  EXPECT_TRUE(mentions(first_what(combine(workspace(), other)), "versions differ"));
  EXPECT_TRUE(mentions(first_what(combine(workspace(), other, {.merge_channels = true})), "merged"));
}

TEST(Combine, SaysWhichInputIsNoWorkspace) {
  const Result<Json> joined = combine(workspace(), Json::array());
  ASSERT_FALSE(joined);
  EXPECT_TRUE(joined.errors().front().where.file == "right");
}

TEST(Join, NamesArePyhfs) {
  EXPECT_EQ(*parse_join("none"), Join::None);
  EXPECT_EQ(*parse_join("right outer"), Join::RightOuter);
  EXPECT_EQ(parse_join("outter").errors().front().hint.text, "did you mean 'outer'?");
}

TEST(Prune, RemovesByNameAndType) {
  const Result<Json> pruned = prune(workspace(), {.samples = {"signal"}, .modifier_types = {"histosys"}});
  ASSERT_TRUE(pruned);
  const Json& samples = (*pruned)["channels"][0]["samples"];
  ASSERT_EQ(samples.size(), 1u);
  ASSERT_EQ(samples[0]["modifiers"].size(), 1u);
  EXPECT_EQ(samples[0]["modifiers"][0]["type"], "normsys");
  EXPECT_EQ((*pruned)["measurements"][0]["config"]["parameters"].size(), 1u);
}

TEST(Prune, TakesParameterSettingsAndObservationsAlong) {
  EXPECT_TRUE(
      (*prune(workspace(), {.modifiers = {"syst"}}))["measurements"][0]["config"]["parameters"].empty());
  const Json both = *combine(workspace(), with_measurement(workspace("CR"), "other"));
  const Result<Json> pruned = prune(both, {.channels = {"SR"}, .measurements = {"meas"}});
  ASSERT_TRUE(pruned);
  EXPECT_EQ((*pruned)["observations"].size(), 1u);
  EXPECT_EQ((*pruned)["measurements"][0]["name"], "other");
}

TEST(Prune, ListsEveryUnknownName) {
  const Result<Json> pruned =
      prune(workspace(), {.channels = {"SRR"}, .samples = {"x"}, .measurements = {"mes"}});
  ASSERT_FALSE(pruned);
  ASSERT_EQ(pruned.errors().size(), 3u);
  EXPECT_EQ(pruned.errors()[2].hint.text, "did you mean 'meas'?");
}

TEST(Prune, RefusesToLeaveAnEmptyChannelOrWorkspace) {
  EXPECT_TRUE(
      mentions(first_what(prune(workspace(), {.samples = {"signal", "background"}})), "channel 'SR'"));
  EXPECT_TRUE(mentions(first_what(prune(workspace(), {.channels = {"SR"}})), "the channels"));
  EXPECT_TRUE(mentions(first_what(prune(workspace(), {.measurements = {"meas"}})), "the measurements"));
}

TEST(Rename, ReachesEveryUseOfAName) {
  const Result<Json> renamed = rename(workspace(), {.channels = {{"SR", "S"}},
                                                    .samples = {{"signal", "s"}},
                                                    .modifiers = {{"mu", "m"}, {"syst", "t"}},
                                                    .measurements = {{"meas", "x"}}});
  ASSERT_TRUE(renamed);
  const std::string text = dump_json(*renamed);
  for (const char* old_name : {"\"SR\"", "\"signal\"", "\"mu\"", "\"syst\"", "\"meas\""}) {
    EXPECT_FALSE(mentions(text, old_name)) << old_name;
  }
  EXPECT_EQ((*renamed)["measurements"][0]["config"]["poi"], "m");
  EXPECT_EQ((*renamed)["observations"][0]["name"], "S");
}

TEST(Rename, SwapsTwoNames) {
  const Result<Json> renamed = rename(workspace(), {.modifiers = {{"mu", "syst"}, {"syst", "mu"}}});
  ASSERT_TRUE(renamed);
  EXPECT_EQ((*renamed)["channels"][0]["samples"][0]["modifiers"][0]["name"], "syst");
  EXPECT_EQ((*renamed)["channels"][0]["samples"][1]["modifiers"][0]["name"], "mu");
}

TEST(Rename, RefusesUnknownNamesAndNamesThatAreNotUtf8) {
  EXPECT_TRUE(mentions(first_what(rename(workspace(), {.samples = {{"sig", "s"}}})), "'sig'"));
  EXPECT_TRUE(mentions(first_what(rename(workspace(), {.samples = {{"signal", "\xFF"}}})), "UTF-8"));
}

TEST(Sort, OrdersByNameAndModifiersByNameAndType) {
  const Result<Json> sorted = sort(workspace());
  ASSERT_TRUE(sorted);
  const Json& samples = (*sorted)["channels"][0]["samples"];
  EXPECT_EQ(samples[0]["name"], "background");
  EXPECT_EQ(samples[0]["modifiers"][0]["type"], "histosys");
}

TEST(Operations, AnswerADocumentOfTheWrongShapeWithErrors) {
  for (const char* text :
       {"[]", "null", "{}", R"({"channels": {}, "measurements": 1, "observations": [], "version": 1})",
        R"({"channels": [{"name": 1, "samples": [{"modifiers": [1]}]}], "version": "1.0.0"})"}) {
    const Json document = *parse_json(text);
    EXPECT_FALSE(sort(document)) << text;
    EXPECT_FALSE(prune(document, {})) << text;
    EXPECT_FALSE(rename(document, {})) << text;
    EXPECT_FALSE(combine(document, document)) << text;
  }
}

}  // namespace
}  // namespace nextstat

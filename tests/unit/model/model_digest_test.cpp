#include <gtest/gtest.h>
#include <nextstat/files.h>
#include <nextstat/json.h>
#include <nextstat/likelihood.h>

#include <algorithm>

#include "model/compile/model_digest.h"
#include "test_models.h"

namespace nextstat {
namespace {

using test::model_of;

Json all_modifiers_file() {
  return *parse_json(*read_text(NEXTSTAT_TEST_DATA "/all_modifiers.json", 1 << 20));
}

std::string digest_of(const Json& document) { return *model_digest(model_of(document)); }

// JSON pointers of all numbers at and below `value`.
void find_numbers(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& found) {
  if (value.is_number()) found.push_back(at);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) find_numbers(value[i], at / i, found);
  if (value.is_object())
    for (const auto& item : value.items()) find_numbers(item.value(), at / item.key(), found);
}

std::vector<Json::json_pointer> numbers_below(const Json& document, const std::string& key) {
  std::vector<Json::json_pointer> found;
  find_numbers(document[key], Json::json_pointer("/" + key), found);
  return found;
}

// Where no term is without effect.
double nll_aside(const Json& document) {
  const Model model = model_of(document);
  std::vector<double> point = model.initial();
  for (std::size_t i = 0; i < point.size(); ++i) point[i] += 0.0625 + 0.015625 * static_cast<double>(i % 5);
  return Likelihood::make(model)->nll(point);
}

// Some have no effect: an uncertainty of a bin without a yield, say.
TEST(ModelDigest, EveryNumberOfAChannelThatHasAnEffectIsInIt) {
  const Json document = all_modifiers_file();
  const std::string digest = digest_of(document);
  const double nll = nll_aside(document);
  std::size_t with_effect = 0;
  const auto numbers = numbers_below(document, "channels");
  for (const auto& pointer : numbers) {
    Json changed = document;
    changed[pointer] = changed[pointer].get<double>() * 1.0625 + 0.03125;
    if (nll_aside(changed) == nll) continue;
    ++with_effect;
    EXPECT_NE(digest_of(changed), digest) << pointer;
  }
  EXPECT_GT(with_effect, 70u);
  EXPECT_GT(10 * with_effect, 9 * numbers.size());
}

TEST(ModelDigest, TheMeasurementsWordsAboutParametersAreInItAndItsNameIsNot) {
  Json document = all_modifiers_file();
  document["measurements"] = {document["measurements"][0]};
  const std::string digest = digest_of(document);
  document["measurements"][0]["name"] = "another";
  EXPECT_EQ(digest_of(document), digest);
  Json& parameters = document["measurements"][0]["config"]["parameters"];
  parameters.push_back({{"name", "mu"}, {"inits", {1.5}}});
  for (const char* change : {"inits", "bounds", "fixed"}) {
    Json one = {{"name", "mu"}};
    one[change] = std::string(change) == "inits"    ? Json{1.5}
                  : std::string(change) == "bounds" ? Json{{0.0, 7.0}}
                                                    : Json(true);
    parameters.erase(std::remove_if(parameters.begin(), parameters.end(),
                                    [](const Json& entry) { return entry["name"] == "mu"; }),
                     parameters.end());
    parameters.push_back(one);
    EXPECT_NE(digest_of(document), digest) << change;
  }
}

TEST(ModelDigest, DataAreNotInIt) {
  Json document = all_modifiers_file();
  const std::string digest = digest_of(document);
  for (const auto& pointer : numbers_below(document, "observations"))
    document[pointer] = document[pointer].get<double>() + 1;
  EXPECT_EQ(digest_of(document), digest);
  const Model model = model_of(document);
  std::vector<double> data(model.data().begin(), model.data().end());
  for (double& value : data) value += 0.5;
  EXPECT_EQ(*model_digest(*model.with_data(data)), digest);
}

TEST(ModelDigest, DoesNotDependOnTheOrderOfTheFile) {
  Json document = all_modifiers_file();
  const std::string digest = digest_of(document);
  const auto turn = [](Json& list) { std::reverse(list.begin(), list.end()); };
  turn(document["channels"]);
  turn(document["observations"]);
  for (Json& channel : document["channels"]) {
    turn(channel["samples"]);
    for (Json& sample : channel["samples"]) turn(sample["modifiers"]);
  }
  EXPECT_EQ(digest_of(document), digest);
}

TEST(ModelDigest, ChannelsAndPatchesAreInItHoweverTheyCameAbout) {
  const Json document = all_modifiers_file();
  const std::string name = document["channels"][0]["name"];
  ASSERT_GT(document["channels"].size(), 1u);
  Json alone = document;
  alone["channels"] = {document["channels"][0]};
  alone["observations"] = Json::array();
  for (const Json& observation : document["observations"]) {
    if (observation["name"] == name) alone["observations"].push_back(observation);
  }
  EXPECT_NE(digest_of(alone), digest_of(document));
  EXPECT_EQ(digest_of(alone), *model_digest(model_of(document, {.channels = {name}})));
}

TEST(ModelDigest, ZeroHasOneSign) {
  Json document = all_modifiers_file();
  document["channels"][0]["samples"][0]["data"][0] = 0.0;
  const std::string digest = digest_of(document);
  document["channels"][0]["samples"][0]["data"][0] = -0.0;
  EXPECT_EQ(digest_of(document), digest);
}

// Codes and the parameter of interest are named beside the digest.
TEST(ModelDigest, CodesAndThePoiAreNotInIt) {
  const Json document = all_modifiers_file();
  const ModelOptions other{
      .poi = "", .normsys_code = NormsysCode::Code1, .histosys_code = HistosysCode::Code0};
  EXPECT_EQ(*model_digest(model_of(document, other)), digest_of(document));
}

TEST(InterpolationCodes, HaveNamesOfTheirOwn) {
  for (const auto& known : normsys_codes()) EXPECT_STREQ(to_string(known.value), known.name);
  for (const auto& known : histosys_codes()) EXPECT_STREQ(to_string(known.value), known.name);
  EXPECT_STREQ(to_string(HistosysCode::Code4p), "code4p");
  EXPECT_STREQ(to_string(NormsysCode::Code1), "code1");
}

}  // namespace
}  // namespace nextstat

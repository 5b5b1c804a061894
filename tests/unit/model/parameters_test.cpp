// Parameters of a model: order, names, defaults, what a measurement changes. The rules of pyhf 0.7.6.
#include <gtest/gtest.h>
#include <nextstat/model.h>

#include <cmath>
#include <string>
#include <vector>

#include "reference/test_workspaces.h"
#include "test_models.h"

namespace nextstat {
namespace {

using nlohmann::json;
using reference::modifier;
using reference::sample;
using reference::workspace;
using test::all_modifiers;
using test::model_of;

Model shifted() { return test::model_of_text(reference::kAllModifiers, {.measurement = "shifted"}); }

std::vector<std::string> names(const Model& model) {
  std::vector<std::string> list;
  for (const Parameter& parameter : model.parameters()) list.push_back(parameter.name);
  return list;
}

json channel(const std::string& name, json samples) {
  return {{"name", name}, {"samples", std::move(samples)}};
}
json observation(const std::string& name, const std::vector<double>& data) {
  return {{"name", name}, {"data", data}};
}

// One channel with one sample.
json one_sample(const std::vector<double>& data, json modifiers, json configs = json::array()) {
  const std::vector<double> observed(data.size(), 10.0);
  json document = reference::one_channel(json::array({sample("s", data, std::move(modifiers))}), observed);
  document["measurements"][0]["config"]["parameters"] = std::move(configs);
  return document;
}

TEST(Parameters, StandInPyhfOrderByTypeThenFirstAppearance) {
  const std::vector<std::string> expected = {"modeling",
                                             "tilt",
                                             "lumi",
                                             "background_norm",
                                             "mu",
                                             "acceptance",
                                             "shape[0]",
                                             "shape[1]",
                                             "shape[2]",
                                             "background_shape[0]",
                                             "background_shape[1]",
                                             "stat_control[0]",
                                             "stat_control[1]",
                                             "stat_control[2]",
                                             "stat_validation[0]"};
  const Model model = all_modifiers();
  EXPECT_EQ(names(model), expected);
  EXPECT_EQ(model.parameters()[0].type, "histosys");  // shared with a normsys: belongs to the first type
  EXPECT_EQ(model.poi_index(), 4u);
  const std::vector<double> data = {127, 60.5, 0, 81, 29, 36, 0, 0, 1, 0, 100, 1, 1, 1, 1, 1};
  EXPECT_EQ(std::vector<double>(model.data().begin(), model.data().end()), data);
}

TEST(Parameters, OfOneTypeFollowSortedChannelsSamplesModifiers) {
  const auto factors = [](std::initializer_list<const char*> list) {
    json modifiers = json::array();
    for (const char* name : list) modifiers.push_back(modifier(name, "normfactor"));
    return modifiers;
  };
  const json document =
      workspace(json::array({channel("z", json::array({sample("a", {1}, factors({"k1"}))})),
                             channel("a", json::array({sample("y", {1}, factors({"k9", "k2"})),
                                                       sample("x", {1}, factors({"k7"}))}))}),
                json::array({observation("z", {1}), observation("a", {1})}));
  EXPECT_EQ(names(model_of(document)), (std::vector<std::string>{"k7", "k2", "k9", "k1"}));
}

TEST(Parameters, StaterrorsStandInTheOrderOfNames) {
  const json document = workspace(
      json::array(
          {channel("a",
                   json::array({sample("s", {10}, json::array({modifier("z_stat", "staterror", {1.0})}))})),
           channel("b",
                   json::array({sample("s", {10}, json::array({modifier("a_stat", "staterror", {1.0})}))}))}),
      json::array({observation("a", {1}), observation("b", {1})}));
  EXPECT_EQ(names(model_of(document)), (std::vector<std::string>{"a_stat[0]", "z_stat[0]"}));
}

TEST(Parameters, SharedStaterrorAppendsTheBinsOfEveryChannel) {
  const json document = workspace(
      json::array(
          {channel("a", json::array({sample("s", {10, 20},
                                            json::array({modifier("stat", "staterror", {1.0, 2.0})}))})),
           channel("b",
                   json::array({sample("s", {40}, json::array({modifier("stat", "staterror", {3.0})}))}))}),
      json::array({observation("a", {1, 1}), observation("b", {1})}));
  const Model model = model_of(document);
  EXPECT_EQ(names(model), (std::vector<std::string>{"stat[0]", "stat[1]", "stat[2]"}));
  EXPECT_DOUBLE_EQ(model.parameters()[2].width, 3.0 / 40);
}

TEST(Parameters, HaveTheDefaultsOfTheirType) {
  const Model model = model_of(one_sample(
      {10}, json::array({modifier("mu", "normfactor"), reference::normsys("norm", 0.9, 1.1),
                         reference::histosys("shape", {9}, {11}), modifier("free", "shapefactor"),
                         modifier("unc", "shapesys", {2.0}), modifier("stat", "staterror", {1.0})})));
  struct Expected {
    const char* name;
    double init, low, high;
    Constraint constraint;
  };
  const std::vector<Expected> table = {
      {"shape", 0, -5, 5, Constraint::Normal},       {"mu", 1, 0, 10, Constraint::None},
      {"norm", 0, -5, 5, Constraint::Normal},        {"free[0]", 1, 0, 10, Constraint::None},
      {"unc[0]", 1, 1e-10, 10, Constraint::Poisson}, {"stat[0]", 1, 1e-10, 10, Constraint::Normal}};
  ASSERT_EQ(model.n_parameters(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Parameter& parameter = model.parameters()[i];
    EXPECT_EQ(parameter.name, table[i].name);
    EXPECT_EQ(parameter.init, table[i].init);
    EXPECT_EQ(parameter.low, table[i].low);
    EXPECT_EQ(parameter.high, table[i].high);
    EXPECT_EQ(parameter.constraint, table[i].constraint);
    EXPECT_FALSE(parameter.fixed);
    EXPECT_EQ(parameter.data_index.has_value(), table[i].constraint != Constraint::None);
  }
}

TEST(Parameters, ShapesysTauIsTheSquaredRelativePrecision) {
  const Model model =
      model_of(one_sample({50, 0, 30, -1}, json::array({modifier("unc", "shapesys", {7.0, 2.0, 0.0, 1.0})})));
  const auto parameters = model.parameters();
  EXPECT_DOUBLE_EQ(parameters[0].width, 2500.0 / 49);
  EXPECT_EQ(parameters[0].center, parameters[0].width);
  EXPECT_FALSE(parameters[0].fixed);
  for (const std::size_t empty : {1, 2, 3}) {  // no nominal, no uncertainty, negative nominal
    EXPECT_TRUE(parameters[empty].fixed) << empty;
    EXPECT_EQ(parameters[empty].width, 1) << empty;
    EXPECT_EQ(parameters[empty].center, 1) << empty;
    EXPECT_EQ(parameters[empty].init, 1) << empty;
  }
}

TEST(Parameters, StaterrorSigmaIsThatOfTheSumOfItsSamples) {
  const Model model = all_modifiers();
  const auto parameters = model.parameters();
  EXPECT_DOUBLE_EQ(parameters[11].width, std::sqrt(17.0) / 90);
  EXPECT_TRUE(parameters[12].fixed);  // nothing there
  EXPECT_EQ(parameters[12].width, 1);
  EXPECT_DOUBLE_EQ(parameters[13].width, std::sqrt(9.25) / 65);
  EXPECT_EQ(parameters[13].center, 1);
}

TEST(Parameters, AMeasurementOverridesThem) {
  const Model model = shifted();
  const auto parameters = model.parameters();
  EXPECT_EQ(parameters[1].init, 0.3);  // tilt
  EXPECT_EQ(parameters[1].center, 0.1);
  EXPECT_EQ(parameters[1].low, -3);
  EXPECT_TRUE(parameters[2].fixed);  // lumi
  EXPECT_EQ(parameters[2].width, 0.03);
  EXPECT_EQ(parameters[2].center, 0.99);
  EXPECT_EQ(parameters[9].width, 95);  // background_shape: factors and auxdata apart
  EXPECT_EQ(parameters[9].center, 90);
  EXPECT_EQ(model.data()[parameters[9].data_index.value()], 90);
  EXPECT_EQ(parameters[12].width, 0.2);
  EXPECT_TRUE(parameters[12].fixed);  // sigmas given, still without content
  EXPECT_EQ(parameters[0].init, 0);   // not mentioned
}

TEST(Parameters, FixedFalseUnfixesEmptyBins) {
  EXPECT_TRUE(all_modifiers().parameters()[10].fixed);
  EXPECT_FALSE(shifted().parameters()[10].fixed);
}

TEST(Parameters, SettingsOfUnknownNamesAreIgnored) {
  json document = json::parse(reference::kAllModifiers);
  document["measurements"][0]["config"]["parameters"].push_back(
      {{"name", "nobody"}, {"inits", {1, 2, 3}}, {"sigmas", {-1}}});
  EXPECT_EQ(names(model_of(document)), names(all_modifiers()));
}

TEST(Parameters, LumiNeedsItsSettings) {
  const json lumi = json::array({modifier("lumi", "lumi")});
  const json full = {
      {"name", "lumi"}, {"inits", {1.0}}, {"bounds", {{0.5, 1.5}}}, {"auxdata", {1.0}}, {"sigmas", {0.02}}};
  EXPECT_TRUE(parse_workspace(one_sample({1}, lumi, json::array({full})).dump()));
  EXPECT_FALSE(parse_workspace(one_sample({1}, lumi).dump()));
  for (const char* key : {"inits", "bounds", "auxdata", "sigmas"}) {
    json lacking = full;
    lacking.erase(key);
    const Result<Workspace> refused = parse_workspace(one_sample({1}, lumi, json::array({lacking})).dump());
    ASSERT_FALSE(refused) << key;
    EXPECT_EQ(refused.errors()[0].where.inside, "/measurements/0/config/parameters/0");
    EXPECT_NE(refused.errors()[0].what.find(key), std::string::npos);
  }
}

// What pyhf refuses, with its place.
TEST(Parameters, ImpossibleSettingsAreRefused) {
  const json factor = json::array({modifier("mu", "normfactor"), modifier("unc", "shapesys", {1.0})});
  const std::vector<std::pair<json, std::string>> cases = {
      {{{{"name", "mu"}, {"inits", {1.0, 2.0}}}}, "/0/inits"},
      {{{{"name", "mu"}, {"auxdata", {1.0}}}}, "/0/auxdata"},
      {{{{"name", "unc"}, {"sigmas", {1.0}}}}, "/0/sigmas"},
      {{{{"name", "unc"}, {"factors", {0.0}}}}, "/0/factors/0"},
      {{{{"name", "mu"}, {"bounds", {{2.0, 1.0}}}}}, "/0/bounds/0"},
      {{{{"name", "mu"}, {"inits", {1.0}}}, {{"name", "mu"}, {"fixed", true}}}, "/1/name"},
  };
  for (const auto& [configs, place] : cases) {
    const Result<Workspace> refused = parse_workspace(one_sample({10}, factor, configs).dump());
    ASSERT_FALSE(refused) << configs;
    EXPECT_EQ(refused.errors()[0].where.inside, "/measurements/0/config/parameters" + place);
  }
}

TEST(Parameters, NamesAreSharedOnlyWhereTheTypesAllowIt) {
  const auto two = [](const json& first, const json& second) {
    const json samples = {sample("a", {10}, json::array({first})), sample("b", {10}, json::array({second}))};
    return parse_workspace(reference::one_channel(samples, {20}).dump());
  };
  const json norm = reference::normsys("x", 0.9, 1.1), factor = modifier("x", "normfactor"),
             shapesys = modifier("x", "shapesys", {1.0});
  EXPECT_TRUE(two(norm, reference::histosys("x", {9}, {11})));
  EXPECT_TRUE(two(factor, factor));
  for (const auto& [first, second] :
       {std::pair{norm, factor}, std::pair{shapesys, shapesys}, std::pair{factor, shapesys}}) {
    const auto refused = two(first, second);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.errors()[0].where.inside, "/channels/0/samples/1/modifiers/0/name");
  }
}

}  // namespace
}  // namespace nextstat

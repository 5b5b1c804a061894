// Choosing a measurement and a parameter of interest.
#include <gtest/gtest.h>
#include <nextstat/model.h>

#include <string>

#include "test_models.h"

namespace nextstat {
namespace {

using test::all_modifiers;

Workspace parsed() { return parse_workspace(reference::kAllModifiers).value(); }

TEST(ModelOptions, TheFirstMeasurementIsTheDefault) {
  const Model model = all_modifiers();
  EXPECT_EQ(model.measurement(), "default");
  EXPECT_EQ(model.poi_name(), "mu");
  EXPECT_EQ(model.parameters()[model.poi_index().value()].name, "mu");
}

TEST(ModelOptions, MeasurementByName) {
  ModelOptions options;
  options.measurement = "shifted";
  const Model model = build_model(parsed(), options).value();
  EXPECT_EQ(model.measurement(), "shifted");
  EXPECT_FALSE(model.poi_index().has_value());
  EXPECT_EQ(model.poi_name(), "");
}

TEST(ModelOptions, MeasurementByIndex) {
  ModelOptions options;
  options.measurement_index = 1;
  EXPECT_EQ(build_model(parsed(), options).value().measurement(), "shifted");
}

TEST(ModelOptions, UnknownMeasurementIsAnErrorWithAHint) {
  ModelOptions by_name, by_index;
  by_name.measurement = "shiftet";
  by_index.measurement_index = 2;
  const Result<Model> named = build_model(parsed(), by_name), numbered = build_model(parsed(), by_index);
  ASSERT_FALSE(named);
  ASSERT_FALSE(numbered);
  EXPECT_EQ(named.errors()[0].code, ErrorCode::NotFound);
  EXPECT_NE(named.errors()[0].hint.text.find("shifted"), std::string::npos);
  EXPECT_EQ(numbered.errors()[0].code, ErrorCode::NotFound);
}

TEST(ModelOptions, PoiInsteadOfTheMeasurements) {
  ModelOptions options;
  options.poi = "background_norm";
  EXPECT_EQ(build_model(parsed(), options).value().poi_index(), 3u);
  options.poi = "";
  EXPECT_FALSE(build_model(parsed(), options).value().poi_index().has_value());
}

TEST(ModelOptions, AComponentCanBeThePoiAVectorCannot) {
  ModelOptions options;
  options.poi = "shape[1]";
  EXPECT_EQ(build_model(parsed(), options).value().poi_index(), 7u);
  options.poi = "shape";
  const Result<Model> refused = build_model(parsed(), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors()[0].code, ErrorCode::BadUsage);
}

TEST(ModelOptions, AskingForAnUnknownPoiIsAnError) {
  ModelOptions options;
  options.poi = "nu";
  const Result<Model> refused = build_model(parsed(), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors()[0].code, ErrorCode::NotFound);
}

// Background-only files name a POI that only a patch brings.
TEST(ModelOptions, APoiThatTheFileNamesButLacksIsAWarning) {
  std::string text = reference::kAllModifiers;
  text.replace(text.find(R"("poi": "mu")"), 11, R"("poi": "xs")");
  const Model model = test::model_of_text(text);
  EXPECT_FALSE(model.poi_index().has_value());
  EXPECT_EQ(model.poi_name(), "xs");
  ASSERT_FALSE(model.warnings().empty());
  EXPECT_NE(model.warnings()[0].find("xs"), std::string::npos);
}

TEST(ModelOptions, ChannelsAreSortedAndKnowTheirBins) {
  const Model model = all_modifiers();
  ASSERT_EQ(model.channels().size(), 3u);
  EXPECT_EQ(model.channels()[0].name, "control_region");
  EXPECT_EQ(model.channels()[0].bins, 3u);
  EXPECT_EQ(model.channels()[1].name, "signal_region");
  EXPECT_EQ(model.channels()[1].first_bin, 3u);
  EXPECT_EQ(model.channels()[1].samples, (std::vector<std::string>{"background", "data_driven", "signal"}));
  EXPECT_EQ(model.n_bins(), 6u);
}

TEST(ModelOptions, SomeChannelsAloneAreTheModelOfThePrunedWorkspace) {
  ModelOptions options;
  options.channels = {"validation_region", "control_region"};
  const Model model = build_model(parsed(), options).value();
  ASSERT_EQ(model.channels().size(), 2u);
  EXPECT_EQ(model.channels()[0].name, "control_region");
  EXPECT_EQ(model.channels()[1].first_bin, 3u);
  EXPECT_EQ(model.n_bins(), 4u);
  EXPECT_FALSE(model.poi_index().has_value()) << "mu acts in the signal region only";
  for (const Parameter& parameter : model.parameters()) EXPECT_NE(parameter.set, "background_shape");
  const std::vector<double> observed(model.data().begin(), model.data().begin() + 4);
  EXPECT_EQ(observed, (std::vector<double>{127.0, 60.5, 0.0, 36.0}));
}

TEST(ModelOptions, UnknownChannelsAreNamedEach) {
  ModelOptions options;
  options.channels = {"control_regio", "signal_region", "nowhere"};
  const Result<Model> refused = build_model(parsed(), options);
  ASSERT_FALSE(refused);
  ASSERT_EQ(refused.errors().size(), 2u);
  EXPECT_NE(refused.errors()[0].hint.text.find("control_region"), std::string::npos);
}

TEST(ModelOptions, ParametersOfAChannelsBinsKnowThem) {
  const Model model = all_modifiers();
  for (const Parameter& parameter : model.parameters()) {
    EXPECT_EQ(parameter.channel.empty(), parameter.type != "staterror") << parameter.name;
    if (parameter.name == "stat_control[2]") {
      EXPECT_EQ(parameter.channel, "control_region");
      EXPECT_EQ(parameter.bin, 2u);
    }
  }
}

}  // namespace
}  // namespace nextstat

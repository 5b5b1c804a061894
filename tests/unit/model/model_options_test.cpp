// Choosing a measurement and a parameter of interest; from a text to a model in one step and in two.
#include <gtest/gtest.h>
#include <nextstat/model.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "model/compile/model_digest.h"
#include "test_models.h"
#include "unit/model/random_workspace.h"

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

// The same model, or the same errors.
void expect_one_step_is_two(const std::string& text, const ModelOptions& options = {}) {
  const Result<Workspace> workspace = parse_workspace(text, options.limits);
  const Result<Model> in_two =
      workspace ? build_model(*workspace, options) : Result<Model>(workspace.errors());
  const Result<Model> in_one = parse_model(text, options);
  ASSERT_EQ(static_cast<bool>(in_one), static_cast<bool>(in_two));
  if (!in_one) {
    ASSERT_EQ(in_one.errors().size(), in_two.errors().size());
    for (std::size_t i = 0; i < in_one.errors().size(); ++i)
      EXPECT_EQ(to_text(in_one.errors()[i]), to_text(in_two.errors()[i]));
    return;
  }
  EXPECT_EQ(model_digest(*in_one).value(), model_digest(*in_two).value());
  EXPECT_EQ(in_one->warnings(), in_two->warnings());
  EXPECT_EQ(in_one->poi_name(), in_two->poi_name());
  for (std::size_t i = 0; i < in_one->n_parameters(); ++i) {
    EXPECT_EQ(in_one->parameters()[i].name, in_two->parameters()[i].name);
    EXPECT_EQ(in_one->parameters()[i].init, in_two->parameters()[i].init);
  }
}

TEST(ModelOptions, OneStepFromATextGivesTheModelOfTwo) {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    expect_one_step_is_two(RandomWorkspace(seed).document().dump());
  for (const char* measurement : {"", "shifted", "missing"}) {
    for (const std::vector<std::string>& channels :
         {std::vector<std::string>{}, {"signal_region"}, {"control_region", "signal_region"}, {"missing"}}) {
      ModelOptions options;
      options.measurement = measurement;
      options.channels = channels;
      expect_one_step_is_two(reference::kAllModifiers, options);
    }
  }
  ModelOptions small;
  small.limits.bins = 2;
  expect_one_step_is_two(reference::kAllModifiers, small);
  expect_one_step_is_two("{");
  expect_one_step_is_two(R"({"channels": []})");
}

TEST(ModelOptions, AFileThatHoldsNoModelIsNamedInItsErrors) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("nextstat-no-model-" + std::to_string(getpid()) + ".json"))
          .string();
  std::ofstream(path) << R"({"channels": []})";
  const Result<Model> damaged = load_model(path), absent = load_model(path + ".gone");
  std::filesystem::remove(path);
  ASSERT_FALSE(damaged || absent);
  EXPECT_EQ(damaged.errors().front().where.file, path);
  EXPECT_NE(to_text(absent.errors().front()).find(path + ".gone"), std::string::npos);
}

}  // namespace
}  // namespace nextstat

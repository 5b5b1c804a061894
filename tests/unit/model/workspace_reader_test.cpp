// Reading a workspace: what is kept, in which order, and where faults are.
#include <gtest/gtest.h>
#include <nextstat/workspace.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/modifiers/modifier_kind.h"
#include "reference/all_modifiers.h"
#include "reference/test_workspaces.h"

namespace nextstat {
namespace {

using nlohmann::json;

json small() { return json::parse(reference::kAllModifiers); }

std::vector<double> numbers(const Workspace& workspace, NumberRange range) {
  const auto values = workspace.values(range);
  return {values.begin(), values.end()};
}

const WorkspaceModifier& modifier(const Workspace& workspace, std::size_t channel, std::size_t sample,
                                  std::size_t modifier) {
  const WorkspaceSample& owner = workspace.samples[workspace.channels[channel].samples_begin + sample];
  return workspace.modifiers[owner.modifiers_begin + modifier];
}

std::vector<std::string> pointers(const json& document) {
  const Result<Workspace> workspace = parse_workspace(document.dump());
  std::vector<std::string> list;
  if (workspace) return list;
  for (const Error& error : workspace.errors()) list.push_back(error.where.inside);
  std::sort(list.begin(), list.end());
  return list;
}

TEST(WorkspaceReader, KeepsTheOrderOfTheFile) {
  const Workspace workspace = parse_workspace(small().dump()).value();
  ASSERT_EQ(workspace.channels.size(), 3u);
  EXPECT_EQ(workspace.name(workspace.channels[0].name), "signal_region");
  EXPECT_EQ(workspace.name(workspace.channels[1].name), "control_region");
  EXPECT_EQ(workspace.channels[1].samples_begin, 3u);
  EXPECT_EQ(workspace.channels[1].samples_count, 3u);
  EXPECT_EQ(workspace.name(workspace.samples[3].name), "top");
  EXPECT_EQ(numbers(workspace, workspace.samples[3].data), (std::vector<double>{80, 0, 60}));
  EXPECT_EQ(workspace.samples[3].modifiers_count, 4u);
  ASSERT_EQ(workspace.observations.size(), 3u);
  EXPECT_EQ(workspace.name(workspace.observations[2].name), "control_region");
  EXPECT_EQ(numbers(workspace, workspace.observations[2].data), (std::vector<double>{127, 60.5, 0}));
  ASSERT_EQ(workspace.measurements.size(), 2u);
  EXPECT_EQ(workspace.name(workspace.measurements[0].poi), "mu");
  EXPECT_EQ(workspace.measurements[1].poi, kNoName);
}

TEST(WorkspaceReader, ReadsEveryFormOfModifierData) {
  const Workspace workspace = parse_workspace(small().dump()).value();
  const auto kind = [](const WorkspaceModifier& m) { return modifier_kinds()[m.kind]; };
  const WorkspaceModifier& mu = modifier(workspace, 0, 0, 0);
  EXPECT_EQ(kind(mu).shape, DataShape::Null);
  EXPECT_EQ(kind(mu).type, "normfactor");
  const WorkspaceModifier& acceptance = modifier(workspace, 0, 0, 2);
  EXPECT_EQ(kind(acceptance).shape, DataShape::LowHigh);
  EXPECT_EQ(numbers(workspace, acceptance.first), std::vector<double>{0.93});
  EXPECT_EQ(numbers(workspace, acceptance.second), std::vector<double>{1.12});
  const WorkspaceModifier& tilt = modifier(workspace, 0, 1, 0);
  EXPECT_EQ(kind(tilt).shape, DataShape::LowHighArrays);
  EXPECT_EQ(numbers(workspace, tilt.first), (std::vector<double>{47.5, 0.25}));
  EXPECT_EQ(numbers(workspace, tilt.second), (std::vector<double>{54.0, 0.5}));
  const WorkspaceModifier& shape = modifier(workspace, 0, 1, 1);
  EXPECT_EQ(kind(shape).shape, DataShape::Numbers);
  EXPECT_EQ(numbers(workspace, shape.first), (std::vector<double>{5, 0}));
}

TEST(WorkspaceReader, ReadsWhatAMeasurementSays) {
  const Workspace workspace = parse_workspace(small().dump()).value();
  const std::vector<ParameterConfig>& configs = workspace.measurements[1].parameters;
  ASSERT_EQ(configs.size(), 5u);
  EXPECT_EQ(numbers(workspace, configs[0].inits.value()), std::vector<double>{0.98});
  EXPECT_EQ(numbers(workspace, configs[0].bounds.value()), (std::vector<double>{0.8, 1.2}));
  EXPECT_EQ(configs[0].fixed, true);
  EXPECT_EQ(configs[1].fixed, std::nullopt);
  EXPECT_FALSE(configs[1].sigmas.has_value());
  EXPECT_EQ(numbers(workspace, configs[2].factors.value()), (std::vector<double>{95, 2.5}));
  EXPECT_EQ(configs[2].fixed, false);
}

std::string joined(const std::vector<std::string>& items, char open, char close) {
  std::string text(1, open);
  for (std::size_t i = 0; i < items.size(); ++i) text.append(i == 0 ? "" : ",").append(items[i]);
  return text + close;
}

// JSON text with the keys of every object in alphabetical order ("data" before "type"), or reversed.
std::string written(const json& value, bool reversed) {
  std::vector<std::string> items;
  if (value.is_array()) {
    for (const json& item : value) items.push_back(written(item, reversed));
    return joined(items, '[', ']');
  }
  if (!value.is_object()) return value.dump();
  for (const auto& [key, member] : value.items())
    items.push_back(json(key).dump() + ":" + written(member, reversed));
  if (reversed) std::reverse(items.begin(), items.end());
  return joined(items, '{', '}');
}

TEST(WorkspaceReader, TheOrderOfKeysDoesNotMatter) {
  const Workspace data_first = parse_workspace(written(small(), false)).value();
  const Workspace type_first = parse_workspace(written(small(), true)).value();
  ASSERT_EQ(data_first.modifiers.size(), type_first.modifiers.size());
  for (std::size_t i = 0; i < data_first.modifiers.size(); ++i) {
    const WorkspaceModifier &a = data_first.modifiers[i], &b = type_first.modifiers[i];
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(data_first.name(a.name), type_first.name(b.name));
    const DataShape shape = modifier_kinds()[a.kind].shape;
    if (shape == DataShape::Null) continue;
    EXPECT_EQ(numbers(data_first, a.first), numbers(type_first, b.first));
    if (shape == DataShape::Numbers) continue;
    EXPECT_EQ(numbers(data_first, a.second), numbers(type_first, b.second));
  }
}

TEST(WorkspaceReader, DataOfTheWrongFormIsFoundInEitherOrder) {
  json document = small();
  document["channels"][0]["samples"][0]["modifiers"][2]["data"] = json::array({1.0, 2.0});  // of a normsys
  for (const bool reversed : {false, true}) {
    const Result<Workspace> workspace = parse_workspace(written(document, reversed));
    ASSERT_FALSE(workspace);
    ASSERT_EQ(workspace.errors().size(), 1u);
    EXPECT_EQ(workspace.errors()[0].where.inside, "/channels/0/samples/0/modifiers/2/data");
    EXPECT_NE(workspace.errors()[0].what.find("normsys"), std::string::npos);
  }
}

TEST(WorkspaceReader, EveryFaultIsListedWithItsPlace) {
  json document = small();
  document["channels"][0]["samples"][0]["data"][1] = "twelve";
  document["channels"][1]["samples"][0]["modifiers"][1]["type"] = "normsis";
  document["channels"][2]["samples"][0]["color"] = "red";
  document["observations"][0].erase("name");
  document["measurements"][0]["config"]["poi"] = 7;
  EXPECT_EQ(pointers(document),
            (std::vector<std::string>{"/channels/0/samples/0/data/1",
                                      "/channels/1/samples/0/modifiers/1/type", "/channels/2/samples/0/color",
                                      "/measurements/0/config/poi", "/observations/0"}));
}

TEST(WorkspaceReader, PointersEscapeSlashAndTilde) {
  json document = small();
  document["channels"][0]["a/b~c"] = 1;
  EXPECT_EQ(pointers(document), std::vector<std::string>{"/channels/0/a~1b~0c"});
}

TEST(WorkspaceReader, LengthsAreHeldToTheBinning) {
  json document = small();
  document["channels"][0]["samples"][1]["modifiers"][0]["data"]["hi_data"].push_back(1.0);
  document["channels"][1]["samples"][0]["modifiers"][3]["data"].push_back(1.0);
  document["observations"][1]["data"].push_back(3.0);
  EXPECT_EQ(pointers(document),
            (std::vector<std::string>{"/channels/0/samples/1/modifiers/0/data/hi_data",
                                      "/channels/1/samples/0/modifiers/3/data", "/observations/1/data"}));
}

TEST(WorkspaceReader, NumbersAreReadToTheLastBit) {
  json document = small();
  std::string text = document.dump();
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("[127.0,60.5,0.0]", "[0.1,2.2250738585072014e-308,123456789012345678]");
  const Workspace workspace = parse_workspace(text).value();
  EXPECT_EQ(numbers(workspace, workspace.observations[2].data),
            (std::vector<double>{0.1, 2.2250738585072014e-308, 123456789012345678.0}));
}

}  // namespace
}  // namespace nextstat

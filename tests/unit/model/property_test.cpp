// Changes of a workspace that do not change its likelihood.
#include <gtest/gtest.h>
#include <nextstat/evaluate.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/points.h"
#include "test_models.h"
#include "unit/model/random_workspace.h"

namespace nextstat {
namespace {

using nlohmann::json;
using test::model_of;

constexpr std::uint64_t kWorkspaces = 40;
constexpr std::size_t kPoints = 3;
constexpr double kSameNll = 1e-12;       // relative: the same terms in another order
constexpr double kSameGradient = 1e-11;  // of the largest element: likewise, and weights 1 - n / nu amplify

using Names = std::function<std::string(const std::string&)>;  // flat name before -> flat name after

// The same NLL and gradient at the same values of the parameters, which may have moved and changed names.
void expect_same(
    const json& before, const json& after,
    const Names& renamed = [](const std::string& name) { return name; }) {
  const Model a = model_of(before), b = model_of(after);
  ASSERT_EQ(a.n_parameters(), b.n_parameters());
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < b.n_parameters(); ++i) place[b.parameters()[i].name] = i;
  conformance::Points points(a, 17);
  EvaluateOptions options;
  options.gradient = true;
  for (std::size_t k = 0; k < kPoints; ++k) {
    const std::vector<double> x = points.random();
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[place.at(renamed(a.parameters()[i].name))] = x[i];
    const Evaluation first = evaluate(a, x, options).value(), second = evaluate(b, y, options).value();
    if (!std::isfinite(first.nll[0])) {
      EXPECT_EQ(first.nll[0], second.nll[0]);
      continue;
    }
    EXPECT_NEAR(first.nll[0], second.nll[0], kSameNll * std::max(1.0, std::abs(first.nll[0])));
    double largest = 0;
    for (const double slope : first.gradient) largest = std::max(largest, std::abs(slope));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::string& name = a.parameters()[i].name;
      EXPECT_NEAR(first.gradient[i], second.gradient[place.at(renamed(name))], kSameGradient * largest)
          << name;
    }
  }
}

template <class Change>
void for_each_workspace(bool bin_parameters, Change&& change) {
  for (std::uint64_t seed = 0; seed < kWorkspaces; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorkspace random(seed, bin_parameters);
    const json document = random.document();
    change(document, random);
  }
}

TEST(Property, RandomWorkspacesAreMostlyFinite) {
  std::size_t finite = 0;
  for_each_workspace(true, [&](const json& document, RandomWorkspace&) {
    const Model model = model_of(document);
    finite += std::isfinite(evaluate(model, conformance::Points(model, 17).random()).value().nll[0]);
  });
  EXPECT_GT(finite, kWorkspaces * 3 / 4);
}

TEST(Property, OrderInTheFileDoesNotMatter) {
  for_each_workspace(true, [](const json& document, RandomWorkspace& random) {
    json after = document;
    random.shuffle(after["channels"]);
    random.shuffle(after["observations"]);
    for (json& channel : after["channels"]) {
      random.shuffle(channel["samples"]);
      for (json& sample : channel["samples"]) random.shuffle(sample["modifiers"]);
    }
    expect_same(document, after);
  });
}

TEST(Property, SamplesWithoutContentDoNotMatter) {
  for_each_workspace(true, [](const json& document, RandomWorkspace&) {
    json after = document;
    for (json& channel : after["channels"]) {
      const std::vector<double> zeros(channel["samples"][0]["data"].size());
      channel["samples"].push_back({{"name", "a_empty"}, {"data", zeros}, {"modifiers", json::array()}});
      channel["samples"].push_back({{"name", "z_empty"}, {"data", zeros}, {"modifiers", json::array()}});
    }
    expect_same(document, after);
  });
}

// bins [begin, end) of everything that has bins.
json cut(const json& channel, const std::string& name, std::size_t begin, std::size_t end) {
  json part = channel;
  part["name"] = name;
  const auto take = [&](json& array) {
    array = json(array.begin() + static_cast<std::ptrdiff_t>(begin),
                 array.begin() + static_cast<std::ptrdiff_t>(end));
  };
  if (part.contains("data")) take(part["data"]);  // an observation
  if (!part.contains("samples")) return part;
  for (json& sample : part["samples"]) {
    take(sample["data"]);
    for (json& modifier : sample["modifiers"]) {
      for (const char* key : {"hi_data", "lo_data"}) {
        if (modifier["data"].is_object() && modifier["data"].contains(key)) take(modifier["data"][key]);
      }
    }
  }
  return part;
}

TEST(Property, AChannelCanBeSplitByBins) {
  std::size_t splits = 0;
  for_each_workspace(false, [&](const json& document, RandomWorkspace& random) {
    json after = document;
    after["channels"] = after["observations"] = json::array();
    for (std::size_t c = 0; c < document["channels"].size(); ++c) {
      const json &channel = document["channels"][c], &observation = document["observations"][c];
      const std::size_t bins = observation["data"].size(),
                        middle = bins < 2 ? bins : 1 + random.below(bins - 1);
      const std::string name = channel["name"];
      after["channels"].push_back(cut(channel, name + "_low", 0, middle));
      after["observations"].push_back(cut(observation, name + "_low", 0, middle));
      if (middle == bins) continue;
      ++splits;
      after["channels"].push_back(cut(channel, "another_" + name, middle, bins));
      after["observations"].push_back(cut(observation, "another_" + name, middle, bins));
    }
    expect_same(document, after);
  });
  EXPECT_GT(splits, kWorkspaces / 2);
}

TEST(Property, ASampleCanBeSplitIntoTwoHalves) {
  for_each_workspace(false, [](const json& document, RandomWorkspace&) {
    json after = document;
    json& samples = after["channels"][0]["samples"];
    const auto halve = [](json& array) {
      for (json& value : array) value = value.get<double>() / 2;
    };
    halve(samples[0]["data"]);
    for (json& modifier : samples[0]["modifiers"]) {
      if (modifier["type"] != "histosys") continue;
      halve(modifier["data"]["hi_data"]);
      halve(modifier["data"]["lo_data"]);
    }
    json other = samples[0];
    other["name"] = "other_half";
    samples.push_back(other);
    expect_same(document, after);
  });
}

// New names that sort the other way round; lumi keeps its own.
std::string mirrored(const std::string& name) {
  if (name == "lumi") return name;
  const std::size_t bracket = name.find('[');
  std::string text = name.substr(0, bracket);
  for (char& letter : text) letter = static_cast<char>('!' + '~' - letter);
  std::replace(text.begin(), text.end(), '[', '{');
  return bracket == std::string::npos ? text : text + name.substr(bracket);
}

TEST(Property, NamesDoNotMatter) {
  for_each_workspace(true, [](const json& document, RandomWorkspace&) {
    json after = document;
    const auto rename = [](json& object) { object["name"] = mirrored(object["name"]); };
    for (json& channel : after["channels"]) {
      rename(channel);
      for (json& sample : channel["samples"]) {
        rename(sample);
        for (json& modifier : sample["modifiers"]) rename(modifier);
      }
    }
    for (json& observation : after["observations"]) rename(observation);
    after["measurements"][0]["config"]["poi"] = mirrored("mu");
    expect_same(document, after, mirrored);
  });
}

// Pois(n | nu) is the same for every unit of nothing: bins without content and without counts add nothing.
TEST(Property, BinsWithoutContentDoNotMatter) {
  for_each_workspace(false, [](const json& document, RandomWorkspace&) {
    json after = document;
    after["observations"][0]["data"].push_back(0.0);
    for (json& sample : after["channels"][0]["samples"]) {
      sample["data"].push_back(0.0);
      for (json& modifier : sample["modifiers"]) {
        if (modifier["type"] != "histosys") continue;
        modifier["data"]["hi_data"].push_back(0.0);
        modifier["data"]["lo_data"].push_back(0.0);
      }
    }
    expect_same(document, after);
  });
}

}  // namespace
}  // namespace nextstat

// Small random workspaces, the same for the same seed on every machine.
//
//   nlohmann::json document = RandomWorkspace(7).document();
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/points.h"
#include "reference/test_workspaces.h"

namespace nextstat {

class RandomWorkspace {
 public:
  using json = nlohmann::json;

  // bin_parameters: also modifiers with a parameter per bin (staterror, shapesys, shapefactor).
  explicit RandomWorkspace(std::uint64_t seed, bool bin_parameters = true)
      : draw_(seed), bin_parameters_(bin_parameters) {}

  json document() {
    json channels = json::array(), observations = json::array();
    const std::size_t count = 1 + draw_.below(4);
    for (std::size_t c = 0; c < count; ++c) channels.push_back(channel("channel_" + std::to_string(c)));
    for (const json& channel : channels) observations.push_back(observation(channel));
    const json lumi = {
        {"name", "lumi"}, {"inits", {1.0}}, {"bounds", {{0.5, 1.5}}}, {"auxdata", {1.0}}, {"sigmas", {0.02}}};
    json document = reference::workspace(channels, observations);
    document["measurements"][0]["config"]["parameters"].push_back(lumi);
    return document;
  }

  std::vector<std::size_t> shuffled(std::size_t count) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < count; ++i)
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(draw_.below(i + 1)), i);
    return order;
  }
  void shuffle(json& array) {
    const json copy = array;
    const std::vector<std::size_t> order = shuffled(copy.size());
    for (std::size_t i = 0; i < order.size(); ++i) array[i] = copy[order[i]];
  }
  std::size_t below(std::size_t count) { return draw_.below(count); }

 private:
  bool sometimes() { return draw_.below(2) == 0; }

  std::vector<double> around(const std::vector<double>& values, double relative) {
    std::vector<double> result;
    for (const double value : values) result.push_back(value * (1 + relative * draw_.uniform(-1, 1)));
    return result;
  }

  static json scalar(const char* name, const char* type) {
    return {{"name", name}, {"type", type}, {"data", nullptr}};
  }

  json channel(const std::string& name) {
    const std::size_t bins = 1 + draw_.below(6), count = 1 + draw_.below(4);
    json samples = json::array();
    for (std::size_t s = 0; s < count; ++s)
      samples.push_back(sample(name, "sample_" + std::to_string(s), bins));
    return {{"name", name}, {"samples", samples}};
  }

  json sample(const std::string& channel, const std::string& name, std::size_t bins) {
    std::vector<double> data;
    for (std::size_t b = 0; b < bins; ++b) data.push_back(draw_.below(9) == 0 ? 0.0 : draw_.uniform(2, 40));
    json modifiers = json::array();
    if (name == "sample_0") modifiers.push_back(scalar("mu", "normfactor"));
    if (sometimes()) modifiers.push_back(scalar("lumi", "lumi"));
    for (std::size_t k = 0; k < 4; ++k) {
      const std::string systematic = "systematic_" + std::to_string(k);
      if (sometimes())
        modifiers.push_back({{"name", systematic},
                             {"type", "normsys"},
                             {"data", {{"hi", draw_.uniform(0.8, 1.3)}, {"lo", draw_.uniform(0.8, 1.2)}}}});
      if (sometimes())
        modifiers.push_back({{"name", systematic},
                             {"type", "histosys"},
                             {"data", {{"hi_data", around(data, 0.2)}, {"lo_data", around(data, 0.2)}}}});
    }
    if (bin_parameters_) add_bin_parameters(channel, name, data, modifiers);
    return {{"name", name}, {"data", data}, {"modifiers", modifiers}};
  }

  void add_bin_parameters(const std::string& channel, const std::string& name,
                          const std::vector<double>& data, json& modifiers) {
    std::vector<double> uncertainty;
    for (const double value : data) uncertainty.push_back(0.1 * value);
    if (sometimes())
      modifiers.push_back({{"name", "stat_" + channel}, {"type", "staterror"}, {"data", uncertainty}});
    if (sometimes())
      modifiers.push_back(
          {{"name", "shape_" + channel + "_" + name}, {"type", "shapesys"}, {"data", uncertainty}});
    if (draw_.below(4) == 0) modifiers.push_back(scalar(("free_" + channel).c_str(), "shapefactor"));
  }

  json observation(const json& channel) {
    std::vector<double> sum(channel["samples"][0]["data"].size());
    for (const json& sample : channel["samples"]) {
      for (std::size_t b = 0; b < sum.size(); ++b) sum[b] += sample["data"][b].get<double>();
    }
    // A bin without content must stay empty: an observed count without a rate has an infinite NLL.
    for (double& value : sum) value = value == 0 ? 0 : std::floor(value * draw_.uniform(0.8, 1.2)) + 1;
    return {{"name", channel["name"]}, {"data", sum}};
  }

  conformance::Draw draw_;
  bool bin_parameters_;
};

}  // namespace nextstat

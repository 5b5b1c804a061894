// Small workspaces built from numbers, and the way to the real ones.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Leaves a test that needs real workspaces where there are none, and says so.
#define NEXTSTAT_NEEDS_DATA() \
  if (!nextstat::reference::data_folder()) GTEST_SKIP() << "no real workspaces: NEXTSTAT_DATA is not set"

namespace nextstat::reference {

using nlohmann::json;

inline json modifier(const std::string& name, const std::string& type, json data = nullptr) {
  return {{"name", name}, {"type", type}, {"data", std::move(data)}};
}

inline json normsys(const std::string& name, double lo, double hi) {
  return modifier(name, "normsys", {{"lo", lo}, {"hi", hi}});
}

inline json histosys(const std::string& name, const std::vector<double>& lo, const std::vector<double>& hi) {
  return modifier(name, "histosys", {{"lo_data", lo}, {"hi_data", hi}});
}

inline json shapesys(const std::vector<double>& uncertainty) {
  return modifier("uncertainty", "shapesys", uncertainty);
}

inline json sample(const std::string& name, const std::vector<double>& data, json modifiers) {
  return {{"name", name}, {"data", data}, {"modifiers", std::move(modifiers)}};
}

inline json workspace(json channels, json observations) {
  return {{"channels", std::move(channels)},
          {"observations", std::move(observations)},
          {"measurements", json::parse(R"([{"name": "m", "config": {"poi": "mu", "parameters": []}}])")},
          {"version", "1.0.0"}};
}

inline json one_channel(json samples, const std::vector<double>& observed) {
  return workspace(json::array({{{"name", "channel"}, {"samples", std::move(samples)}}}),
                   json::array({{{"name", "channel"}, {"data", observed}}}));
}

inline json with_bounds(json document, const std::string& name, double low, double high) {
  document["measurements"][0]["config"]["parameters"].push_back({{"name", name}, {"bounds", {{low, high}}}});
  return document;
}

// Signal scaled by mu over a background with a list of modifiers.
inline json signal_over(const std::vector<double>& signal, const std::vector<double>& background,
                        json modifiers, const std::vector<double>& observed) {
  return one_channel({sample("signal", signal, json::array({modifier("mu", "normfactor")})),
                      sample("background", background, std::move(modifiers))},
                     observed);
}

// With one modifier.
inline json signal_and_background(const std::vector<double>& signal, const std::vector<double>& background,
                                  const json& of_background, const std::vector<double>& observed) {
  return signal_over(signal, background, json::array({of_background}), observed);
}

// Hello world of the field: two bins, signal 12 and 11, background 50 +- 3 and 52 +- 7.
inline json two_bins_workspace(const std::vector<double>& observed) {
  return signal_and_background({12, 11}, {50, 52}, shapesys({3, 7}), observed);
}

inline json histosys_workspace() {  // rows 33 and 38
  return signal_and_background({30, 95}, {100, 150}, histosys("shape", {98, 100}, {102, 190}), {120, 180});
}

inline std::optional<std::filesystem::path> data_folder() {
  const char* folder = std::getenv("NEXTSTAT_DATA");
  if (folder == nullptr) return std::nullopt;
  return std::filesystem::path(folder);
}

// A file of the data folder.
inline json read_data(const std::string& name) {
  std::ifstream file(data_folder().value() / name);
  if (!file) throw std::runtime_error("cannot open " + name);
  return json::parse(file);
}

}  // namespace nextstat::reference

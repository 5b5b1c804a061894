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

inline json workspace(json channels, json observations) {
  return {{"channels", std::move(channels)},
          {"observations", std::move(observations)},
          {"measurements", json::parse(R"([{"name": "m", "config": {"poi": "mu", "parameters": []}}])")},
          {"version", "1.0.0"}};
}

// Signal scaled by mu over a background with one modifier.
inline json signal_and_background(const std::vector<double>& signal, const std::vector<double>& background,
                                  const json& modifier, const std::vector<double>& observed) {
  const json mu = {{"name", "mu"}, {"type", "normfactor"}, {"data", nullptr}};
  const json samples = {
      {{"name", "signal"}, {"data", signal}, {"modifiers", json::array({mu})}},
      {{"name", "background"}, {"data", background}, {"modifiers", json::array({modifier})}}};
  return workspace(json::array({{{"name", "channel"}, {"samples", samples}}}),
                   json::array({{{"name", "channel"}, {"data", observed}}}));
}

inline json shapesys(const std::vector<double>& uncertainty) {
  return {{"name", "uncertainty"}, {"type", "shapesys"}, {"data", uncertainty}};
}

inline json histosys(const std::string& name, const std::vector<double>& lo, const std::vector<double>& hi) {
  return {{"name", name}, {"type", "histosys"}, {"data", {{"lo_data", lo}, {"hi_data", hi}}}};
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

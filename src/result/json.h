// Results as JSON: one function per result. Numbers that do not exist are null, never NaN.
#pragma once

#include <nextstat/evaluate.h>
#include <nextstat/minima.h>
#include <nextstat/model.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

namespace nextstat {

nlohmann::json json_number(double value);
nlohmann::json json_numbers(std::span<const double> values);
nlohmann::json parts_json(std::span<const IntervalPart> parts);  // [[lower, upper], ...]

// minima, starts, exhausted: what a question's fits were begun at, and led to.
void add_search(nlohmann::json& json, const Model& model, const MinimaSearch& search);

// What a sample of toys shows about the minima of their fits.
nlohmann::json toy_minima_json(std::span<const SampledToys> kinds);

// What every result carries.
struct ResultHeader {
  std::string schema;                 // "nextstat/evaluate/1"
  std::string workspace_digest = "";  // sha256; "" = there is no workspace, or none that could be read
  DeviceUse device = {};
  double wall_time_s = 0;
  std::optional<double> load_time_s = {};  // from file to ready model; only where times were asked for
};
void add_header(nlohmann::json& json, const ResultHeader& header);

// Channels, samples, modifiers, parameters, measurements.
nlohmann::json inspect_json(const Workspace& workspace, const Model& model);

// One object for one row, {"rows": [...]} for many.
nlohmann::json evaluation_json(const Model& model, const Evaluation& evaluation, bool many_rows);

}  // namespace nextstat

#include <nextstat/result_json.h>
#include <nextstat/version.h>

#include <cmath>
#include <map>
#include <set>

#include "model/modifiers/modifier_kind.h"
#include "result/common_json.h"

namespace nextstat {

using nlohmann::json;

json json_number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json json_numbers(std::span<const double> values) {
  json list = json::array();
  for (double value : values) list.push_back(json_number(value));
  return list;
}

json parts_json(std::span<const IntervalPart> parts) {
  json list = json::array();
  for (const IntervalPart& part : parts) list.push_back({json_number(part.lower), json_number(part.upper)});
  return list;
}

void add_search(json& answer, const Model& model, const MinimaSearch& search) {
  json& minima = answer["minima"] = json::array();
  for (const FoundMinimum& minimum : search.minima) {
    json parameters = json::object();
    for (const FoundMinimum::Value& one : minimum.parameters)
      parameters[model.parameters()[one.parameter].name] = json_number(one.value);
    minima.push_back({{"fit", minimum.fit},
                      {"nll", json_number(minimum.nll)},
                      {"above", json_number(minimum.above)},
                      {"poi", json_number(minimum.poi)},
                      {"used", minimum.used},
                      {"parameters", std::move(parameters)}});
  }
  answer["starts"] = search.starts;
  answer["exhausted"] = search.exhausted;
}

json poi_index(const Model& model) { return model.poi_index() ? json(*model.poi_index()) : json(nullptr); }

void add_poi(json& answer, const Model& model) {
  answer["poi_index"] = poi_index(model);
  answer["poi"] = model.poi_name();
}

json goodness_json(const GoodnessOfFit& goodness) {
  return {{"chi2", json_number(goodness.chi2)},
          {"ndof", goodness.ndof},
          {"p_value", json_number(goodness.p_value)},
          {"nll_fit", json_number(goodness.nll_fit)},
          {"nll_saturated", json_number(goodness.nll_saturated)}};
}

json toy_minima_json(std::span<const SampledToys> kinds) {
  json list = json::array();
  for (const SampledToys& kind : kinds)
    list.push_back({{"fit", kind.fit},
                    {"starts", kind.starts},
                    {"sampled", kind.sampled},
                    {"elsewhere", kind.elsewhere}});
  return list;
}

void add_header(json& result, const ResultHeader& header) {
  result["schema"] = header.schema;
  result["nextstat_version"] = version_string();
  result["workspace_digest"] =
      header.workspace_digest.empty() ? json(nullptr) : json(header.workspace_digest);
  result["device"] = header.device.name;
  result["precision"] = header.device.precision;
  if (!header.device.choice.empty()) result["device_choice"] = header.device.choice;
  result["wall_time_s"] = header.wall_time_s;
  if (header.load_time_s) result["load_time_s"] = *header.load_time_s;
}

namespace {

json parameter_json(const Parameter& parameter) {
  json entry = {{"name", parameter.name},
                {"set", parameter.set},
                {"type", parameter.type},
                {"init", json_number(parameter.init)},
                {"bounds", {json_number(parameter.low), json_number(parameter.high)}},
                {"fixed", parameter.fixed},
                {"constraint", nullptr}};
  if (parameter.constraint == Constraint::Normal) {
    entry["constraint"] = {{"type", "normal"},
                           {"center", json_number(parameter.center)},
                           {"sigma", json_number(parameter.width)}};
  } else if (parameter.constraint == Constraint::Poisson) {
    entry["constraint"] = {{"type", "poisson"},
                           {"center", json_number(parameter.center)},
                           {"tau", json_number(parameter.width)}};
  }
  return entry;
}

// Each modifier once, with the number of samples it acts on.
json modifiers_json(const Workspace& workspace) {
  std::map<std::pair<std::string, std::string>, std::size_t> uses;
  for (const WorkspaceModifier& modifier : workspace.modifiers) {
    ++uses[{std::string(workspace.name(modifier.name)), std::string(modifier_kinds()[modifier.kind].type)}];
  }
  json list = json::array();
  for (const auto& [key, count] : uses)
    list.push_back({{"name", key.first}, {"type", key.second}, {"uses", count}});
  return list;
}

}  // namespace

json band_json(const std::array<TailProbabilities, 5>& expected, double TailProbabilities::*member) {
  json list = json::array();
  for (const TailProbabilities& tails : expected) list.push_back(json_number(tails.*member));
  return list;
}

json expected_set_json(const std::array<TailProbabilities, 5>& expected) {
  return {{"nsigma_order", kBandSigmas},
          {"cls", band_json(expected, &TailProbabilities::cls)},
          {"clsb", band_json(expected, &TailProbabilities::clsb)},
          {"clb", band_json(expected, &TailProbabilities::clb)}};
}

json inspect_json(const Workspace& workspace, const Model& model) {
  json result;
  result["channels"] = json::array();
  std::set<std::string> samples;
  for (const ChannelInfo& channel : model.channels()) {
    result["channels"].push_back(
        {{"name", channel.name}, {"bins", channel.bins}, {"samples", channel.samples}});
    samples.insert(channel.samples.begin(), channel.samples.end());
  }
  result["samples"] = samples;
  result["modifiers"] = modifiers_json(workspace);
  result["parameters"] = json::array();
  for (const Parameter& parameter : model.parameters())
    result["parameters"].push_back(parameter_json(parameter));
  result["bins"] = model.n_bins();
  result["measurement"] = model.measurement();
  result["measurements"] = json::array();
  for (const WorkspaceMeasurement& measurement : workspace.measurements) {
    result["measurements"].push_back(
        {{"name", workspace.name(measurement.name)}, {"poi", workspace.name(measurement.poi)}});
  }
  result["poi"] = model.poi_name().empty() ? json(nullptr) : json(model.poi_name());
  result["poi_index"] = model.poi_index() ? json(*model.poi_index()) : json(nullptr);
  result["normsys_code"] = to_string(model.normsys_code());
  result["histosys_code"] = to_string(model.histosys_code());
  result["warnings"] = model.warnings();
  return result;
}

namespace {

std::string missing_rows_warning(std::size_t missing, std::size_t rows, std::size_t first) {
  const std::string which = rows == 1 ? ""
                                      : std::to_string(missing) + " of " + std::to_string(rows) +
                                            " rows, first row " + std::to_string(first) + ": ";
  return which +
         "the NLL is not finite: the expected rate of a bin with observed events is zero, negative or too "
         "large";
}

}  // namespace

json evaluation_json(const Model& model, const Evaluation& evaluation, bool many_rows) {
  const std::size_t size = model.n_parameters(), n_data = model.data().size();
  std::vector<std::string> warnings = model.warnings();
  json rows = json::array();
  std::size_t missing = 0, first_missing = 0;
  for (std::size_t row = 0; row < evaluation.nll.size(); ++row) {
    json entry = {{"nll", json_number(evaluation.nll[row])},
                  {"twice_nll", json_number(2 * evaluation.nll[row])}};
    const bool exists = std::isfinite(evaluation.nll[row]);
    const auto derivatives = [&](std::span<const double> values) {
      return exists ? json_numbers(values) : json(std::vector<json>(values.size()));
    };
    if (!exists && missing++ == 0) first_missing = row;
    if (!evaluation.gradient.empty())
      entry["gradient"] = derivatives(std::span(evaluation.gradient).subspan(row * size, size));
    if (!evaluation.hessian.empty()) {
      json& matrix = entry["hessian"] = json::array();
      for (std::size_t i = 0; i < size; ++i)
        matrix.push_back(derivatives(std::span(evaluation.hessian).subspan((row * size + i) * size, size)));
    }
    if (!evaluation.expected.empty()) {
      const auto expected = std::span(evaluation.expected).subspan(row * n_data, n_data);
      json& main = entry["expected_data"]["main"] = json::object();
      for (const ChannelInfo& channel : model.channels())
        main[channel.name] = json_numbers(expected.subspan(channel.first_bin, channel.bins));
      entry["expected_data"]["auxiliary"] = json_numbers(expected.subspan(model.n_bins()));
    }
    rows.push_back(std::move(entry));
  }
  if (missing > 0) warnings.push_back(missing_rows_warning(missing, evaluation.nll.size(), first_missing));
  json result = many_rows ? json{{"rows", std::move(rows)}} : std::move(rows[0]);
  json& names = result["parameter_names"] = json::array();
  for (const Parameter& parameter : model.parameters()) names.push_back(parameter.name);
  result["poi_index"] = model.poi_index() ? json(*model.poi_index()) : json(nullptr);
  result["instruction_set"] = evaluation.instruction_set;
  result["warnings"] = warnings;
  return result;
}

}  // namespace nextstat

#include <nextstat/result_json.h>

#include <string>

#include "result/common_json.h"

namespace nextstat {

using nlohmann::json;

namespace {

json rows_json(const std::vector<double>& matrix, std::size_t size) {
  if (matrix.empty()) return nullptr;
  json rows = json::array();
  for (std::size_t i = 0; i < size; ++i)
    rows.push_back(json_numbers(std::span(matrix).subspan(i * size, size)));
  return rows;
}

json names_json(const Model& model, const std::vector<std::size_t>& indices) {
  json names = json::array();
  for (std::size_t i : indices) names.push_back(model.parameters()[i].name);
  return names;
}

void add_matrices(const FitResult& result, bool large_matrices, json& fit) {
  const std::size_t size = result.bestfit.size();
  const bool too_large = size > kMostParametersInText && !large_matrices;
  fit["covariance"] = too_large ? json(nullptr) : rows_json(result.covariance, size);
  fit["correlation"] = too_large ? json(nullptr) : rows_json(result.correlation, size);
  if (too_large && !result.covariance.empty())
    fit["warnings"].push_back("covariance and correlation of " + std::to_string(size) +
                              " parameters are left out; they are given on request");
}

}  // namespace

json fit_json_without_matrices(const Model& model, const FitResult& result) {
  json fit;
  json& names = fit["parameter_names"] = json::array();
  for (const Parameter& parameter : model.parameters()) names.push_back(parameter.name);
  fit["poi"] = model.poi_name().empty() ? json(nullptr) : json(model.poi_name());
  fit["poi_index"] = poi_index(model);
  fit["measurement"] = model.measurement();
  fit["bestfit"] = json_numbers(result.bestfit);
  fit["uncertainties"] = result.uncertainties.empty() ? json(nullptr) : json_numbers(result.uncertainties);
  json& minos = fit["minos"] = json::object();
  for (const MinosErrors& errors : result.minos)
    minos[model.parameters()[errors.parameter].name] = {json_number(errors.down), json_number(errors.up)};
  json& parts = fit["minos_parts"] = json::object();
  for (const MinosErrors& errors : result.minos) {
    if (!errors.parts.empty()) parts[model.parameters()[errors.parameter].name] = parts_json(errors.parts);
  }
  fit["nll"] = json_number(result.nll);
  fit["twice_nll"] = json_number(2 * result.nll);
  fit["initial_nll"] = json_number(result.initial_nll);
  fit["termination_reason"] = to_string(result.termination);
  fit["n_iter"] = result.iterations;
  fit["n_fev"] = result.evaluations;
  fit["n_gev"] = result.evaluations;
  fit["edm"] = json_number(result.edm);
  fit["final_grad_norm"] = json_number(result.scaled_gradient);
  fit["n_active_bounds"] = result.at_bound.size();
  fit["at_bound"] = names_json(model, result.at_bound);
  fit["fixed"] = names_json(model, result.fixed);
  fit["goodness_of_fit"] = goodness_json(result.goodness_of_fit);
  add_outcome(fit, model, result);
  return fit;
}

json fit_json(const Model& model, const FitResult& result, bool large_matrices) {
  json fit = fit_json_without_matrices(model, result);
  add_matrices(result, large_matrices, fit);
  return fit;
}

}  // namespace nextstat

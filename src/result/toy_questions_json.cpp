#include <nextstat/result_json.h>

#include "result/common_json.h"

namespace nextstat {

using nlohmann::json;

namespace {

json counts_json(std::size_t b, std::size_t sb) { return {{"b", b}, {"sb", sb}}; }

template <class R>
void add_toy_outcome(json& answer, const Model& model, const R& result) {
  answer["poi_index"] = model.poi_index() ? json(*model.poi_index()) : json(nullptr);
  answer["poi"] = model.poi_name();
  answer["calctype"] = to_string(Calculator::Toys);
  answer["seed"] = result.seed;
  answer["converged"] = result.converged;
  answer["interrupted"] = result.interrupted;
  answer["instruction_set"] = result.instruction_set;
  answer["warnings"] = result.warnings;
  add_search(answer, model, result.search);
}

json point_json(const FeldmanCousinsPoint& point) {
  return {{"value", json_number(point.value)},
          {"q", json_number(point.q)},
          {"q_critical", json_number(point.q_critical)},
          {"q_critical_error", json_number(point.q_critical_error)},
          {"p_value", json_number(point.p_value)},
          {"p_value_error", json_number(point.p_value_error)},
          {"inside", point.inside},
          {"converged", point.converged},
          {"n_toys", point.n_toys},
          {"n_error", point.n_error},
          {"n_nonconverged", point.n_nonconverged}};
}

}  // namespace

json significance_toys_json(const Model& model, const SignificanceToysResult& result) {
  json answer = {
      {"p0", json_number(result.p0)},
      {"p0_error", json_number(result.p0_error)},
      {"z_obs", json_number(result.z_obs)},
      {"z_obs_error", json_number(result.z_obs_error)},
      {"z_obs_bound", json_number(result.z_obs_bound)},
      {"p0_exp", json_number(result.p0_exp)},
      {"p0_exp_error", json_number(result.p0_exp_error)},
      {"z_exp", json_number(result.z_exp)},
      {"z_exp_error", json_number(result.z_exp_error)},
      {"z_exp_bound", json_number(result.z_exp_bound)},
      {"mu_hat", json_number(result.asymptotic.mu_hat)},
      {"q0", json_number(result.asymptotic.q0)},
      {"q0_asimov", json_number(result.asymptotic.q0_asimov)},
      {"n_toys", counts_json(result.n_toys.tested, result.n_toys.alternative)},
      {"n_error", counts_json(result.n_error.tested, result.n_error.alternative)},
      {"n_nonconverged", counts_json(result.n_nonconverged.tested, result.n_nonconverged.alternative)},
      {"toy_minima", toy_minima_json(result.toy_minima)}};
  add_toy_outcome(answer, model, result);
  return answer;
}

json goodness_of_fit_toys_json(const Model& model, const GoodnessOfFitToysResult& result) {
  json answer = goodness_of_fit_json(model, result.data);
  answer["p_value_toys"] = json_number(result.p_value);
  answer["p_value_toys_error"] = json_number(result.p_value_error);
  answer["mean_chi2_toys"] = json_number(result.mean_chi2);
  answer["n_toys"] = result.n_toys;
  answer["n_error"] = result.n_error;
  answer["n_nonconverged"] = result.n_nonconverged;
  answer["seed"] = result.seed;
  return answer;
}

json upper_limit_toys_json(const Model& model, const UpperLimitToysResult& result) {
  json answer = {{"confidence_level", result.confidence_level},
                 {"test_stat", to_string(result.statistic)},
                 {"obs_limit", json_number(result.observed)},
                 {"obs_limit_error", json_number(result.observed_error)},
                 {"exp_limits", json_numbers(result.expected)},
                 {"exp_limit_errors", json_numbers(result.expected_errors)},
                 {"obs_limit_asymptotics", json_number(result.observed_asymptotic)},
                 {"exp_limits_asymptotics", json_numbers(result.expected_asymptotic)},
                 {"nsigma_order", kBandSigmas},
                 {"mu_hat", json_number(result.mu_hat)},
                 {"bracket", json_numbers(result.bracket)},
                 {"toy_error", json_number(result.error_wanted)},
                 {"toy_error_reached", result.error_reached},
                 {"n_toys_total", result.n_toys},
                 {"n_fits", result.fits}};
  for (const char* key : {"poi_values", "observed_cls", "observed_cls_errors", "expected_cls",
                          "expected_cls_errors", "n_toys", "n_error", "n_nonconverged"})
    answer[key] = json::array();
  for (const CLsToysPoint& point : result.points) {
    answer["poi_values"].push_back(point.mu);
    answer["observed_cls"].push_back(json_number(point.observed));
    answer["observed_cls_errors"].push_back(json_number(point.observed_error));
    answer["expected_cls"].push_back(json_numbers(point.expected));
    answer["expected_cls_errors"].push_back(json_numbers(point.expected_errors));
    answer["n_toys"].push_back(counts_json(point.n_toys.alternative, point.n_toys.tested));
    answer["n_error"].push_back(counts_json(point.n_error.alternative, point.n_error.tested));
    answer["n_nonconverged"].push_back(
        counts_json(point.n_nonconverged.alternative, point.n_nonconverged.tested));
  }
  answer["kinks"] = json::array();  // the values tested with toys are not a branch to follow
  add_toy_outcome(answer, model, result);
  return answer;
}

json feldman_cousins_json(const Model& model, const FeldmanCousinsResult& result) {
  json points = json::array();
  for (const FeldmanCousinsPoint& point : result.points) points.push_back(point_json(point));
  return {{"poi_index", model.poi_index() ? json(*model.poi_index()) : json(nullptr)},
          {"parameter", model.parameters()[result.parameter].name},
          {"parameter_index", result.parameter},
          {"confidence_level", result.confidence_level},
          {"bestfit", json_number(result.bestfit)},
          {"nll", json_number(result.nll)},
          {"lower", json_number(result.lower)},
          {"lower_error", json_number(result.lower_error)},
          {"lower_end", to_string(result.lower_end)},
          {"upper", json_number(result.upper)},
          {"upper_error", json_number(result.upper_error)},
          {"upper_end", to_string(result.upper_end)},
          {"points", std::move(points)},
          {"n_toys", result.n_toys},
          {"seed", result.seed},
          {"converged", result.converged},
          {"interrupted", result.interrupted},
          {"instruction_set", result.instruction_set},
          {"warnings", result.warnings}};
}

}  // namespace nextstat

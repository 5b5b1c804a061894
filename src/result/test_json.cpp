#include <nextstat/result_json.h>

#include <algorithm>

#include "result/common_json.h"

namespace nextstat {

using nlohmann::json;

namespace {

json error_json(const Errors& errors, const Voice& voice) {
  json list = json::array();
  for (const Error& error : errors)
    list.push_back({{"code", to_string(error.code)},
                    {"where", to_text(error.where, voice)},
                    {"what", error.what},
                    {"hint", to_text(error.hint, voice)}});
  return list;
}

json mass_point_json(const MassPoint& point, const Voice& voice) {
  json values = json::array();
  for (const MassValue& value : point.values) std::visit([&](const auto& v) { values.push_back(v); }, value);
  json entry = {{"label", point.label}, {"values", std::move(values)}, {"converged", point.converged()}};
  if (!point.errors.empty()) {
    entry["errors"] = error_json(point.errors, voice);
    for (const char* key : {"obs_limit", "exp_limits", "cls_obs", "cls_exp", "mu_hat", "exhausted"})
      entry[key] = nullptr;
    entry["warnings"] = json::array();
    return entry;
  }
  entry["obs_limit"] = json_number(point.limit.observed);
  entry["exp_limits"] = json_numbers(point.limit.expected);
  entry["cls_obs"] = json_number(point.test.observed.cls);
  entry["cls_exp"] = band_json(point.test.expected, &TailProbabilities::cls);
  entry["mu_hat"] = json_number(point.test.mu_hat);
  entry["exhausted"] = point.limit.search.exhausted && point.test.search.exhausted;
  std::vector<std::string> warnings = point.limit.warnings;
  for (const std::string& warning : point.test.warnings) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
  }
  entry["warnings"] = warnings;
  return entry;
}

}  // namespace

json hypotest_json(const Model& model, const HypotestResult& result) {
  json answer = {{"mu_test", result.mu_test},
                 {"test_stat", to_string(result.statistic)},
                 {"cls", json_number(result.observed.cls)},
                 {"clsb", json_number(result.observed.clsb)},
                 {"clb", json_number(result.observed.clb)},
                 {"teststat", json_number(result.observed.teststat)},
                 {"q_mu", json_number(result.q_mu)},
                 {"q_mu_a", json_number(result.q_mu_a)},
                 {"mu_hat", json_number(result.mu_hat)},
                 {"n_fits", result.fits},
                 {"n_iter", result.iterations},
                 {"expected_set", expected_set_json(result.expected)}};
  add_poi(answer, model);
  add_outcome(answer, model, result);
  return answer;
}

json cls_json(const Model& model, const HypotestResult& result) {
  json answer = {{"CLs_obs", json_number(result.observed.cls)},
                 {"CLs_exp", band_json(result.expected, &TailProbabilities::cls)},
                 {"n_iter", result.iterations}};
  add_outcome(answer, model, result);
  return answer;
}

json upper_limit_json(const Model& model, const UpperLimitResult& result) {
  json values = json::array(), observed = json::array(), expected = json::array(), kinks = json::array();
  for (const CLsPoint& point : result.points) {
    values.push_back(point.mu);
    observed.push_back(json_number(point.observed));
    expected.push_back(json_numbers(point.expected));
    if (point.kink) kinks.push_back(point.mu);
  }
  json answer = {{"confidence_level", result.confidence_level},
                 {"test_stat", to_string(result.statistic)},
                 {"obs_limit", json_number(result.observed)},
                 {"exp_limits", json_numbers(result.expected)},
                 {"nsigma_order", kBandSigmas},
                 {"mu_hat", json_number(result.mu_hat)},
                 {"bracket", json_numbers(result.bracket)},
                 {"poi_values", std::move(values)},
                 {"observed_cls", std::move(observed)},
                 {"expected_cls", std::move(expected)},
                 {"kinks", std::move(kinks)},
                 {"n_fits", result.fits},
                 {"n_iter", result.iterations}};
  add_poi(answer, model);
  add_outcome(answer, model, result);
  return answer;
}

json significance_json(const Model& model, const SignificanceResult& result) {
  json answer = {{"p0", json_number(result.p0)},
                 {"p0_exp", json_number(result.p0_exp)},
                 {"z_obs", json_number(result.z_obs)},
                 {"z_exp", json_number(result.z_exp)},
                 {"mu_hat", json_number(result.mu_hat)},
                 {"q0", json_number(result.q0)},
                 {"q0_asimov", json_number(result.q0_asimov)},
                 {"n_fits", result.fits},
                 {"n_iter", result.iterations}};
  add_poi(answer, model);
  add_outcome(answer, model, result);
  return answer;
}

json goodness_of_fit_json(const Model& model, const GoodnessOfFitResult& result) {
  json answer = goodness_json(result.goodness);
  answer["n_iter"] = result.iterations;
  add_outcome(answer, model, result);
  return answer;
}

json mass_scan_json(const MassScanResult& result, const Voice& voice) {
  json points = json::array();
  for (const MassPoint& point : result.points) points.push_back(mass_point_json(point, voice));
  return {{"confidence_level", result.confidence_level},
          {"mu_test", result.mu_test},
          {"test_stat", to_string(result.statistic)},
          {"nsigma_order", kBandSigmas},
          {"points", std::move(points)},
          {"converged", result.converged},
          {"interrupted", result.interrupted},
          {"n_fits", result.fits},
          {"n_iter", result.iterations}};
}

}  // namespace nextstat

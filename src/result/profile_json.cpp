#include <nextstat/result_json.h>

#include "result/common_json.h"

namespace nextstat {

using nlohmann::json;

namespace {

const std::string& name(const Model& model, std::size_t i) { return model.parameters()[i].name; }

}  // namespace

json scan_json(const Model& model, const ScanResult& result) {
  const bool plane = result.parameter2.has_value();
  json points = json::array();
  for (const ScanPoint& point : result.points) {
    json entry = {
        {"mu", json_number(point.mu)},         {"q_mu", json_number(point.q_mu)},
        {"nll_mu", json_number(point.nll_mu)}, {"twice_delta_nll", json_number(point.twice_delta_nll)},
        {"converged", point.converged},        {"kink", point.kink},
        {"n_iter", point.iterations}};
    if (plane) entry["mu2"] = json_number(point.mu2);
    points.push_back(std::move(entry));
  }
  json answer = {{"poi_index", poi_index(model)},          {"parameter", name(model, result.parameter)},
                 {"parameter_index", result.parameter},    {"mu_hat", json_number(result.mu_hat)},
                 {"nll_hat", json_number(result.nll_hat)}, {"points", std::move(points)}};
  add_outcome(answer, model, result);
  if (plane) {
    answer["parameter2"] = name(model, *result.parameter2);
    answer["parameter2_index"] = *result.parameter2;
    answer["mu2_hat"] = json_number(result.mu2_hat);
  }
  return answer;
}

json interval_json(const Model& model, const IntervalResult& result) {
  json answer = {{"poi_index", poi_index(model)},
                 {"parameter", name(model, result.parameter)},
                 {"parameter_index", result.parameter},
                 {"confidence_level", result.confidence_level},
                 {"level", json_number(result.level)},
                 {"bestfit", json_number(result.bestfit)},
                 {"nll", json_number(result.nll)},
                 {"lower", json_number(result.lower)},
                 {"upper", json_number(result.upper)},
                 {"parts", parts_json(result.parts)},
                 {"lower_at_bound", result.lower_at_bound},
                 {"upper_at_bound", result.upper_at_bound},
                 {"n_fits", result.fits},
                 {"n_iter", result.iterations}};
  add_outcome(answer, model, result);
  return answer;
}

json ranking_json(const Model& model, const RankingResult& result) {
  json entries = json::array();
  for (const RankingEntry& entry : result.entries) {
    entries.push_back({{"name", name(model, entry.parameter)},
                       {"index", entry.parameter},
                       {"impact_up", json_number(entry.impact_up)},
                       {"impact_down", json_number(entry.impact_down)},
                       {"impact_up_prefit", json_number(entry.impact_up_prefit)},
                       {"impact_down_prefit", json_number(entry.impact_down_prefit)},
                       {"pull", json_number(entry.pull)},
                       {"constraint", json_number(entry.constraint)},
                       {"sigma", to_string(entry.sigma)},
                       {"converged", entry.converged},
                       {"n_iter", entry.iterations}});
  }
  json groups = json::array();
  for (const GroupImpact& group : result.groups) {
    groups.push_back(
        {{"name", group.name}, {"members", group.members}, {"impact", json_number(group.impact)}});
  }
  json answer = {{"poi_index", result.poi},
                 {"poi", name(model, result.poi)},
                 {"mu_hat", json_number(result.mu_hat)},
                 {"mu_sigma", json_number(result.mu_sigma)},
                 {"nll_hat", json_number(result.nll_hat)},
                 {"impact", to_string(result.impact)},
                 {"entries", std::move(entries)},
                 {"groups", std::move(groups)},
                 {"n_fits", result.fits},
                 {"n_iter", result.iterations}};
  add_outcome(answer, model, result);
  return answer;
}

}  // namespace nextstat

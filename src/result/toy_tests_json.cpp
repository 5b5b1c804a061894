#include <nextstat/result_json.h>

#include "result/common_json.h"

namespace nextstat {

using nlohmann::json;

namespace {

// Counts by what the toys are made of. q0 tests the background alone.
json by_hypothesis(const HypotestToysResult& result, const ToyCounts& counts) {
  const bool tests_background = result.statistic == TestStatistic::Q0;
  return {{"b", tests_background ? counts.tested : counts.alternative},
          {"sb", tests_background ? counts.alternative : counts.tested}};
}

json band(const std::array<TailProbabilities, 5>& expected, double TailProbabilities::*member) {
  json list = json::array();
  for (const TailProbabilities& tails : expected) list.push_back(json_number(tails.*member));
  return list;
}

template <class R>
void add_outcome(json& answer, const Model& model, const R& result) {
  answer["poi_index"] = model.poi_index() ? json(*model.poi_index()) : json(nullptr);
  answer["poi"] = model.poi_name();
  answer["seed"] = result.seed;
  answer["complete"] = result.complete;
  answer["shard_done"] = result.shard_done;
  answer["converged"] = result.converged;
  answer["interrupted"] = result.interrupted;
  answer["instruction_set"] = result.instruction_set;
  answer["warnings"] = result.warnings;
  answer["toy_minima"] = toy_minima_json(result.toy_minima);
}

}  // namespace

json hypotest_toys_json(const Model& model, const HypotestToysResult& result, bool expected_set) {
  const ToyProbabilities& observed = result.observed;
  json answer = {{"mu_test", result.mu_test},
                 {"test_stat", to_string(result.statistic)},
                 {"cls", json_number(observed.cls)},
                 {"cls_error", json_number(observed.cls_error)},
                 {"clsb", json_number(observed.clsb)},
                 {"clsb_error", json_number(observed.clsb_error)},
                 {"clb", json_number(observed.clb)},
                 {"clb_error", json_number(observed.clb_error)},
                 {"teststat", json_number(result.q_obs)},
                 {"q_obs", json_number(result.q_obs)},
                 {"q_mu", json_number(result.q_obs)},
                 {"q_mu_a", json_number(result.q_mu_a)},
                 {"mu_hat", json_number(result.mu_hat)},
                 {"n_toys", by_hypothesis(result, result.n_toys)},
                 {"n_error", by_hypothesis(result, result.n_error)},
                 {"n_nonconverged", by_hypothesis(result, result.n_nonconverged)}};
  if (expected_set)
    answer["expected_set"] = {{"nsigma_order", kBandSigmas},
                              {"cls", band(result.expected, &TailProbabilities::cls)},
                              {"clsb", band(result.expected, &TailProbabilities::clsb)},
                              {"clb", band(result.expected, &TailProbabilities::clb)}};
  add_outcome(answer, model, result);
  add_search(answer, model, result.search);
  return answer;
}

json toys_json(const Model& model, const ToysResult& result) {
  const auto number = [](const std::optional<double>& value) {
    return value ? json_number(*value) : json(nullptr);
  };
  json answer = {{"truth", json_numbers(result.truth)},
                 {"columns", result.columns},
                 {"n_toys", result.n_toys},
                 {"n_done", result.n_done},
                 {"n_error", result.n_error},
                 {"n_nonconverged", result.n_nonconverged},
                 {"mean_mu_hat", number(result.mean_mu_hat)},
                 {"sigma_mu_hat", number(result.sigma_mu_hat)},
                 {"mean_n_iter", json_number(result.mean_iterations)}};
  for (const Parameter& parameter : model.parameters()) answer["parameter_names"].push_back(parameter.name);
  add_outcome(answer, model, result);
  return answer;
}

namespace {

json record_json(const std::vector<std::string>& columns, std::size_t toy, std::span<const double> record) {
  // The order of ToysResult::columns.
  enum Column : std::size_t { kNll, kMuHat, kStatus, kIterations, kFirstParameter };
  json entry = {{"id", toy},
                {"nll", json_number(record[kNll])},
                {"mu_hat", json_number(record[kMuHat])},
                {"converged", record[kStatus] == 0},
                {"n_iter", static_cast<std::size_t>(record[kIterations])}};
  for (std::size_t i = kFirstParameter; i < columns.size(); ++i)
    entry["parameters"][columns[i]] = json_number(record[i]);
  return entry;
}

}  // namespace

json toy_records_json(const ToysResult& result, std::span<const double> records) {
  const std::size_t width = result.columns.size();
  json list = json::array();
  for (std::size_t toy = 0; toy * width < records.size(); ++toy)
    list.push_back(record_json(result.columns, toy, records.subspan(toy * width, width)));
  return list;
}

}  // namespace nextstat

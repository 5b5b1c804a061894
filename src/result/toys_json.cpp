#include <nextstat/result_json.h>

#include "infer/toys/toy_blocks.h"
#include "result/common_json.h"
#include "toy_folder/run_identity.h"

namespace nextstat {
namespace {

using nlohmann::json;

json tally_json(const BlockTally& tally) {
  return {{"blocks", tally.blocks},          {"blocks_done", tally.done},
          {"blocks_missing", tally.missing}, {"blocks_damaged", tally.damaged},
          {"blocks_foreign", tally.foreign}, {"n_toys", tally.toys},
          {"n_toys_done", tally.toys_done},  {"percent", tally.percent()}};
}

json problem_json(const BlockProblem& problem) {
  return {{"block", problem.number},
          {"condition", to_string(problem.condition)},
          {"file", problem.file},
          {"what", problem.what}};
}

}  // namespace

json toys_status_json(const RunStatus& status, std::size_t shards) {
  json result = tally_json(status.tally());
  result["complete"] = status.tally().complete();
  result["run"] = identity_json(status.identity);
  result["run_checksum"] = status.checksum;
  result["open_blocks"] = json::array();
  for (const auto& [first, last] : status.open_ranges()) result["open_blocks"].push_back({first, last});
  result["problems"] = json::array();
  for (const BlockProblem& problem : status.problems) result["problems"].push_back(problem_json(problem));
  result["ensembles"] = json::array();
  const auto& ensembles = status.identity.ensembles;
  for (std::size_t i = 0; i < ensembles.size(); ++i) {
    json entry = tally_json(status.tally_of_ensemble(i));
    entry["name"] = ensembles[i].name;
    result["ensembles"].push_back(std::move(entry));
  }
  if (shards == 0) return result;
  result["shards"] = json::array();
  for (std::size_t index = 1; index <= shards; ++index) {
    json entry = tally_json(status.tally({index, shards}));
    entry["shard"] = std::to_string(index) + "/" + std::to_string(shards);
    result["shards"].push_back(std::move(entry));
  }
  return result;
}

json merge_json(const MergeReport& report, const Voice& voice) {
  json result = toys_status_json(report.status, 0);
  result.erase("problems");
  result["blocks_copied"] = report.copied;
  result["problems"] = json::array();
  for (const Error& error : report.problems)
    result["problems"].push_back(
        {{"file", to_text(error.where, voice)}, {"what", error.what}, {"hint", to_text(error.hint, voice)}});
  result["warnings"] = report.remarks;
  return result;
}

namespace {

// Counts by what the toys are made of. q0 tests the background alone.
json by_hypothesis(const HypotestToysResult& result, const ToyCounts& counts) {
  const bool tests_background = result.statistic == TestStatistic::Q0;
  return {{"b", tests_background ? counts.tested : counts.alternative},
          {"sb", tests_background ? counts.alternative : counts.tested}};
}

template <class R>
void add_toy_outcome(json& answer, const Model& model, const R& result) {
  add_poi(answer, model);
  answer["seed"] = result.seed;
  answer["complete"] = result.complete;
  answer["shard_done"] = result.shard_done;
  answer["toy_minima"] = toy_minima_json(result.toy_minima);
  add_outcome(answer, model, result);
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
  if (expected_set) answer["expected_set"] = expected_set_json(result.expected);
  add_toy_outcome(answer, model, result);
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
  add_toy_outcome(answer, model, result);
  return answer;
}

namespace {

json record_json(const std::vector<std::string>& columns, std::size_t toy, std::span<const double> record) {
  json entry = {{"id", toy},
                {"nll", json_number(record[FitColumn::Nll])},
                {"mu_hat", json_number(record[FitColumn::MuHat])},
                {"converged", record[FitColumn::Status] == 0},
                {"n_iter", static_cast<std::size_t>(record[FitColumn::Iterations])}};
  for (std::size_t i = FitColumn::FirstParameter; i < columns.size(); ++i)
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

namespace {

json counts_json(std::size_t b, std::size_t sb) { return {{"b", b}, {"sb", sb}}; }

template <class R>
void add_test_outcome(json& answer, const Model& model, const R& result) {
  add_poi(answer, model);
  answer["calctype"] = to_string(Calculator::Toys);
  answer["seed"] = result.seed;
  add_outcome(answer, model, result);
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
  add_test_outcome(answer, model, result);
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
  add_test_outcome(answer, model, result);
  return answer;
}

json feldman_cousins_json(const Model& model, const FeldmanCousinsResult& result) {
  json points = json::array();
  for (const FeldmanCousinsPoint& point : result.points) points.push_back(point_json(point));
  json answer = {{"poi_index", poi_index(model)},
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
                 {"seed", result.seed}};
  add_outcome(answer, model, result);
  return answer;
}

}  // namespace nextstat

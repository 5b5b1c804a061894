#include <nextstat/result_json.h>

#include "toys/run_identity.h"

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

}  // namespace nextstat

// JSON of the questions about the profile likelihood: scan, interval, ranking.
#pragma once

#include <nextstat/interval.h>
#include <nextstat/ranking.h>
#include <nextstat/scan.h>

#include <nlohmann/json.hpp>

namespace nextstat {

nlohmann::json scan_json(const Model& model, const ScanResult& result);
nlohmann::json interval_json(const Model& model, const IntervalResult& result);
nlohmann::json ranking_json(const Model& model, const RankingResult& result);

}  // namespace nextstat

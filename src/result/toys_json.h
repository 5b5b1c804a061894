// The state of toy runs as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "toys/merge.h"
#include "toys/run_status.h"

namespace nextstat {

// `shards` > 0 adds the state of each of that many shards.
nlohmann::json run_status_json(const RunStatus& status, std::size_t shards);
nlohmann::json merge_json(const MergeReport& report, const Voice& voice);

}  // namespace nextstat

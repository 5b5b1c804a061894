// --fit-regions and --validation-regions:
// which channels are fitted, and which are compared with the best fit.
#pragma once

#include <nextstat/fit.h>
#include <nextstat/regions.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "input/run_input.h"

namespace nextstat::cli {

class FitRegions {
 public:
  void declare(CLI::App& command);

  // The channels to fit: those of --fit-regions, or all but those of --validation-regions.
  ChannelFilter filter() const;

  // Parameters that an option names and that act only in channels that are not fitted.
  Errors check_parameters(const RunInput& input, const Run& run, const std::string& option,
                          const std::vector<std::string>& names) const;

  // The regions of --validation-regions, else all that were left out, at the best fit. Parameters that act
  // only there stand at their initial value, with a warning.
  Result<std::vector<RegionCounts>> validate(const RunInput& input, const Run& run, const FitResult& result,
                                             std::vector<std::string>& warnings) const;

  // "fit_regions" and "validation_regions"; null when all channels were fitted.
  void add_json(const Model& model, const std::vector<RegionCounts>& regions, nlohmann::json& json) const;

 private:
  bool given() const { return !fit_.empty() || !validation_.empty(); }
  Result<std::vector<std::string>> channels_to_fit(const Workspace& workspace) const;
  std::vector<std::string> channels_to_validate(const Workspace& workspace, const Model& fitted) const;

  std::vector<std::string> fit_, validation_;
};

}  // namespace nextstat::cli

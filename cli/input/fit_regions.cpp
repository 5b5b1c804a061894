#include "input/fit_regions.h"

#include <fmt/format.h>
#include <nextstat/observations.h>
#include <nextstat/result_json.h>
#include <nextstat/text.h>

#include <algorithm>

#include "input/values.h"

namespace nextstat::cli {
namespace {

constexpr const char* kFit = "--fit-regions";
constexpr const char* kValidation = "--validation-regions";

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> without(std::vector<std::string> names, const std::vector<std::string>& left_out) {
  std::erase_if(names, [&](const std::string& name) { return contains(left_out, name); });
  return names;
}

std::vector<std::string> names_of(const Workspace& workspace, const std::vector<std::string>& words) {
  const std::vector<std::string> names = channel_names(workspace);
  return split_names(words, {names.begin(), names.end()});
}

// A parameter or a parameter set.
bool has_parameter(const Model& model, const std::string& name) {
  return std::any_of(model.parameters().begin(), model.parameters().end(), [&](const Parameter& parameter) {
    return parameter.name == name || parameter.set == name;
  });
}

void check_names(const std::string& option, const std::vector<std::string>& known,
                 const std::vector<std::string>& names, Errors& errors) {
  for (const std::string& name : names) {
    if (contains(known, name)) continue;
    errors.push_back({ErrorCode::NotFound, option, fmt::format("there is no channel \"{}\"", name),
                      did_you_mean(name, known, "`nextstat inspect` lists the channels")});
  }
}

}  // namespace

void FitRegions::declare(CLI::App& command) {
  command.add_option(kFit, fit_, "Fit only these channels, with the parameters that affect them")
      ->type_name("NAME,...")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option(kValidation, validation_,
                  "Leave these channels out of the fit and compare them with its result (default: all that "
                  "--fit-regions leaves out)")
      ->type_name("NAME,...")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}

ChannelFilter FitRegions::filter() const {
  if (!given()) return {};
  return [this](const Workspace& workspace) { return channels_to_fit(workspace); };
}

Result<std::vector<std::string>> FitRegions::channels_to_fit(const Workspace& workspace) const {
  const std::vector<std::string> known = channel_names(workspace);
  const std::vector<std::string> fitted = names_of(workspace, fit_),
                                 left_out = names_of(workspace, validation_);
  Errors errors;
  check_names(kFit, known, fitted, errors);
  check_names(kValidation, known, left_out, errors);
  for (const std::string& name : fitted) {
    if (contains(left_out, name))
      errors.push_back({ErrorCode::BadUsage, kValidation,
                        fmt::format("the channel \"{}\" is also in --fit-regions", name), "give it once"});
  }
  if (!errors.empty()) return errors;
  std::vector<std::string> channels = fit_.empty() ? without(known, left_out) : fitted;
  if (!channels.empty()) return channels;
  return Error{ErrorCode::BadUsage, fit_.empty() ? kValidation : kFit, "no channel is left to fit",
               "`nextstat inspect` lists the channels"};
}

std::vector<std::string> FitRegions::channels_to_validate(const Workspace& workspace,
                                                          const Model& fitted) const {
  if (!validation_.empty()) return names_of(workspace, validation_);
  std::vector<std::string> names = channel_names(workspace);
  for (const ChannelInfo& channel : fitted.channels()) std::erase(names, channel.name);
  return names;
}

Result<std::vector<RegionCounts>> FitRegions::validate(const RunInput& input, const Run& run,
                                                       const FitResult& result,
                                                       std::vector<std::string>& warnings) const {
  if (!given()) return std::vector<RegionCounts>();
  const Result<Model> whole = input.model().build(run.loaded.workspace);
  if (!whole) return whole.errors();
  const Result<RunOptions> options = input.options(*whole);
  if (!options) return options.errors();
  const std::size_t others = whole->n_parameters() - run.model().n_parameters();
  if (others > 0)
    warnings.push_back(
        fmt::format("{} parameters affect only channels that are not fitted: the validation regions are "
                    "shown with these at their initial values",
                    others));
  return region_counts(*whole, carry_over(run.model(), result.bestfit, *whole), options->data,
                       channels_to_validate(run.loaded.workspace, run.model()));
}

Errors FitRegions::check_parameters(const RunInput& input, const Run& run, const std::string& option,
                                    const std::vector<std::string>& names) const {
  if (!given() || names.empty()) return {};
  const Result<Model> whole = input.model().build(run.loaded.workspace);
  if (!whole) return whole.errors();
  Errors errors;
  for (const std::string& name : names) {
    if (has_parameter(run.model(), name) || !has_parameter(*whole, name)) continue;
    errors.push_back({ErrorCode::BadUsage, option,
                      fmt::format("\"{}\" does not affect the fitted regions, so it is not in the fit", name),
                      "leave it out, or fit a region that it affects"});
  }
  return errors;
}

void FitRegions::add_json(const Model& model, const std::vector<RegionCounts>& regions,
                          nlohmann::json& json) const {
  json["fit_regions"] = json["validation_regions"] = nullptr;
  if (!given()) return;
  nlohmann::json& fitted = json["fit_regions"] = nlohmann::json::array();
  for (const ChannelInfo& channel : model.channels()) fitted.push_back(channel.name);
  nlohmann::json& list = json["validation_regions"] = nlohmann::json::array();
  for (const RegionCounts& region : regions) {
    list.push_back({{"name", region.channel},
                    {"observed", json_numbers(region.observed)},
                    {"expected", json_numbers(region.expected)}});
  }
}

}  // namespace nextstat::cli

#include "infer/setup/parameter_names.h"

#include <fmt/format.h>
#include <nextstat/text.h>

namespace nextstat {

ParameterNames::ParameterNames(const Model& model) : model_(model) {
  for (std::size_t i = 0; i < model.n_parameters(); ++i) {
    by_name_.emplace(model.parameters()[i].name, i);
    by_set_[model.parameters()[i].set].push_back(i);
  }
}

std::vector<std::size_t> ParameterNames::find(std::string_view name) const {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return {found->second};
  const auto found = by_set_.find(name);
  return found == by_set_.end() ? std::vector<std::size_t>() : found->second;
}

Result<std::vector<std::size_t>> ParameterNames::all_of(const std::string& name, Field asked_by) const {
  std::vector<std::size_t> found = find(name);
  if (found.empty()) return unknown_parameter(model_, name, asked_by);
  return found;
}

Error unknown_parameter(const Model& model, const std::string& name, Field asked_by) {
  std::vector<std::string> names;
  for (const Parameter& parameter : model.parameters()) names.push_back(parameter.name);
  return {ErrorCode::NotFound, asked_by, fmt::format("the model has no parameter \"{}\"", name),
          did_you_mean(name, names, Listing::Parameters)};
}

Result<std::size_t> parameter_named(const Model& model, const std::string& name, Field asked_by) {
  if (!name.empty()) {
    const std::vector<std::size_t> found = ParameterNames(model).find(name);
    if (found.size() == 1) return found.front();
    if (found.empty()) return unknown_parameter(model, name, asked_by);
    return Error{ErrorCode::BadUsage, asked_by,
                 fmt::format("\"{}\" is a set of {} parameters, a single one is needed", name, found.size()),
                 fmt::format("name one, for example \"{}\"", model.parameters()[found.front()].name)};
  }
  if (model.poi_index()) return *model.poi_index();
  if (model.poi_name().empty())
    return Error{ErrorCode::BadInput,
                 Field::Poi,
                 "the measurement has no parameter of interest",
                 {"choose one", {Field::Poi}, Listing::Parameters}};
  return Error{ErrorCode::BadInput,
               Field::Poi,
               fmt::format("the parameter of interest \"{}\" is not in the model", model.poi_name()),
               {"apply the signal patch that adds it, or choose another", {Field::Patch, Field::Poi}}};
}

}  // namespace nextstat

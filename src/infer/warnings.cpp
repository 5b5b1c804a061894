#include "infer/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace nextstat {

std::string parameter_list(const Model& model, std::span<const std::size_t> indices) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  for (std::size_t i : indices.first(std::min(kMost, indices.size())))
    names.push_back(model.parameters()[i].name);
  std::string list = fmt::format("{}", fmt::join(names, ", "));
  if (indices.size() > kMost) list += fmt::format(" and {} more", indices.size() - kMost);
  return list;
}

std::vector<std::string> flat_direction_warnings(const Model& model, const Covariance& covariance) {
  constexpr std::size_t kMostAlone = 4;
  if (covariance.flat.size() > kMostAlone) {
    std::set<std::size_t> all;
    for (const std::vector<std::size_t>& direction : covariance.flat)
      all.insert(direction.begin(), direction.end());
    return {fmt::format("{} flat directions: the data do not constrain combinations of {}",
                        covariance.flat.size(),
                        parameter_list(model, std::vector<std::size_t>(all.begin(), all.end())))};
  }
  std::vector<std::string> warnings;
  for (const std::vector<std::size_t>& direction : covariance.flat) {
    warnings.push_back(fmt::format("flat direction: the data do not constrain {}{}",
                                   direction.size() > 1 ? "a combination of " : "",
                                   parameter_list(model, direction)));
  }
  return warnings;
}

std::vector<std::string> warnings_of(const Model& model, const BestFit& best) {
  std::vector<std::string> warnings = model.warnings();
  warnings.insert(warnings.end(), best.warnings.begin(), best.warnings.end());
  for (std::string& warning : flat_direction_warnings(model, best.covariance))
    warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace nextstat

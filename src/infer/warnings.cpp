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
    for (const FlatDirection& direction : covariance.flat)
      all.insert(direction.parameters.begin(), direction.parameters.end());
    return {fmt::format("{} flat directions: the data do not constrain combinations of {}",
                        covariance.flat.size(),
                        parameter_list(model, std::vector<std::size_t>(all.begin(), all.end())))};
  }
  std::vector<std::string> warnings;
  for (const FlatDirection& direction : covariance.flat) {
    warnings.push_back(fmt::format("flat direction: the data do not constrain {}{}",
                                   direction.parameters.size() > 1 ? "a combination of " : "",
                                   parameter_list(model, direction.parameters)));
  }
  return warnings;
}

}  // namespace nextstat

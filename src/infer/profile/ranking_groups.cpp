#include "infer/profile/ranking_groups.h"
#include "infer/setup/parameter_names.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <set>

#include "infer/profile/profile.h"

namespace nextstat {

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

namespace {

std::vector<std::size_t> free_members(const Setup& setup, const RankingGroup& group, std::size_t poi,
                                      std::set<std::size_t> members, std::vector<std::string>& warnings) {
  if (members.erase(poi) > 0)
    warnings.push_back(
        fmt::format("group \"{}\" contains the parameter of interest, which is left out", group.name));
  std::vector<std::size_t> free;
  for (std::size_t i : members) {
    if (!setup.fixed[i]) free.push_back(i);
  }
  if (free.empty())
    warnings.push_back(fmt::format("group \"{}\" has no free parameter: its impact is 0", group.name));
  return free;
}

}  // namespace

Result<std::vector<std::size_t>> group_members(const Setup& setup, const RankingGroup& group, std::size_t poi,
                                               std::vector<std::string>& warnings) {
  std::set<std::size_t> members;
  Errors errors;
  if (group.members.empty())
    return Error{ErrorCode::BadInput, fmt::format("group \"{}\"", group.name), "it has no members",
                 "name parameters, sets or patterns, or leave the group out"};
  const ParameterNames names(setup.model);
  for (const std::string& member : group.members) {
    std::vector<std::size_t> found;
    const Result<std::vector<std::size_t>> named = names.all_of(member, Field::Groups);
    if (named) {
      found = *named;
    } else if (member.find_first_of("*?") != std::string::npos) {
      for (std::size_t i = 0; i < setup.fixed.size(); ++i) {
        if (matches_pattern(member, setup.model.parameters()[i].name)) found.push_back(i);
      }
    }
    if (found.empty()) {
      Error error = named.errors().front();
      error.where = fmt::format("group \"{}\"", group.name);
      if (member.find_first_of("*?") != std::string::npos)
        error.what = fmt::format("no parameter matches \"{}\"", member);
      errors.push_back(std::move(error));
    }
    members.insert(found.begin(), found.end());
  }
  if (!errors.empty()) return errors;
  return free_members(setup, group, poi, std::move(members), warnings);
}

double group_impact(const BestFit& best, std::size_t poi, std::span<const std::size_t> members) {
  if (std::isnan(postfit_sigma(best, poi))) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> of_poi = best.covariance.column(poi);
  // Parameters at a bound or kink do not move, flat ones do not pull the POI: neither adds to its variance.
  std::vector<std::size_t> moving;
  for (std::size_t i : members) {
    if (!std::isnan(postfit_sigma(best, i))) moving.push_back(i);
  }
  const Eigen::Index size = static_cast<Eigen::Index>(moving.size());
  Eigen::MatrixXd block(size, size);
  Eigen::VectorXd with_poi(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const std::size_t row = moving[static_cast<std::size_t>(i)];
    const double scale = postfit_sigma(best, row);
    const std::vector<double> of_row = best.covariance.column(row);
    with_poi[i] = of_poi[row] / scale;
    for (Eigen::Index j = 0; j < size; ++j) {
      const std::size_t column = moving[static_cast<std::size_t>(j)];
      block(i, j) = of_row[column] / scale / postfit_sigma(best, column);
    }
  }
  const Eigen::LDLT<Eigen::MatrixXd> root(block);
  return std::sqrt(std::max(0.0, with_poi.dot(root.solve(with_poi))));
}

}  // namespace nextstat

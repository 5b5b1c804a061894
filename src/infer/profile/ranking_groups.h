// The common effect of groups of parameters on the uncertainty of the POI.
#pragma once

#include <nextstat/ranking.h>

#include <span>
#include <string>
#include <vector>

#include "infer/profile/best_fit.h"

namespace nextstat {

// Free parameters that a group means, without the POI, ascending. No members and members that mean nothing
// are errors; warns where the POI was among them and where none is left.
Result<std::vector<std::size_t>> group_members(const Setup& setup, const RankingGroup& group, std::size_t poi,
                                               std::vector<std::string>& warnings);

// Fixing parameters at the best fit leaves the minimum where it is and takes their rows out of the Hessian.
// By the Schur complement of the covariance C, with p the POI and g the group:
//   sigma^2 - sigma_fixed^2 = C_pg C_gg^-1 C_gp
double group_impact(const BestFit& best, std::size_t poi, std::span<const std::size_t> members);

// True when `text` matches a pattern with * (any characters) and ? (one).
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace nextstat

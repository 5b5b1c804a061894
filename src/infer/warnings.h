// Sentences about a best fit that several questions share.
#pragma once

#include <nextstat/model.h>

#include <span>
#include <string>
#include <vector>

#include "minimize/covariance.h"

namespace nextstat {

// "a, b, c and 7 more"
std::string parameter_list(const Model& model, std::span<const std::size_t> indices);

// One sentence for each direction along which the data do not constrain the parameters; many in one.
std::vector<std::string> flat_direction_warnings(const Model& model, const Covariance& covariance);

}  // namespace nextstat

// Sentences about a best fit that several questions share.
#pragma once

#include <nextstat/model.h>

#include <span>
#include <string>
#include <vector>

#include "infer/profile/best_fit.h"

namespace nextstat {

// "a, b, c and 7 more"
std::string parameter_list(const Model& model, std::span<const std::size_t> indices);

// One sentence for each direction along which the data do not constrain the parameters; many in one.
std::vector<std::string> flat_direction_warnings(const Model& model, const Covariance& covariance);

// What is odd about the model, the start and what the data constrain.
// For every question that begins with the best fit.
std::vector<std::string> warnings_of(const Model& model, const BestFit& best);

// Why the NLL is infinite at a point: the bins that observe something where the model expects nothing.
std::string zero_likelihood_reason(const Setup& setup, std::span<const double> parameters);

// A value of the parameter of interest that free fits cannot reach.
void warn_about_bounds(const Setup& setup, std::size_t poi, double mu, std::vector<std::string>& warnings);

}  // namespace nextstat

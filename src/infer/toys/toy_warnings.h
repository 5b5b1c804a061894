// What to tell the user about toys.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "infer/toys/toy_fits.h"
#include "infer/toys/toy_tails.h"

namespace nextstat {

// Bins that the truth gives a negative expected rate.
void warn_about_negative_bins(const ToyEnsemble& ensemble, const std::string& truth,
                              std::vector<std::string>& warnings);
// Toys whose deepest minimum is not where the truth leads: one warning, of the kind of fit that has most.
void warn_about_minima(std::span<const SampledToys> kinds, std::vector<std::string>& warnings);
// Toys without a usable fit.
void warn_about_failures(std::size_t toys, std::size_t without_likelihood, std::size_t not_converged,
                         std::vector<std::string>& warnings);
// More than kMostFailed of the toys of a hypothesis have no usable fit: what is counted in the others may be
// biased, and the result does not count as converged.
constexpr double kMostFailed = 0.01;
bool too_many_failed(std::size_t toys, std::size_t without_likelihood, std::size_t not_converged);
bool too_many_failed(const ToyTails& tails);  // of either hypothesis
void warn_about_failures(const ToyTails& tails, std::vector<std::string>& warnings);

}  // namespace nextstat

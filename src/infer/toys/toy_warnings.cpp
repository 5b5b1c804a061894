#include "infer/toys/toy_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nextstat {

void warn_about_negative_bins(const ToyEnsemble& ensemble, const std::string& truth,
                              std::vector<std::string>& warnings) {
  std::vector<std::string> bins = ensemble.negative_bins();
  if (bins.empty()) return;
  const std::size_t all = bins.size();
  if (all > 5) {
    bins.resize(5);
    bins.push_back(fmt::format("and {} more", all - 5));
  }
  warnings.push_back(fmt::format("the expected rate at {} is negative in {}: toys have 0 there", truth,
                                 fmt::join(bins, ", ")));
}

void warn_about_minima(std::span<const SampledToys> kinds, std::vector<std::string>& warnings) {
  const SampledToys* most = nullptr;
  std::size_t others = 0;
  for (const SampledToys& kind : kinds) {
    if (kind.elsewhere == 0) continue;
    others += most ? 1 : 0;
    if (!most || kind.elsewhere > most->elsewhere) most = &kind;
  }
  if (!most) return;
  warnings.push_back(
      fmt::format("in {} of {} sampled toys the deepest minimum of {} is not the one reached from the "
                  "truth{}: toys are therefore fitted from up to {} points",
                  most->elsewhere, most->sampled, most->fit,
                  others > 0 ? fmt::format(" (in fewer for {} more kinds of fits)", others) : std::string(),
                  most->starts));
}

void warn_about_failures(std::size_t toys, std::size_t without_likelihood, std::size_t not_converged,
                         std::vector<std::string>& warnings) {
  if (without_likelihood > 0)
    warnings.push_back(fmt::format("{} of {} toys have no likelihood at any start; they are left out",
                                   without_likelihood, toys));
  if (not_converged > 0)
    warnings.push_back(fmt::format("{} of {} toys have a fit that did not converge; they are left out",
                                   not_converged, toys));
}

bool too_many_failed(std::size_t toys, std::size_t without_likelihood, std::size_t not_converged) {
  return static_cast<double>(without_likelihood + not_converged) > kMostFailed * static_cast<double>(toys);
}

bool too_many_failed(const ToyTails& tails) {
  for (const ToyTails::Side side : {ToyTails::kTested, ToyTails::kAlternative}) {
    if (too_many_failed(tails.toys(side), tails.without_likelihood(side), tails.not_converged(side)))
      return true;
  }
  return false;
}

void warn_about_failures(const ToyTails& tails, std::vector<std::string>& warnings) {
  std::size_t toys = 0, without_likelihood = 0, not_converged = 0;
  for (const ToyTails::Side side : {ToyTails::kTested, ToyTails::kAlternative}) {
    toys += tails.toys(side);
    without_likelihood += tails.without_likelihood(side);
    not_converged += tails.not_converged(side);
  }
  warn_about_failures(toys, without_likelihood, not_converged, warnings);
}

}  // namespace nextstat

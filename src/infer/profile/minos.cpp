#include "infer/profile/minos.h"
#include "infer/setup/parameter_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/profile/crossing.h"

namespace nextstat {
namespace {

constexpr double kOneSigma = 1.0;

Result<std::set<std::size_t>> wanted_parameters(const Setup& setup, const FitOptions& options) {
  std::set<std::size_t> wanted;
  for (std::size_t i = 0; options.minos_of_all && i < setup.fixed.size(); ++i) {
    if (!setup.fixed[i]) wanted.insert(i);
  }
  Errors errors;
  const ParameterNames names(setup.model);
  for (const std::string& name : options.minos) {
    const Result<std::vector<std::size_t>> found = names.all_of(name, Field::Minos);
    if (found) {
      wanted.insert(found->begin(), found->end());
    } else {
      errors.insert(errors.end(), found.errors().begin(), found.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  return wanted;
}

// Both sides of one parameter; false when one of them was not finished.
bool add_errors(const Setup& setup, const BestFit& best, const ProfileRange& range, FitResult& result) {
  for (const CrossingResult* side : {&range.lower, &range.upper}) {
    if (side->status == CrossingStatus::Interrupted) return false;
    if (side->status == CrossingStatus::NotConverged) result.minos_converged = false;
  }
  const std::size_t parameter = range.parameter;
  const double fit = best.minimum.parameters[parameter];
  MinosErrors errors{parameter, range.lower.value - fit, range.upper.value - fit};
  // Other minima reach further out. A side that ends at a bound has no error.
  if (!range.parts.empty() && !std::isnan(errors.down))
    errors.down = std::min(errors.down, range.parts.front().lower - fit);
  if (!range.parts.empty() && !std::isnan(errors.up))
    errors.up = std::max(errors.up, range.parts.back().upper - fit);
  if (range.parts.size() > 1) errors.parts = range.parts;
  result.minos.push_back(std::move(errors));
  warn_about_crossing(setup, best, {parameter, Side::Lower, kOneSigma}, range.lower, result.warnings);
  // A fixed parameter has neither side: once is enough.
  if (!setup.fixed[parameter])
    warn_about_crossing(setup, best, {parameter, Side::Upper, kOneSigma}, range.upper, result.warnings);
  return true;
}

}  // namespace

Result<void> add_minos_errors(const Setup& setup, const BestFit& best, const FitOptions& options,
                              FitResult& result) {
  TRY(const std::set<std::size_t> wanted, wanted_parameters(setup, options));
  if (!best.minimum.converged()) {
    for (std::size_t i : wanted) result.minos.push_back({i, kNoValue, kNoValue});
    result.warnings.push_back("no profile errors: the fit itself did not converge");
    return {};
  }
  const std::vector<std::size_t> parameters(wanted.begin(), wanted.end());
  TRY(const std::vector<ProfileRange> ranges, find_ranges(setup, best, parameters, kOneSigma));
  std::size_t unfinished = 0;
  for (const ProfileRange& range : ranges) unfinished += add_errors(setup, best, range, result) ? 0 : 1;
  result.interrupted = result.interrupted || unfinished > 0;
  if (unfinished > 0)
    result.warnings.push_back(
        fmt::format("interrupted: the profile errors of {} of {} parameters were not finished", unfinished,
                    wanted.size()));
  return {};
}

}  // namespace nextstat

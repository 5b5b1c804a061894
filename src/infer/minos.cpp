#include "infer/minos.h"

#include <fmt/format.h>

#include <set>
#include <span>
#include <vector>

#include "base/none.h"
#include "infer/crossing.h"

namespace nextstat {
namespace {

constexpr double kOneSigma = 1.0;

Result<std::set<std::size_t>> wanted_parameters(const Setup& setup, const FitOptions& options) {
  std::set<std::size_t> wanted;
  for (std::size_t i = 0; options.minos_of_all && i < setup.fixed.size(); ++i) {
    if (!setup.fixed[i]) wanted.insert(i);
  }
  Errors errors;
  for (const std::string& name : options.minos) {
    const Result<std::vector<std::size_t>> found = setup.parameters(name, "--minos");
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
bool add_errors(const Setup& setup, const BestFit& best, std::span<const Crossing> sides,
                std::span<const CrossingResult> found, FitResult& result) {
  for (const CrossingResult& side : found) {
    if (side.status == CrossingStatus::Interrupted) return false;
    if (side.status == CrossingStatus::NotConverged) result.minos_converged = false;
  }
  const std::size_t parameter = sides[0].parameter;
  const double fit = best.minimum.parameters[parameter];
  result.minos.push_back({parameter, found[0].value - fit, found[1].value - fit});
  // A fixed parameter has neither side: once is enough.
  const std::size_t warned = setup.fixed[parameter] ? 1 : 2;
  for (std::size_t k = 0; k < warned; ++k)
    warn_about_crossing(setup, best, sides[k], found[k], result.warnings);
  return true;
}

}  // namespace

Result<std::monostate> add_minos_errors(const Setup& setup, const BestFit& best, const FitOptions& options,
                                        FitResult& result) {
  const Result<std::set<std::size_t>> wanted = wanted_parameters(setup, options);
  if (!wanted) return wanted.errors();
  if (!best.minimum.converged()) {
    for (std::size_t i : *wanted) result.minos.push_back({i, kNone, kNone});
    result.warnings.push_back("no profile errors: the fit itself did not converge");
    return std::monostate{};
  }
  std::vector<Crossing> crossings;
  for (std::size_t i : *wanted) {
    crossings.push_back({i, Side::Lower, kOneSigma});
    crossings.push_back({i, Side::Upper, kOneSigma});
  }
  const Result<std::vector<CrossingResult>> found = find_crossings(setup, best, crossings);
  if (!found) return found.errors();
  std::size_t unfinished = 0;
  for (std::size_t k = 0; k < crossings.size(); k += 2) {
    const bool finished =
        add_errors(setup, best, std::span(crossings).subspan(k, 2), std::span(*found).subspan(k, 2), result);
    unfinished += finished ? 0 : 1;
  }
  result.interrupted = result.interrupted || unfinished > 0;
  if (unfinished > 0)
    result.warnings.push_back(
        fmt::format("interrupted: the profile errors of {} of {} parameters were not finished", unfinished,
                    wanted->size()));
  return std::monostate{};
}

}  // namespace nextstat

#include "infer/minos.h"

#include <cmath>
#include <limits>
#include <set>

#include "infer/crossing.h"

namespace nextstat {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kOneSigma = 1.0;

Result<std::set<std::size_t>> wanted_parameters(const Setup& setup, const FitOptions& options) {
  std::set<std::size_t> wanted;
  for (std::size_t i = 0; options.minos_of_all && i < setup.fixed.size(); ++i) {
    if (!setup.fixed[i]) wanted.insert(i);
  }
  Errors errors;
  for (const std::string& name : options.minos) {
    const Result<std::vector<std::size_t>> found = setup.parameters(name);
    if (found) {
      wanted.insert(found->begin(), found->end());
    } else {
      errors.insert(errors.end(), found.errors().begin(), found.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  return wanted;
}

}  // namespace

Result<std::vector<MinosErrors>> minos_errors(const Setup& setup, const BestFit& best,
                                              const FitOptions& options, std::vector<std::string>& warnings) {
  const Result<std::set<std::size_t>> wanted = wanted_parameters(setup, options);
  if (!wanted) return wanted.errors();
  std::vector<MinosErrors> errors;
  std::vector<Crossing> crossings;
  for (std::size_t i : *wanted) {
    errors.push_back({i, kNone, kNone});
    crossings.push_back({i, Side::Lower, kOneSigma});
    crossings.push_back({i, Side::Upper, kOneSigma});
  }
  if (!best.minimum.converged()) {
    warnings.push_back("no profile errors: the fit itself did not converge");
    return errors;
  }
  const Result<std::vector<CrossingResult>> found = find_crossings(setup, best, crossings);
  if (!found) return found.errors();
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const double fit = best.minimum.parameters[errors[k].parameter];
    errors[k].down = (*found)[2 * k].value - fit;
    errors[k].up = (*found)[2 * k + 1].value - fit;
    for (std::size_t side : {2 * k, 2 * k + 1}) {
      // A fixed parameter has neither side: once is enough.
      if (setup.fixed[errors[k].parameter] && side % 2 == 1) continue;
      warn_about_crossing(setup, best, crossings[side], (*found)[side], warnings);
    }
  }
  return errors;
}

}  // namespace nextstat

#include <nextstat/interval.h>

#include <fmt/format.h>

#include <cmath>

#include "base/distributions.h"
#include "base/no_value.h"
#include "base/try.h"
#include "infer/profile/crossing.h"
#include "infer/profile/warnings.h"
#include "infer/setup/parameter_names.h"

namespace nextstat {
namespace {

Result<std::size_t> checked_parameter(const Setup& setup, const IntervalOptions& options) {
  if (!(options.confidence_level > 0 && options.confidence_level < 1))
    return Error{ErrorCode::BadUsage, Field::ConfidenceLevel,
                 fmt::format("the confidence level {} is not between 0 and 1", options.confidence_level),
                 "give a level such as 0.6827 or 0.95"};
  Result<std::size_t> parameter = parameter_named(setup.model, options.parameter);
  if (parameter && setup.fixed[*parameter])
    return Error{
        ErrorCode::BadUsage, Field::Parameter,
        fmt::format("\"{}\" is fixed: it has no interval", setup.model.parameters()[*parameter].name),
        "name a parameter that is free in the fit"};
  return parameter;
}

// One end of the interval, the bound where the level is not reached before it.
double end_of(const Setup& setup, const BestFit& best, const Crossing& wanted, const CrossingResult& found,
              IntervalResult& result) {
  const bool upper = wanted.side == Side::Upper;
  const bool bound = found.status == CrossingStatus::Bound;
  (upper ? result.upper_at_bound : result.lower_at_bound) = bound;
  result.interrupted = result.interrupted || found.status == CrossingStatus::Interrupted;
  result.converged = result.converged && (bound || found.status == CrossingStatus::Found);
  result.fits += found.fits;
  result.iterations += found.iterations;
  warn_about_crossing(setup, best, wanted, found, result.warnings);
  if (!bound) return found.value;
  result.warnings.back() +=
      fmt::format(": the {} end of the interval is the bound", upper ? "upper" : "lower");
  return upper ? setup.bounds.high[wanted.parameter] : setup.bounds.low[wanted.parameter];
}

}  // namespace

Result<IntervalResult> interval(const Model& model, const IntervalOptions& options) {
  TRY(const Setup setup, make_setup(model, options.run, {.fits = 6}));
  TRY(const std::size_t parameter, checked_parameter(setup, options));
  TRY(const BestFit best, find_best_fit(setup, true));
  IntervalResult result;
  result.parameter = parameter;
  result.confidence_level = options.confidence_level;
  const double z = normal_quantile_of_tail((1 - options.confidence_level) / 2);
  result.level = z * z;
  result.bestfit = best.minimum.parameters[parameter];
  result.nll = best.minimum.nll;
  result.converged = best.minimum.converged();
  result.interrupted = best.minimum.termination == Termination::Interrupted;
  result.fits = 1;
  result.iterations = best.minimum.iterations;
  result.warnings = warnings_of(model, best);
  best.log.tell(model, result);
  result.device = setup.device;
  result.instruction_set = setup.session->traits().instruction_set;
  result.lower = result.upper = kNoValue;
  if (!result.converged) {
    result.warnings.push_back(result.interrupted ? "interrupted before the best fit was found"
                                                 : "no interval: the best fit did not converge");
    return result;
  }
  TRY(const std::vector<ProfileRange> ranges, find_ranges(setup, best, {&parameter, 1}, result.level));
  const ProfileRange& range = ranges.front();
  result.lower = end_of(setup, best, {parameter, Side::Lower, result.level}, range.lower, result);
  result.upper = end_of(setup, best, {parameter, Side::Upper, result.level}, range.upper, result);
  result.parts = range.parts;
  if (range.parts.empty()) return result;
  result.lower = range.parts.front().lower;
  result.upper = range.parts.back().upper;
  result.lower_at_bound = result.lower == setup.bounds.low[parameter];
  result.upper_at_bound = result.upper == setup.bounds.high[parameter];
  return result;
}

}  // namespace nextstat

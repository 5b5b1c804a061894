#include <nextstat/upper_limit.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "infer/asymptotic/limit_search.h"
#include "infer/asymptotic/test_statistic.h"

namespace nextstat {

bool UpperLimitResult::complete() const {
  return std::isfinite(observed) &&
         std::all_of(expected.begin(), expected.end(), [](double limit) { return std::isfinite(limit); });
}

Errors upper_limit_option_errors(const UpperLimitOptions& options) {
  const auto usage = [](Field field, std::string what, Hint hint) {
    return Errors{{ErrorCode::BadUsage, field, std::move(what), std::move(hint)}};
  };
  if (!(options.confidence_level > 0 && options.confidence_level < 1))
    return usage(Field::ConfidenceLevel,
                 fmt::format("the confidence level {} is not between 0 and 1", options.confidence_level),
                 "use e.g. 0.95");
  if (Errors errors = check_statistic(options.statistic, kLimitStatistics); !errors.empty()) return errors;
  if (!(options.rtol > 0 && options.rtol < 1))
    return usage(Field::Rtol, fmt::format("the relative precision {} is not between 0 and 1", options.rtol),
                 "use e.g. 1e-4");
  for (std::size_t i = 0; i < options.scan.size(); ++i) {
    if (std::isfinite(options.scan[i]) && (i == 0 || options.scan[i] > options.scan[i - 1])) continue;
    return usage(Field::Scan, "the values to scan are not in ascending order",
                 "choose a start below the stop, and at least two points");
  }
  return {};
}

Result<UpperLimitResult> upper_limit(const Model& model, const UpperLimitOptions& options) {
  if (Errors errors = upper_limit_option_errors(options); !errors.empty()) return errors;
  TRY(AsymptoticTest test, AsymptoticTest::prepare(model, options.run, {options.statistic}, kFitsOfLimits));
  return find_limits(test, options);
}

}  // namespace nextstat

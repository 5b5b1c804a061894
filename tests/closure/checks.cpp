#include "closure/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nextstat::closure {
namespace {

constexpr double kMeanOfPulls = 0.03, kWidthOfPulls = 0.02, kSlope = 0.01, kLeastP = 1e-3;
constexpr double kStandardErrors = 3;

Check within(std::string group, std::string what, Estimate found, double expected, double allowed) {
  return {std::move(group), std::move(what), found.value, expected, found.error, allowed, false};
}

Check within_errors(std::string group, std::string what, Estimate found, double expected) {
  return within(std::move(group), std::move(what), found, expected, kStandardErrors * found.error);
}

// Those inside the profile interval: t(mu_true) <= z^2.
Check coverage(const std::vector<double>& t, double z, std::string what) {
  const double p = Law{TestStatistic::T}.below(z * z);
  const auto inside = std::count_if(t.begin(), t.end(), [&](double each) { return each <= z * z; });
  return within_errors("coverage", std::move(what), fraction(static_cast<std::size_t>(inside), t.size(), p),
                       p);
}

// The law has a spike at 0 and a smooth part: each on its own.
void follow_law(std::vector<Check>& all, const std::string& group, const std::string& of,
                const StatisticSample& sample) {
  std::vector<double> positive;
  std::copy_if(sample.q.begin(), sample.q.end(), std::back_inserter(positive),
               [](double q) { return q > 0; });
  const double p = sample.law.below(0);
  all.push_back(within_errors(group, of + ": fraction at 0",
                              fraction(sample.q.size() - positive.size(), sample.q.size(), p), p));
  const double probability =
      kolmogorov_smirnov(positive, [&](double q) { return sample.law.below_of_positive(q); });
  all.push_back({group, of + ": Kolmogorov-Smirnov p beyond 0", probability, 0, 0, kLeastP, true});
}

}  // namespace

bool Check::met() const {
  return is_p_value ? value > allowed : std::abs(value - expected) < allowed;  // NaN is not met
}

std::vector<Check> checks(const Samples& samples) {
  std::vector<Check> all;
  all.push_back(within("pulls", "mean", mean(samples.pulls), 0, kMeanOfPulls));
  all.push_back(within("pulls", "width", width(samples.pulls), 1, kWidthOfPulls));
  all.push_back(coverage(samples.t, 1, "68.27% interval"));
  all.push_back(coverage(samples.t, 2, "95.45% interval"));
  follow_law(all, "q0", "background", samples.q0);
  follow_law(all, "qtilde", "signal", samples.qtilde_signal);
  follow_law(all, "qtilde", "background", samples.qtilde_background);
  for (const ClsPoint& point : samples.cls)
    all.push_back(within_errors("CLs", fmt::format("mu = {:g}", point.mu), point.toys, point.asymptotic));
  for (const ClsPoint& point : samples.few_cls)
    all.push_back(
        within_errors("CLs of few events", fmt::format("mu = {:g}", point.mu), point.toys, point.exact));
  std::vector<double> truths;
  std::vector<Estimate> means;
  for (const Injection& injection : samples.injections) {
    truths.push_back(injection.mu_true);
    means.push_back(injection.mean_mu_hat);
  }
  const Line line = straight_line(truths, means);
  all.push_back(within("injection", "slope", line.slope, 1, kSlope));
  return all;
}

}  // namespace nextstat::closure

#include "infer/asymptotic/limit_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/distributions.h"
#include "base/no_value.h"
#include "base/try.h"
#include "infer/asymptotic/root_search.h"
#include "infer/asymptotic/test_statistic.h"

namespace nextstat {
namespace {

constexpr double kHighest = 1e12;  // no limit is looked for beyond
constexpr int kMostRounds = 100;
constexpr std::size_t kCurves = 6;  // observed, then kBandSigmas
constexpr std::size_t kExpectedFits = 40;

// d log Phi(-x) / d x = -hazard(x)
double hazard(double x) {
  return std::exp(-x * x / 2 - log_normal_tail(x)) / std::sqrt(2 * 3.14159265358979323846);
}

double root_slope(double q, double slope) { return q > 0 ? slope / (2 * std::sqrt(q)) : kNoValue; }

// f = log CLs - log alpha.
CurvePoint observed_point(TestStatistic statistic, const TestPoint& at, double alpha) {
  // Where the model cannot give the data, mu is excluded.
  if (std::isinf(at.q)) return {at.mu, -at.q, kNoValue};
  const Tails tails = observed_tails(statistic, at.q, at.q_asimov);
  const double s = std::sqrt(at.q), a = std::sqrt(at.q_asimov);
  const double ds = at.q > 0 ? root_slope(at.q, at.q_slope) : 0.0;
  const double da = root_slope(at.q_asimov, at.q_asimov_slope);
  double dx_sb = ds, dx_b = ds - da;
  if (statistic == TestStatistic::Qtilde && s > a && a > 0) {
    // x = (s^2 +- a^2) / 2a
    dx_sb = s / a * ds + (a * a - s * s) / (2 * a * a) * da;
    dx_b = s / a * ds - (a * a + s * s) / (2 * a * a) * da;
  }
  return {at.mu, tails.log_cls - std::log(alpha), hazard(tails.x_b) * dx_b - hazard(tails.x_sb) * dx_sb};
}

// f = A(limit) - A(mu), A = sqrt(q_asimov): CLs falls as A rises, and A is almost a straight line in mu.
CurvePoint expected_point(const TestPoint& at, double sensitivity) {
  return {at.mu, sensitivity - std::sqrt(at.q_asimov), -root_slope(at.q_asimov, at.q_asimov_slope)};
}

class LimitSearch {
 public:
  LimitSearch(AsymptoticTest& test, const UpperLimitOptions& options)
      : test_(test), options_(options), alpha_(1 - options.confidence_level) {
    for (const double n : kBandSigmas) sensitivities_.push_back(sensitivity_at_limit(alpha_, n));
  }

  Result<UpperLimitResult> run() {
    result_.confidence_level = options_.confidence_level;
    result_.statistic = test_.statistic();
    result_.observed = kNoValue;
    result_.expected.fill(kNoValue);
    result_.bracket = {kNoValue, kNoValue};
    if (test_.has_asimov()) {
      TRY_DO(options_.scan.empty() ? search() : scan());
    }
    TRY_DO(collect());
    return std::move(result_);
  }

 private:
  double& limit(std::size_t curve) { return curve == 0 ? result_.observed : result_.expected[curve - 1]; }
  static std::string name(std::size_t curve) {
    if (curve == 0) return "observed limit";
    if (kBandSigmas[curve - 1] == 0) return "expected limit (median)";
    return fmt::format("expected limit ({:+g} sigma)", kBandSigmas[curve - 1]);
  }

  CurvePoint point(std::size_t curve, const TestPoint& at) const {
    return curve == 0 ? observed_point(test_.statistic(), at, alpha_)
                      : expected_point(at, sensitivities_[curve - 1]);
  }

  // Where the limits are if q and q_asimov are parabolas, as one tested value says.
  double parabolic_guess(std::size_t curve, const TestPoint& probe) const {
    const double sigma = probe.mu / std::sqrt(probe.q_asimov);
    if (curve > 0) return sensitivities_[curve - 1] * sigma;
    const double mu_hat = std::max(0.0, test_.mu_hat());
    const double tilt = mu_hat > 0 ? 0.0 : std::max(0.0, probe.q - probe.q_asimov) / probe.mu;
    double low = mu_hat, high = mu_hat + 50 * sigma;
    for (int i = 0; i < 60; ++i) {
      const double mu = (low + high) / 2, a = mu / sigma, s = (mu - mu_hat) / sigma;
      const Tails tails = observed_tails(test_.statistic(), s * s + tilt * mu, a * a);
      (tails.log_cls > std::log(alpha_) ? low : high) = mu;
    }
    return high;
  }

  // Two values to learn the scale from: no signal, and the POI's start or the best fit.
  Result<void> search() {
    test_.expect_fits(kExpectedFits);
    const double probe = std::min(std::max(test_.poi_scale(), 1e-3 * std::abs(test_.mu_hat())), kHighest);
    const std::vector<double> first = {0.0, probe};
    TRY_DO(test_.visit(first, true));
    const TestPoint at_probe = test_.at(probe);
    std::vector<double> wanted;
    for (std::size_t curve = 0; curve < kCurves; ++curve) {
      searches_.emplace_back(options_.rtol, probe, kHighest);
      const double guess = parabolic_guess(curve, at_probe);
      if (guess > 1e-3 * probe && guess < 1e3 * probe) wanted.push_back(guess);
    }
    for (int round = 0; round < kMostRounds && !test_.interrupted(); ++round) {
      TRY_DO(test_.visit(wanted, true));
      wanted = proposals();
      if (wanted.empty()) break;
    }
    for (std::size_t curve = 0; curve < kCurves; ++curve) settle(curve);
    return {};
  }

  // What the curves ask for next; values that almost agree are tested once.
  std::vector<double> proposals() {
    std::vector<double> wanted;
    for (std::size_t curve = 0; curve < kCurves; ++curve) {
      for (const double mu : test_.visited()) searches_[curve].add(point(curve, test_.at(mu)));
      if (const std::optional<double> mu = searches_[curve].next()) wanted.push_back(*mu);
    }
    std::sort(wanted.begin(), wanted.end());
    const auto same = [](double a, double b) { return b - a <= 1e-7 * b; };
    wanted.erase(std::unique(wanted.begin(), wanted.end(), same), wanted.end());
    return wanted;
  }

  void settle(std::size_t curve) {
    const RootSearch& search = searches_[curve];
    limit(curve) = search.root();
    if (curve == 0) result_.bracket = {search.below(), search.above()};
    if (!std::isnan(search.root()) || test_.interrupted()) return;
    (search.given_up() ? endless_ : unsettled_).push_back(name(curve));
    if (search.given_up()) highest_ = std::max(highest_, search.highest_tried());
  }

  // One sentence for all limits that are missing for one reason.
  void warn_about_missing() {
    const auto warn = [&](const std::vector<std::string>& names, const std::string& reason) {
      if (names.empty()) return;
      const bool all = names.size() == kCurves;
      result_.warnings.push_back(fmt::format(
          "no {}: {}",
          all ? "observed limit and no expected limits" : fmt::format("{}", fmt::join(names, ", ")), reason));
    };
    warn(endless_,
         fmt::format("CLs does not fall to {:.4g} up to {} = {:.3g}; the data cannot exclude this signal",
                     alpha_, test_.poi_name(), highest_));
    warn(unsettled_, test_.converged() ? "not found to the requested precision"
                                       : "it would depend on a fit that did not converge");
    if (options_.scan.empty()) return;
    warn(uncrossed_, fmt::format("CLs does not cross {:.4g} between {} = {:.6g} and {:.6g}", alpha_,
                                 test_.poi_name(), options_.scan.front(), options_.scan.back()));
  }

  Result<void> scan() {
    test_.expect_fits(2 + 2 * options_.scan.size());
    if (auto done = test_.visit(options_.scan); !done || test_.interrupted()) return done;
    for (std::size_t curve = 0; curve < kCurves; ++curve) interpolate(curve);
    return {};
  }

  double cls(std::size_t curve, const TestPoint& at) const {
    const Tails tails = curve == 0 ? observed_tails(test_.statistic(), at.q, at.q_asimov)
                                   : expected_tails(test_.statistic(), at.q_asimov, kBandSigmas[curve - 1]);
    return std::isinf(at.q) && curve == 0 ? 0.0 : tails.probabilities.cls;
  }

  // Straight lines between the scanned values; the crossing at the largest mu.
  void interpolate(std::size_t curve) {
    for (std::size_t i = options_.scan.size(); i-- > 1;) {
      const double low = options_.scan[i - 1], high = options_.scan[i];
      const double above = cls(curve, test_.at(low)), below = cls(curve, test_.at(high));
      if (!(above > alpha_ && below <= alpha_)) continue;
      limit(curve) = high + (low - high) * (alpha_ - below) / (above - below);
      if (curve == 0) result_.bracket = {low, high};
      return;
    }
    uncrossed_.push_back(name(curve));
  }

  Result<void> collect() {
    warn_about_missing();
    TRY(const std::vector<double> kinks, test_.kinks());
    for (const double mu : test_.visited()) {
      const TestPoint at = test_.at(mu);
      CLsPoint tested{mu, cls(0, at), {}, at.q, at.q_asimov, at.converged};
      tested.kink = std::find(kinks.begin(), kinks.end(), mu) != kinks.end();
      for (std::size_t i = 0; i < kBandSigmas.size(); ++i) tested.expected[i] = cls(i + 1, at);
      result_.points.push_back(tested);
    }
    result_.mu_hat = test_.mu_hat();
    result_.converged = test_.converged() && unsettled_.empty();
    result_.interrupted = test_.interrupted();
    result_.fits = test_.fits();
    result_.iterations = test_.iterations();
    result_.search = test_.search();
    std::vector<std::string> warnings = test_.warnings();
    warnings.insert(warnings.end(), result_.warnings.begin(), result_.warnings.end());
    result_.warnings = std::move(warnings);
    warn_beyond_bound();
    result_.device = test_.device();
    result_.instruction_set = test_.instruction_set();
    return {};
  }

  void warn_beyond_bound() {
    std::vector<std::string> beyond;
    for (std::size_t curve = 0; curve < kCurves; ++curve) {
      if (limit(curve) > test_.poi_high()) beyond.push_back(name(curve));
    }
    if (beyond.empty()) return;
    result_.warnings.push_back(fmt::format("beyond the upper bound {:.6g} of {}: {}", test_.poi_high(),
                                           test_.poi_name(), fmt::join(beyond, ", ")));
  }

  AsymptoticTest& test_;
  const UpperLimitOptions& options_;
  double alpha_;
  std::vector<double> sensitivities_;  // sqrt(q_asimov) at the expected limits
  std::vector<RootSearch> searches_;
  UpperLimitResult result_;
  // Limits that are missing: CLs stays above alpha, the search came to no end, no crossing in the scan.
  std::vector<std::string> endless_, unsettled_, uncrossed_;
  double highest_ = 0;
};

}  // namespace

Result<UpperLimitResult> find_limits(AsymptoticTest& test, const UpperLimitOptions& options) {
  return LimitSearch(test, options).run();
}

}  // namespace nextstat

#include <nextstat/upper_limit_toys.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/asymptotic/limit_search.h"
#include "infer/toys/toy_blocks.h"
#include "infer/toys/toy_limit_curve.h"
#include "infer/toys/toy_limit_points.h"
#include "infer/toys/toy_limit_search.h"
#include "infer/toys/toy_warnings.h"

namespace nextstat {
namespace {

std::string name_of(std::size_t curve) {
  if (curve == 0) return "observed limit";
  if (kBandSigmas[curve - 1] == 0) return "expected limit (median)";
  return fmt::format("expected limit ({:+g} sigma)", kBandSigmas[curve - 1]);
}

class ToyLimits {
 public:
  ToyLimits(const UpperLimitToysOptions& options, AsymptoticTest test)
      : options_(options),
        test_(std::move(test)),
        calls_(options.toys, options.run, bytes_per_toy(test_.setup())),
        points_(test_, options, calls_),
        search_(test_, options, calls_, points_) {}

  Result<UpperLimitToysResult> run() {
    describe();
    if (test_.interrupted() || !test_.has_asimov()) return collected();
    TRY_DO(options_.scan.empty() ? search() : scan());
    return collected();
  }

 private:
  void describe() {
    result_.confidence_level = options_.confidence_level;
    result_.statistic = options_.statistic;
    result_.observed = result_.observed_error = result_.observed_asymptotic = kNoValue;
    result_.expected.fill(kNoValue);
    result_.expected_errors = result_.expected_asymptotic = result_.expected;
    result_.bracket = {kNoValue, kNoValue};
    result_.error_wanted = options_.scan.empty() ? options_.error : kNoValue;
    result_.seed = options_.toys.seed;
  }

  double& limit(std::size_t curve) { return curve == 0 ? result_.observed : result_.expected[curve - 1]; }
  double& error(std::size_t curve) {
    return curve == 0 ? result_.observed_error : result_.expected_errors[curve - 1];
  }
  double alpha() const { return 1 - options_.confidence_level; }

  Result<void> scan() {
    return search_.first_round(options_.scan, {options_.toys.n_toys, options_.toys.n_toys});
  }

  Result<void> search() {
    const Result<std::vector<double>> values = first_values();
    if (!values) return values.errors();
    if (values->empty() || search_.stopped()) return {};
    return search_.run(*values);
  }

  // The asymptotic limits, and one value beyond on either side.
  Result<std::vector<double>> first_values() {
    UpperLimitOptions asymptotic;
    asymptotic.confidence_level = options_.confidence_level;
    asymptotic.statistic = options_.statistic;
    asymptotic.rtol = 1e-3;
    TRY(const UpperLimitResult limits, find_limits(test_, asymptotic));
    result_.observed_asymptotic = limits.observed;
    result_.expected_asymptotic = limits.expected;
    std::vector<double> values, chosen;
    for (std::size_t curve = 0; curve < kLimitCurves; ++curve) {
      const double mu = curve == 0 ? limits.observed : limits.expected[curve - 1];
      if (std::isfinite(mu) && mu > 0) values.push_back(mu);
    }
    if (values.empty()) {
      if (!test_.interrupted())
        result_.warnings.push_back(fmt::format(
            "no limits: the asymptotic CLs does not fall to {:.4g}, so there is no value to start at",
            alpha()));
      return values;
    }
    std::sort(values.begin(), values.end());
    values.insert(values.begin(), 0.75 * values.front());
    values.push_back(1.2 * values.back());
    for (const double mu : values) {
      if (chosen.empty() || mu > 1.04 * chosen.back()) chosen.push_back(mu);
    }
    return chosen;
  }

  UpperLimitToysResult collected() {
    std::vector<std::size_t> order(points_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return points_.mu(a) < points_.mu(b); });
    for (const std::size_t k : order) {
      if (points_.toys(k).tested > 0) result_.points.push_back(points_.result(k));
    }
    result_.mu_hat = test_.mu_hat();
    result_.interrupted = search_.stopped();
    result_.n_toys = search_.spent();
    result_.fits = test_.fits() + points_.fits();
    bool all = !result_.points.empty();
    for (std::size_t curve = 0; curve < kLimitCurves; ++curve) all = settle(curve) && all;
    order_expected();
    set_bracket();
    result_.error_reached = options_.scan.empty() && all && missed_.empty();
    result_.converged =
        test_.converged() && !result_.interrupted && all && !observed_missed_ && !too_many_failed_anywhere();
    warn();
    result_.device = test_.device();
    result_.instruction_set = test_.instruction_set();
    return std::move(result_);
  }

  // False: there is no limit.
  bool settle(std::size_t curve) {
    if (result_.points.empty()) return false;
    const bool search = options_.scan.empty();
    const ToyLimitSearch::State at = search_.state(curve);
    const auto found = search ? at.limit : interpolated_limit(points_.samples(curve));
    if (!found) {
      if (!result_.interrupted) result_.warnings.push_back(reason(curve, at.bracket));
      return false;
    }
    limit(curve) = found->mu;
    error(curve) = found->error;
    if (search && at.ratio > 1) {
      missed_.push_back(name_of(curve));
      if (curve == 0) observed_missed_ = true;
    }
    return true;
  }

  std::string reason(std::size_t curve, const LimitBracket& bracket) const {
    const bool above = bracket.where == LimitBracket::Where::Above;
    return fmt::format("no {}: CLs is {} {:.4g} at all values tested, {} = {:.6g} to {:.6g}", name_of(curve),
                       above ? "above" : "below", alpha(), test_.poi_name(), result_.points.front().mu,
                       result_.points.back().mu);
  }

  // Limits that errors of counting have put out of order become their weighted mean.
  void order_expected() {
    std::vector<std::size_t> there;
    std::vector<WeightedSum> limits;
    bool in_order = true;
    for (std::size_t i = 0; i < result_.expected.size(); ++i) {
      if (!std::isfinite(result_.expected[i])) continue;
      const double error = std::max(result_.expected_errors[i], 1e-6 * result_.expected[i]);
      const double weight = 1 / (error * error);
      in_order = in_order && (there.empty() || result_.expected[i] >= result_.expected[there.back()]);
      there.push_back(i);
      limits.push_back({weight * result_.expected[i], weight});
    }
    if (in_order) return;
    const std::vector<double> means = rising_means(limits);
    for (std::size_t k = 0; k < there.size(); ++k) result_.expected[there[k]] = means[k];
  }

  // At any value, of either hypothesis.
  bool too_many_failed_anywhere() const {
    return std::any_of(result_.points.begin(), result_.points.end(), [](const CLsToysPoint& at) {
      return too_many_failed(at.n_toys.tested, at.n_error.tested, at.n_nonconverged.tested) ||
             too_many_failed(at.n_toys.alternative, at.n_error.alternative, at.n_nonconverged.alternative);
    });
  }

  void set_bracket() {
    for (const CLsToysPoint& point : result_.points) {
      if (point.mu <= result_.observed) result_.bracket[0] = point.mu;
      if (point.mu >= result_.observed && std::isnan(result_.bracket[1])) result_.bracket[1] = point.mu;
    }
  }

  // Why the search ended before all errors were as wanted.
  std::string ended() const {
    if (result_.interrupted) return "";
    if (search_.end() == ToyLimitSearch::End::Toys)
      return "; the maximum number of toys was reached: allow more";
    return fmt::format("; the search stopped at {} values", result_.points.size());
  }

  void warn() {
    std::vector<std::string> all = test_.warnings(true);
    const auto append = [&](const std::vector<std::string>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    append(points_.warnings());
    append(result_.warnings);
    if (result_.interrupted) all.push_back("interrupted: limits are those of the toys so far");
    if (!missed_.empty())
      all.push_back(fmt::format("the target error was not reached with {} toys: {}{}", result_.n_toys,
                                fmt::join(missed_, ", "), ended()));
    std::size_t without_likelihood = 0, not_converged = 0;
    for (const CLsToysPoint& point : result_.points) {
      without_likelihood += point.n_error.tested + point.n_error.alternative;
      not_converged += point.n_nonconverged.tested + point.n_nonconverged.alternative;
    }
    warn_about_failures(result_.n_toys, without_likelihood, not_converged, all);
    result_.warnings = std::move(all);
    result_.search = test_.search();
  }

  const UpperLimitToysOptions& options_;
  AsymptoticTest test_;
  ToyCalls calls_;
  ToyLimitPoints points_;
  ToyLimitSearch search_;
  UpperLimitToysResult result_;
  std::vector<std::string> missed_;  // limits whose error is larger than wanted
  bool observed_missed_ = false;
};

Errors option_errors(const UpperLimitToysOptions& options) {
  UpperLimitOptions shared;
  shared.confidence_level = options.confidence_level;
  shared.statistic = options.statistic;
  shared.scan = options.scan;
  if (Errors errors = upper_limit_option_errors(shared); !errors.empty()) return errors;
  const auto usage = [](Field field, std::string what, Hint hint) {
    return Errors{{ErrorCode::BadUsage, field, std::move(what), std::move(hint)}};
  };
  if (!(options.error > 0 && options.error < 1))
    return usage(Field::ToyError, fmt::format("the relative error {} is not between 0 and 1", options.error),
                 "use e.g. 0.02");
  if (options.toys.n_toys == 0) return usage(Field::NToys, "the number of toys is 0", "use at least one");
  return {};
}

}  // namespace

Result<UpperLimitToysResult> upper_limit_toys(const Model& model, const UpperLimitToysOptions& options) {
  if (Errors errors = option_errors(options); !errors.empty()) return errors;
  RunOptions quiet = options.run;
  quiet.on_progress = {};
  const double toys = options.scan.empty()
                          ? static_cast<double>(options.max_toys)
                          : 2.0 * static_cast<double>(options.toys.n_toys * options.scan.size());
  TRY(AsymptoticTest test, AsymptoticTest::prepare(model, quiet, {options.statistic}, {.fits = 2 * toys}));
  return ToyLimits(options, std::move(test)).run();
}

}  // namespace nextstat

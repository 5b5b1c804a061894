#include <nextstat/upper_limit_toys.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "infer/limit_search.h"
#include "infer/toy_blocks.h"
#include "infer/toy_limit_points.h"
#include "infer/toy_warnings.h"

namespace nextstat {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostRounds = 300, kMostPoints = 60, kFewestToys = 20;
// Of the error wanted, by curve: a limit at 2 sigma hangs on one toy in a thousand.
constexpr std::array<double, kLimitCurves> kAllowance = {1, 4, 2, 1, 2, 4};
// Closer to the crossing than this, in log CLs, toys are added to a value that is there.
constexpr double kClose = 0.15;
constexpr double kSame = 1e-3;  // relative: two values are one

std::string name_of(std::size_t curve) {
  if (curve == 0) return "observed limit";
  if (kBandSigmas[curve - 1] == 0) return "expected limit (median)";
  return fmt::format("expected limit ({:+g} sigma)", kBandSigmas[curve - 1]);
}

double squared(double x) { return x * x; }

class ToyLimitSearch {
 public:
  ToyLimitSearch(const UpperLimitToysOptions& options, AsymptoticTest test)
      : options_(options),
        test_(std::move(test)),
        calls_(options.toys, options.run, bytes_per_toy(test_.setup())),
        points_(test_, options, calls_) {}

  Result<UpperLimitToysResult> run() {
    describe();
    if (test_.interrupted() || !test_.has_asimov()) return collected();
    if (auto done = options_.scan.empty() ? search() : scan(); !done) return done.errors();
    return collected();
  }

 private:
  void describe() {
    result_.confidence_level = options_.confidence_level;
    result_.statistic = options_.statistic;
    result_.observed = result_.observed_error = result_.observed_asymptotic = kNone;
    result_.expected.fill(kNone);
    result_.expected_errors = result_.expected_asymptotic = result_.expected;
    result_.bracket = {kNone, kNone};
    result_.error_wanted = options_.scan.empty() ? options_.error : kNone;
    result_.seed = options_.toys.seed;
    wanted_.fill(true);
  }

  double& limit(std::size_t curve) { return curve == 0 ? result_.observed : result_.expected[curve - 1]; }
  double& error(std::size_t curve) {
    return curve == 0 ? result_.observed_error : result_.expected_errors[curve - 1];
  }
  bool stopped() const { return calls_.interrupted() || test_.interrupted(); }

  Result<std::monostate> scan() {
    if (auto done = test_.visit(options_.scan); !done || test_.interrupted()) return done;
    return first_round(options_.scan, options_.toys.n_toys);
  }

  Result<std::monostate> first_round(const std::vector<double>& values, std::size_t toys) {
    if (auto done = points_.start(); !done) return done;
    calls_.plan(2 * toys * values.size());
    for (const double mu : values) {
      if (stopped()) break;
      if (auto done = add(mu, {toys, toys}); !done) return done;
    }
    return std::monostate{};
  }

  Result<std::monostate> add(double mu, const ToyCounts& toys) {
    const Result<std::size_t> added = points_.add(mu);
    if (!added) return added.errors();
    return stopped() ? std::monostate{} : points_.extend(*added, toys);
  }

  // The asymptotic limits, and one value beyond on either side.
  Result<std::vector<double>> first_values() {
    UpperLimitOptions asymptotic;
    asymptotic.confidence_level = options_.confidence_level;
    asymptotic.statistic = options_.statistic;
    asymptotic.rtol = 1e-3;
    const Result<UpperLimitResult> limits = find_limits(test_, asymptotic);
    if (!limits) return limits.errors();
    result_.observed_asymptotic = limits->observed;
    result_.expected_asymptotic = limits->expected;
    std::vector<double> values, chosen;
    for (std::size_t curve = 0; curve < kLimitCurves; ++curve) {
      const double mu = curve == 0 ? limits->observed : limits->expected[curve - 1];
      wanted_[curve] = std::isfinite(mu) && mu > 0;
      if (wanted_[curve]) values.push_back(mu);
      if (!wanted_[curve] && !test_.interrupted())
        result_.warnings.push_back(
            fmt::format("no {}: the asymptotic CLs does not fall to {:.4g}, so there is no value to begin at",
                        name_of(curve), 1 - options_.confidence_level));
    }
    if (values.empty()) return values;
    std::sort(values.begin(), values.end());
    values.insert(values.begin(), 0.75 * values.front());
    values.push_back(1.2 * values.back());
    for (const double mu : values) {
      if (chosen.empty() || mu > 1.04 * chosen.back()) chosen.push_back(mu);
    }
    return chosen;
  }

  Result<std::monostate> search() {
    Result<std::vector<double>> values = first_values();
    if (!values) return values.errors();
    if (values->empty() || stopped()) return std::monostate{};
    const std::size_t toys = std::min(options_.toys.n_toys, options_.max_toys / (2 * values->size()));
    if (toys < kFewestToys && toys < options_.toys.n_toys)
      return Error{ErrorCode::BadUsage, "--max-toys",
                   fmt::format("{} toys are too few for {} values", options_.max_toys, values->size()),
                   fmt::format("allow {} or more", 2 * kFewestToys * values->size())};
    if (auto done = test_.visit(*values); !done || stopped()) return done;
    if (auto done = first_round(*values, toys); !done) return done;
    for (std::size_t round = 0; round < kMostRounds && !stopped(); ++round) {
      const Result<bool> more = improve(toys);
      if (!more) return more.errors();
      if (!*more) break;
    }
    return std::monostate{};
  }

  std::optional<LimitEstimate> estimate(std::size_t curve) const {
    return estimate_limit(points_.samples(curve), points_.asymptotic(curve));
  }

  std::size_t spent() const {
    std::size_t toys = 0;
    for (std::size_t k = 0; k < points_.size(); ++k)
      toys += points_.toys(k).tested + points_.toys(k).alternative;
    return toys;
  }
  std::size_t left() const { return options_.max_toys - std::min(options_.max_toys, spent()); }

  // A curve with its error over what is allowed.
  struct Worst {
    std::size_t curve = kLimitCurves;
    double ratio = 1;
    std::optional<LimitEstimate> estimate;
  };

  // The observed limit as long as it is not good enough, then the worst of the expected ones.
  Worst worst() const {
    Worst found;
    for (std::size_t curve = 0; curve < kLimitCurves; ++curve) {
      if (!wanted_[curve]) continue;
      const std::optional<LimitEstimate> limit = estimate(curve);
      const double ratio = limit ? limit->error / (kAllowance[curve] * options_.error * limit->mu) : 1e6;
      if (ratio > found.ratio) found = {curve, ratio, limit};
      if (found.curve == 0) break;
    }
    return found;
  }

  // One more round where it helps most. False: all is reached, or nothing more can be done.
  Result<bool> improve(std::size_t first_toys) {
    const Worst at = worst();
    if (at.curve == kLimitCurves || left() == 0) return false;
    if (const std::optional<std::size_t> close = best_known(at)) return more_toys(*close, at);
    const double mu = at.estimate ? at.estimate->mu : beyond(at.curve);
    const std::size_t toys = std::min(first_toys, left() / 2);
    if (toys == 0 || points_.size() == kMostPoints) return false;
    calls_.plan(2 * toys);
    if (auto done = add(mu, {toys, toys}); !done) return done.errors();
    return true;
  }

  // Of the values close to the crossing the one with most toys, so that toys of both hypotheses come
  // together. None where another value is needed.
  std::optional<std::size_t> best_known(const Worst& at) const {
    if (!at.estimate) return std::nullopt;
    const LimitEstimate& limit = *at.estimate;
    std::optional<std::size_t> best;
    const auto all = [&](std::size_t k) { return points_.toys(k).tested + points_.toys(k).alternative; };
    for (std::size_t k = 0; k < points_.size(); ++k) {
      if (std::abs(points_.mu(k) - limit.mu) < kSame * limit.mu) return k;
      const bool close = std::abs(points_.asymptotic_at(at.curve, points_.mu(k)) - limit.u) <= kClose;
      if (close && (!best || all(k) > all(*best))) best = k;
    }
    return limit.shape > limit.tested + limit.background ? std::nullopt : best;
  }

  // Where to look for a crossing that the tested values do not bracket: beyond those whose CLs is all larger
  // than alpha, or below them.
  double beyond(std::size_t curve) const {
    const std::vector<CurveSample> all = points_.samples(curve);
    double lowest = std::numeric_limits<double>::infinity(), highest = 0;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      lowest = std::min(lowest, points_.mu(k));
      highest = std::max(highest, points_.mu(k));
    }
    const bool above = !all.empty() && all.back().beyond > all.back().toys * all.back().share;
    return above ? 1.3 * highest : 0.7 * lowest;
  }

  // Of the hypothesis that has the larger part in the error; as many as the error asks for, up to three times
  // what is there.
  Result<bool> more_toys(std::size_t k, const Worst& at) {
    ToyCounts to = points_.toys(k);
    const bool background = needs_background(k, at.curve);
    std::size_t& count = background ? to.alternative : to.tested;
    const double wish = static_cast<double>(count) * std::clamp(at.ratio * at.ratio - 1, 0.25, 3.0);
    const std::size_t more = std::min(static_cast<std::size_t>(wish) + 1, left());
    count += more;
    calls_.plan(more);
    if (auto done = points_.extend(k, to); !done) return done.errors();
    return true;
  }

  bool needs_background(std::size_t k, std::size_t curve) const {
    const CurveSample sample = points_.sample(k, curve);
    return squared(sample.background_error) > 1 / std::max(0.5, sample.beyond);
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
    result_.interrupted = stopped();
    result_.n_toys = spent();
    for (std::size_t curve = 0; curve < kLimitCurves; ++curve) settle(curve);
    set_bracket();
    const double relative = result_.observed_error / result_.observed;
    result_.error_reached = options_.scan.empty() && relative <= options_.error;
    result_.converged = test_.converged() && !result_.interrupted && std::isfinite(result_.observed) &&
                        (result_.error_reached || !options_.scan.empty());
    warn();
    result_.device = test_.device().device;
    result_.instruction_set = test_.device().instruction_set;
    return std::move(result_);
  }

  void settle(std::size_t curve) {
    if (!wanted_[curve] || result_.points.empty()) return;
    if (const std::optional<LimitEstimate> found = estimate(curve)) {
      limit(curve) = found->mu;
      error(curve) = found->error;
      const double allowed = kAllowance[curve] * options_.error * found->mu;
      if (options_.scan.empty() && found->error > allowed) missed_.push_back(name_of(curve));
      return;
    }
    result_.warnings.push_back(fmt::format("no {}: CLs does not cross {:.4g} between {} = {:.6g} and {:.6g}",
                                           name_of(curve), 1 - options_.confidence_level, test_.poi_name(),
                                           result_.points.front().mu, result_.points.back().mu));
  }

  void set_bracket() {
    for (const CLsToysPoint& point : result_.points) {
      if (point.mu <= result_.observed) result_.bracket[0] = point.mu;
      if (point.mu >= result_.observed && std::isnan(result_.bracket[1])) result_.bracket[1] = point.mu;
    }
  }

  void warn() {
    std::vector<std::string> all = test_.warnings();
    const auto append = [&](const std::vector<std::string>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    append(points_.warnings());
    append(result_.warnings);
    if (result_.interrupted) all.push_back("interrupted: limits are those of the toys so far");
    if (!missed_.empty())
      all.push_back(fmt::format("the error wanted was not reached with {} toys: {}{}", result_.n_toys,
                                fmt::join(missed_, ", "),
                                result_.interrupted ? "" : "; allow more with --max-toys"));
    std::size_t without_likelihood = 0, not_converged = 0;
    for (const CLsToysPoint& point : result_.points) {
      without_likelihood += point.n_error.tested + point.n_error.alternative;
      not_converged += point.n_nonconverged.tested + point.n_nonconverged.alternative;
    }
    warn_about_failures(result_.n_toys, without_likelihood, not_converged, all);
    result_.warnings = std::move(all);
  }

  const UpperLimitToysOptions& options_;
  AsymptoticTest test_;
  ToyCalls calls_;
  ToyLimitPoints points_;
  UpperLimitToysResult result_;
  std::array<bool, kLimitCurves> wanted_ = {};
  std::vector<std::string> missed_;
};

Errors option_errors(const UpperLimitToysOptions& options) {
  UpperLimitOptions shared;
  shared.confidence_level = options.confidence_level;
  shared.statistic = options.statistic;
  shared.scan = options.scan;
  if (Errors errors = upper_limit_option_errors(shared); !errors.empty()) return errors;
  const auto usage = [](const char* where, std::string what, std::string hint) {
    return Errors{{ErrorCode::BadUsage, where, std::move(what), std::move(hint)}};
  };
  if (!(options.error > 0 && options.error < 1))
    return usage("--toy-error", fmt::format("the relative error {} is not between 0 and 1", options.error),
                 "give for example 0.02");
  if (options.toys.n_toys == 0)
    return usage("number of toys", "no toys were asked for", "ask for at least one");
  return {};
}

}  // namespace

Result<UpperLimitToysResult> upper_limit_toys(const Model& model, const UpperLimitToysOptions& options) {
  if (Errors errors = option_errors(options); !errors.empty()) return errors;
  RunOptions quiet = options.run;
  quiet.on_progress = {};
  Result<AsymptoticTest> test = AsymptoticTest::prepare(model, quiet, {options.statistic});
  if (!test) return test.errors();
  return ToyLimitSearch(options, std::move(*test)).run();
}

}  // namespace nextstat

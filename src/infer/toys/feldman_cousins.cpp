#include <nextstat/feldman_cousins.h>

#include <fmt/format.h>
#include <nextstat/scan.h>

#include <algorithm>
#include <cmath>

#include "base/distributions.h"
#include "base/no_value.h"
#include "base/try.h"
#include "infer/profile/crossing.h"
#include "infer/setup/parameter_names.h"
#include "infer/toys/feldman_cousins_ends.h"
#include "infer/toys/toy_blocks.h"
#include "infer/toys/toy_calls.h"
#include "infer/toys/toy_fits.h"
#include "infer/toys/toy_tails.h"
#include "infer/toys/toy_warnings.h"

namespace nextstat {
namespace {

// The default range reaches so many sigma beyond the profile likelihood interval.
constexpr double kSigmasBeyond = 1.5;
// An end is known well enough when its bracket is this part of the range.
constexpr double kNarrow = 1e-3;

Error usage(Field field, std::string what, Hint hint) {
  return {ErrorCode::BadUsage, field, std::move(what), std::move(hint)};
}

// The cl-quantile: the smallest t that at least this part of the toys does not exceed, as Feldman and Cousins
// fill their acceptance regions. Its error is half the distance of the quantiles at cl -+ the error of cl.
CountedFraction critical(const std::vector<double>& ascending, double level) {
  const auto n = static_cast<double>(ascending.size());
  const auto at = [&](double part) {
    const double rank = std::clamp(std::ceil(part * n - 1e-9) - 1, 0.0, n - 1);
    return ascending[static_cast<std::size_t>(rank)];
  };
  const double spread = std::sqrt(level * (1 - level) / n);
  return {at(level), (at(level + spread) - at(level - spread)) / 2};
}

class Construction {
 public:
  Construction(const FeldmanCousinsOptions& options, Setup setup, std::size_t parameter)
      : options_(options),
        setup_(std::move(setup)),
        parameter_(parameter),
        name_(setup_.model.parameters()[parameter].name),
        calls_(options.toys, options.run, bytes_per_toy(setup_)) {}

  Result<FeldmanCousinsResult> run() {
    TRY(BestFit best, find_best_fit(setup_, true));
    best_ = std::move(best);
    describe();
    if (!result_.converged) return std::move(result_);
    TRY(std::vector<double> values, first_values());
    calls_.plan(values.size() * options_.toys.n_toys);
    TRY_DO(visit(values));
    for (std::size_t round = 0; round < options_.refinements && !result_.interrupted; ++round) {
      const std::vector<double> wanted = refinements();
      if (wanted.empty()) break;
      calls_.plan(wanted.size() * options_.toys.n_toys);
      TRY_DO(visit(wanted));
    }
    finish();
    return std::move(result_);
  }

 private:
  void describe() {
    result_.parameter = parameter_;
    result_.confidence_level = options_.confidence_level;
    result_.bestfit = best_.minimum.parameters[parameter_];
    result_.nll = best_.minimum.nll;
    result_.lower = result_.upper = result_.lower_error = result_.upper_error = kNoValue;
    result_.seed = options_.toys.seed;
    result_.converged = best_.minimum.converged();
    result_.interrupted = best_.minimum.termination == Termination::Interrupted;
    result_.warnings = setup_.model.warnings();
    if (!result_.converged)
      result_.warnings.push_back(result_.interrupted ? "interrupted before the best fit was found"
                                                     : "no interval: the best fit did not converge");
    result_.device = setup_.device;
    result_.instruction_set = setup_.session->traits().instruction_set;
  }

  Result<std::vector<double>> first_values() {
    const double low = setup_.bounds.low[parameter_], high = setup_.bounds.high[parameter_];
    for (std::size_t i = 0; i < options_.values.size(); ++i) {
      const double value = options_.values[i];
      if (!std::isfinite(value) || (i > 0 && !(value > options_.values[i - 1])))
        return usage(Field::TestedValues, "the values to test are not in ascending order",
                     "choose a start below the stop");
      if (value < low || value > high)
        return usage(
            Field::TestedValues,
            fmt::format("{} = {:.6g} is outside its bounds [{:.6g}, {:.6g}]", name_, value, low, high),
            {"give values within them, or widen them", {Field::TestedValues, Field::Bounds}});
    }
    if (!options_.values.empty()) return options_.values;
    return default_values();
  }

  // To where the profile likelihood is kSigmasBeyond past the level, or to the bounds.
  Result<std::vector<double>> default_values() {
    const double z = normal_quantile_of_tail((1 - options_.confidence_level) / 2) + kSigmasBeyond;
    const Crossing wanted[] = {{parameter_, Side::Lower, z * z}, {parameter_, Side::Upper, z * z}};
    TRY(const std::vector<CrossingResult> found, find_crossings(setup_, best_, wanted));
    std::array<double, 2> ends = {setup_.bounds.low[parameter_], setup_.bounds.high[parameter_]};
    for (std::size_t i = 0; i < 2; ++i) {
      const CrossingStatus status = found[i].status;
      if (status == CrossingStatus::Interrupted) result_.interrupted = true;
      if (status == CrossingStatus::Found) ends[i] = found[i].value;
    }
    if (!(ends[0] < ends[1])) return std::vector<double>{result_.bestfit};
    return even_spacing(ends[0], ends[1], kFeldmanCousinsValues);
  }

  Result<void> visit(const std::vector<double>& values) {
    std::vector<ProfilePoint> wanted;
    for (const double value : values) wanted.push_back({.fixed = {{parameter_, value}}});
    std::vector<Minimum> minima(values.size());
    auto fitted =
        search_profile(setup_, best_, wanted, wanted.size(), {},
                       [&](std::size_t i, Basins&& basins) { minima[i] = std::move(basins.minima.front()); });
    if (!fitted) return fitted.errors();
    for (std::size_t i = 0; i < values.size() && !result_.interrupted; ++i) {
      if (minima[i].termination == Termination::Interrupted) {
        result_.interrupted = true;
        break;
      }
      TRY_DO(add_point(values[i], minima[i]));
    }
    std::sort(result_.points.begin(), result_.points.end(),
              [](const FeldmanCousinsPoint& a, const FeldmanCousinsPoint& b) { return a.value < b.value; });
    return {};
  }

  Result<void> add_point(double value, const Minimum& fitted) {
    FeldmanCousinsPoint point;
    point.value = value;
    point.converged = fitted.converged() || fitted.termination == Termination::NotFinite;
    point.q = std::max(0.0, 2 * (fitted.nll - best_.minimum.nll));
    if (!point.converged) failures_.push_back(value);
    if (is_better_minimum(best_.minimum, fitted))
      result_.warnings.push_back(better_minimum_warning(best_, name_, value, fitted.nll));
    // Where the data are impossible there is no fit to draw from, and no need to.
    if (!std::isfinite(fitted.nll)) {
      point.q_critical = point.q_critical_error = point.p_value_error = kNoValue;
      result_.points.push_back(point);
      ++hypothesis_;
      return {};
    }
    TRY(ToyEnsemble ensemble, ToyEnsemble::make(setup_, parameter_,
                                                {options_.toys.seed, hypothesis_++, fitted.parameters,
                                                 options_.toys.fixed_auxiliary}));
    const std::string truth = fmt::format("{} = {:.6g}", name_, value);
    warn_about_negative_bins(ensemble, truth, result_.warnings);
    sampled_.push_back(ensemble.sampled_free(truth));
    TRY(const bool counted, count(ensemble, point));
    if (counted) result_.points.push_back(point);
    return {};
  }

  // False: interrupted, and the point is dropped.
  Result<bool> count(ToyEnsemble& ensemble, FeldmanCousinsPoint& point) {
    ToyTails tails(point.q, false, false);
    std::vector<double> all;
    const Result<std::size_t> done =
        calls_.run(0, options_.toys.n_toys, [&](std::uint64_t first, std::size_t toys) -> Result<bool> {
          Result<ToyBatch> batch = ensemble.fit(first, toys);
          if (!batch) return batch.errors();
          if (batch->interrupted) return false;
          TRY(const std::vector<ToyTest> tests, ensemble.test(*batch, TestStatistic::T, point.value));
          if (batch->interrupted) return false;
          for (const ToyTest& test : tests) {
            tails.add(ToyTails::kTested, test.q, test.status);
            if (test.status == ToyStatus::Converged) all.push_back(test.q);
          }
          return true;
        });
    if (!done) return done.errors();
    result_.interrupted = calls_.interrupted();
    if (result_.interrupted) return false;
    point.n_toys = tails.toys(ToyTails::kTested);
    point.n_error = tails.without_likelihood(ToyTails::kTested);
    point.n_nonconverged = tails.not_converged(ToyTails::kTested);
    point.p_value = tails.observed().clsb;
    point.p_value_error = tails.observed().clsb_error;
    std::sort(all.begin(), all.end());
    const CountedFraction limit =
        all.empty() ? CountedFraction{kNoValue, kNoValue} : critical(all, options_.confidence_level);
    point.q_critical = limit.value;
    point.q_critical_error = limit.error;
    // Fits of the same data agree to rounding only.
    point.inside = point.q <= limit.value + 1e-8 * (1 + limit.value);
    return true;
  }

  double range() const { return result_.points.back().value - result_.points.front().value; }

  std::vector<double> refinements() const {
    std::vector<double> wanted;
    for (const auto& bracket : {lower_bracket(result_.points, options_.confidence_level),
                                upper_bracket(result_.points, options_.confidence_level)}) {
      if (!bracket) continue;
      if (const std::optional<double> value = refined(*bracket, kNarrow * range())) wanted.push_back(*value);
    }
    return wanted;
  }

  void finish() {
    std::size_t without_likelihood = 0, not_converged = 0;
    for (const FeldmanCousinsPoint& point : result_.points) {
      result_.n_toys += point.n_toys;
      without_likelihood += point.n_error;
      not_converged += point.n_nonconverged;
      if (too_many_failed(point.n_toys, point.n_error, point.n_nonconverged)) result_.converged = false;
    }
    warn_about_minima(sampled_, result_.warnings);
    warn_about_failures(result_.n_toys, without_likelihood, not_converged, result_.warnings);
    if (!failures_.empty()) {
      result_.converged = false;
      result_.warnings.push_back(fmt::format("the fit with {} = {:.6g} did not converge{}", name_,
                                             failures_.front(),
                                             failures_.size() > 1 ? ", nor did others" : ""));
    }
    if (result_.interrupted)
      result_.warnings.push_back("interrupted: the interval is that of the values tested so far");
    if (has_gap(result_.points))
      result_.warnings.push_back(
          "some values between those inside are outside; lower and upper are the outermost ends (this can be "
          "chance with few toys: use more)");
    set_end(lower_bracket(result_.points, options_.confidence_level), setup_.bounds.low[parameter_], true);
    set_end(upper_bracket(result_.points, options_.confidence_level), setup_.bounds.high[parameter_], false);
  }

  void set_end(const std::optional<EndBracket>& bracket, double bound, bool lower) {
    double& value = lower ? result_.lower : result_.upper;
    IntervalEnd& end = lower ? result_.lower_end : result_.upper_end;
    const auto& points = result_.points;
    const bool any = std::any_of(points.begin(), points.end(), [](const auto& p) { return p.inside; });
    if (bracket) {
      value = bracket->value;
      // The end may be anywhere between the two where q_critical jumps.
      const double width = bracket->outside->value - bracket->inside->value;
      (lower ? result_.lower_error : result_.upper_error) =
          std::hypot(bracket->error, width / std::sqrt(12.0));
      end = IntervalEnd::Found;
    } else if (any && (lower ? points.front().value <= bound : points.back().value >= bound)) {
      value = bound;
      end = IntervalEnd::Bound;
      result_.warnings.push_back(fmt::format("the interval of {} ends at its {} bound {:.6g}", name_,
                                             lower ? "lower" : "upper", bound));
    } else if (any) {
      end = IntervalEnd::Open;
      result_.warnings.push_back(
          fmt::format("no {} end: {} = {:.6g}, the {} value tested, is inside; {}", lower ? "lower" : "upper",
                      name_, lower ? points.front().value : points.back().value,
                      lower ? "smallest" : "largest", lower ? "test smaller values" : "test larger values"));
    } else if (lower && !points.empty()) {
      result_.warnings.push_back("none of the tested values is inside: test others");
    }
  }

  const FeldmanCousinsOptions& options_;
  Setup setup_;
  std::size_t parameter_;
  std::string name_;
  ToyCalls calls_;
  BestFit best_;
  FeldmanCousinsResult result_;
  std::vector<SampledToys> sampled_;  // of every value's toys
  std::vector<double> failures_;
  std::uint32_t hypothesis_ = 0;
};

}  // namespace

const char* to_string(IntervalEnd end) {
  switch (end) {
    case IntervalEnd::Found:
      return "found";
    case IntervalEnd::Bound:
      return "bound";
    case IntervalEnd::Open:
      return "open";
    case IntervalEnd::Missing:
      break;
  }
  return "missing";
}

namespace {

// Two fits of every toy at the values to begin with and those that are added.
WorkEstimate work_of(const FeldmanCousinsOptions& options) {
  const std::size_t values =
      (options.values.empty() ? kFeldmanCousinsValues : options.values.size()) + 2 * options.refinements;
  return {.fits = 2.0 * static_cast<double>(values * options.toys.n_toys)};
}

}  // namespace

Result<FeldmanCousinsResult> feldman_cousins(const Model& model, const FeldmanCousinsOptions& options) {
  if (!(options.confidence_level > 0 && options.confidence_level < 1))
    return usage(Field::ConfidenceLevel,
                 fmt::format("the confidence level {} is not between 0 and 1", options.confidence_level),
                 "give a level such as 0.6827 or 0.95");
  if (options.toys.n_toys == 0) return usage(Field::NToys, "the number of toys is 0", "use at least one");
  Result<Setup> setup = make_setup(model, options.run, work_of(options));
  if (!setup) return setup.errors();
  setup->options.on_progress = {};
  TRY(const std::size_t parameter, parameter_named(setup->model, options.parameter));
  if (setup->fixed[parameter])
    return usage(Field::Parameter,
                 fmt::format("\"{}\" is fixed: it has no interval", model.parameters()[parameter].name),
                 "name a parameter that is free in the fit");
  return Construction(options, std::move(*setup), parameter).run();
}

}  // namespace nextstat

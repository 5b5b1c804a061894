#include <nextstat/ranking.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/profile/profile.h"
#include "infer/profile/ranking_groups.h"
#include "infer/profile/warnings.h"
#include "infer/setup/parameter_names.h"

namespace nextstat {
namespace {

constexpr Named<Impact> kImpacts[] = {{"postfit", Impact::Postfit}, {"prefit", Impact::Prefit}};

// One conditional fit and the number of an entry that it gives.
struct ImpactFit {
  std::size_t entry;
  double RankingEntry::*impact;
};

// How a conditional fit ended.
struct Impacted {
  Termination termination = Termination::Interrupted;
  double nll = 0, poi = 0;
  std::size_t iterations = 0;
};

// Other minima of the best fit that conditional fits begin at: how many, and how much higher.
constexpr std::size_t kMostOthers = 5;
constexpr double kReach = 5;

class Ranker {
 public:
  Ranker(const Setup& setup, const BestFit& best, const RankingOptions& options, RankingResult& result)
      : setup_(setup), best_(best), options_(options), result_(result) {}

  Result<void> run() {
    TRY(std::vector<char> ranked, chosen());
    for (std::size_t i = 0; i < setup_.fixed.size(); ++i) {
      if (ranked[i] && !setup_.fixed[i] && i != result_.poi) add_entry(i);
    }
    TRY_DO(fit_all());
    keep_finished();
    sort();
    warn();
    return {};
  }

 private:
  // [parameter] those that the options name. Named ones that cannot be ranked are said.
  Result<std::vector<char>> chosen() const {
    std::vector<char> ranked(setup_.fixed.size(), options_.parameters.empty());
    std::vector<std::string> without_rank;
    Errors errors;
    const ParameterNames names(setup_.model);
    for (const std::string& entry : options_.parameters) {
      const Result<std::vector<std::size_t>> members = names.all_of(entry, Field::RankedParameters);
      if (!members) {
        errors.insert(errors.end(), members.errors().begin(), members.errors().end());
        continue;
      }
      for (const std::size_t i : *members) {
        ranked[i] = 1;
        if (setup_.fixed[i] || i == result_.poi) without_rank.push_back(name(i));
      }
    }
    if (!errors.empty()) return errors;
    if (!without_rank.empty())
      result_.warnings.push_back("not ranked, because fixed or the parameter of interest: " +
                                 list(without_rank));
    return ranked;
  }

  void add_entry(std::size_t i) {
    const double fit = best_.minimum.parameters[i], sigma = postfit_sigma(best_, i);
    const Prefit before = prefit(setup_.model.parameters()[i]);
    RankingEntry entry{.parameter = i};
    entry.impact_up = entry.impact_down = entry.impact_up_prefit = entry.impact_down_prefit = kNoValue;
    entry.pull = (fit - before.center) / before.sigma;
    entry.constraint = sigma / before.sigma;
    entry.sigma = std::isfinite(sigma)          ? SigmaSource::Postfit
                  : std::isfinite(before.sigma) ? SigmaSource::Prefit
                                                : SigmaSource::None;
    entry.converged = true;
    result_.entries.push_back(entry);
    const std::size_t fits_before = fits_.size();
    const double step = entry.sigma == SigmaSource::Postfit ? sigma : before.sigma;
    if (entry.sigma != SigmaSource::None) {
      add_fit(i, fit + step, &RankingEntry::impact_up);
      add_fit(i, fit - step, &RankingEntry::impact_down);
    }
    if (std::isfinite(before.sigma)) {
      add_fit(i, before.center + before.sigma, &RankingEntry::impact_up_prefit);
      add_fit(i, before.center - before.sigma, &RankingEntry::impact_down_prefit);
    }
    take_known(fits_before);
  }

  // The last entry, if its impacts are known: they are counted, its fits are not done again.
  void take_known(std::size_t fits_before) {
    RankingEntry& entry = result_.entries.back();
    const auto known =
        std::find_if(options_.known.begin(), options_.known.end(),
                     [&](const RankingEntry& other) { return other.parameter == entry.parameter; });
    if (known == options_.known.end()) return;
    const double pull = entry.pull, constraint = entry.constraint;
    const SigmaSource sigma = entry.sigma;
    entry = *known;
    entry.pull = pull;
    entry.constraint = constraint;
    entry.sigma = sigma;
    result_.fits += fits_.size() - fits_before;
    result_.iterations += entry.iterations;
    fits_.resize(fits_before);
    points_.resize(fits_before);
  }

  void add_fit(std::size_t parameter, double value, double RankingEntry::*impact) {
    const double clipped = std::clamp(value, setup_.bounds.low[parameter], setup_.bounds.high[parameter]);
    points_.push_back({{{parameter, clipped}}});
    fits_.push_back({result_.entries.size() - 1, impact});
  }

  Result<void> fit_all() {
    finished_.assign(result_.entries.size(), best_.minimum.termination != Termination::Interrupted);
    const ProfileProgress progress{options_.run.on_progress, 1, 1 + points_.size()};
    std::vector<Impacted> impacted(points_.size());
    auto fitted = fit_profile(setup_, best_, points_, progress,
                              [&](std::size_t i, Minimum&& minimum) { impacted[i] = impact_of(minimum); });
    // Where the best fit has other minima near it, each fit also begins at these.
    for (std::size_t k = 0; fitted && k < std::min(kMostOthers, best_.others.size()); ++k) {
      if (best_.others[k].nll - best_.minimum.nll > kReach) break;
      fitted = fit_profile(setup_, best_, points_near(best_.others[k]), {},
                           [&](std::size_t i, Minimum&& minimum) { improve(impacted[i], minimum); });
    }
    if (!fitted) return fitted;
    for (std::size_t i = 0; i < impacted.size(); ++i) take(i, impacted[i]);
    return {};
  }

  Impacted impact_of(const Minimum& minimum) const {
    Impacted impacted{minimum.termination, minimum.nll, kNoValue, minimum.iterations};
    // A fit that was not begun has no parameters.
    if (std::isfinite(minimum.nll) && !minimum.parameters.empty())
      impacted.poi = minimum.parameters[result_.poi];
    return impacted;
  }

  void improve(Impacted& known, const Minimum& minimum) const {
    known.iterations += minimum.iterations;
    if (!minimum.converged() || !(minimum.nll < known.nll) || same_nll(minimum.nll, known.nll)) return;
    const std::size_t iterations = known.iterations;
    known = impact_of(minimum);
    known.iterations = iterations;
  }

  std::vector<ProfilePoint> points_near(const Minimum& other) const {
    std::vector<ProfilePoint> points = points_;
    for (ProfilePoint& point : points) point.start = profile_start_near(setup_, best_, other, point.fixed);
    return points;
  }

  void take(std::size_t i, const Impacted& fitted) {
    RankingEntry& entry = result_.entries[fits_[i].entry];
    if (fitted.termination == Termination::Interrupted) {
      finished_[fits_[i].entry] = 0;
      return;
    }
    ++result_.fits;
    entry.iterations += fitted.iterations;
    result_.iterations += fitted.iterations;
    entry.converged = entry.converged && has_converged(fitted.termination);
    // + 0.0: a POI that stays at a bound of 0 may come back as -0.
    if (std::isfinite(fitted.nll)) entry.*fits_[i].impact = fitted.poi - result_.mu_hat + 0.0;
    if (!is_better_nll(best_.minimum.nll, fitted.nll) || entry.lower_nll <= fitted.nll) return;
    entry.lower_nll = fitted.nll;
    entry.lower_at = points_[i].fixed[0].value;
  }

  void keep_finished() {
    std::vector<RankingEntry> kept;
    for (std::size_t i = 0; i < result_.entries.size(); ++i) {
      if (finished_[i]) kept.push_back(result_.entries[i]);
    }
    result_.interrupted = kept.size() < result_.entries.size();
    result_.entries = std::move(kept);
  }

  // -1 where there is no impact: these come last.
  double size_of(const RankingEntry& entry) const {
    const bool after = options_.impact == Impact::Postfit;
    const double up = after ? entry.impact_up : entry.impact_up_prefit;
    const double down = after ? entry.impact_down : entry.impact_down_prefit;
    return std::fmax(-1.0, std::fmax(std::abs(up), std::abs(down)));
  }

  void sort() {
    std::stable_sort(result_.entries.begin(), result_.entries.end(),
                     [&](const RankingEntry& a, const RankingEntry& b) { return size_of(a) > size_of(b); });
  }

  void warn() {
    warn_about(SigmaSource::Prefit,
               "at a bound or kink, without a post-fit sigma (their pre-fit sigma is used instead)");
    warn_about(SigmaSource::None, "neither a post-fit nor a pre-fit sigma, so no post-fit impact");
    std::vector<std::string> failed;
    for (const RankingEntry& entry : result_.entries) {
      if (!entry.converged) failed.push_back(name(entry.parameter));
    }
    if (!failed.empty()) result_.warnings.push_back("not all fits converged: " + list(failed));
    warn_about_lower_minimum();
  }

  void warn_about_lower_minimum() {
    const RankingEntry* lowest = nullptr;
    const auto comes_first = [](const RankingEntry& a, const RankingEntry& b) {
      return a.lower_nll < b.lower_nll || (a.lower_nll == b.lower_nll && a.parameter < b.parameter);
    };
    for (const RankingEntry& entry : result_.entries) {
      if (std::isfinite(entry.lower_nll) && (!lowest || comes_first(entry, *lowest))) lowest = &entry;
    }
    if (lowest)
      result_.warnings.push_back(
          better_minimum_warning(best_, name(lowest->parameter), lowest->lower_at, lowest->lower_nll));
  }

  void warn_about(SigmaSource source, const char* what) {
    std::vector<std::string> names;
    for (const RankingEntry& entry : result_.entries) {
      if (entry.sigma == source) names.push_back(name(entry.parameter));
    }
    if (!names.empty()) result_.warnings.push_back(fmt::format("{}: {}", what, list(names)));
  }

  static std::string list(std::vector<std::string> names) {
    constexpr std::size_t kMost = 8;
    const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
    names.resize(names.size() - more);
    return fmt::format("{}{}", fmt::join(names, ", "), more ? fmt::format(" and {} more", more) : "");
  }

  const std::string& name(std::size_t i) const { return setup_.model.parameters()[i].name; }

  const Setup& setup_;
  const BestFit& best_;
  const RankingOptions& options_;
  RankingResult& result_;
  std::vector<ProfilePoint> points_;
  std::vector<ImpactFit> fits_;  // [point]
  std::vector<char> finished_;   // [entry before sorting]
};

Result<std::size_t> free_poi(const Setup& setup) {
  Result<std::size_t> poi = parameter_named(setup.model, "");
  if (poi && setup.fixed[*poi])
    return Error{ErrorCode::BadUsage,
                 Field::Poi,
                 fmt::format("the parameter of interest \"{}\" is fixed: nothing can move it",
                             setup.model.parameters()[*poi].name),
                 {"leave it free, or choose another", {Field::Poi}}};
  return poi;
}

Result<void> add_groups(const Setup& setup, const BestFit& best, const RankingOptions& options,
                        RankingResult& result) {
  Errors errors;
  for (const RankingGroup& group : options.groups) {
    const Result<std::vector<std::size_t>> members = group_members(setup, group, result.poi, result.warnings);
    if (members) {
      result.groups.push_back({group.name, members->size(), group_impact(best, result.poi, *members)});
    } else {
      errors.insert(errors.end(), members.errors().begin(), members.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  return {};
}

void describe_best_fit(const Setup& setup, const BestFit& best, RankingResult& result) {
  result.mu_hat = best.minimum.parameters[result.poi];
  result.mu_sigma = postfit_sigma(best, result.poi);
  result.nll_hat = best.minimum.nll;
  result.fits = 1;
  result.iterations = best.minimum.iterations;
  result.warnings = warnings_of(setup.model, best);
  best.log.tell(setup.model, result);
  result.device = setup.device;
  result.instruction_set = setup.session->traits().instruction_set;
  if (!best.minimum.converged())
    result.warnings.push_back("the best fit did not converge: impacts are shifts from where it stopped");
  if (std::isnan(result.mu_sigma))
    result.warnings.push_back(
        fmt::format("{} = {:.6g} has no post-fit sigma (at a bound, or not constrained by the data): impacts "
                    "may be one-sided, group impacts are undefined",
                    setup.model.parameters()[result.poi].name, result.mu_hat));
}

}  // namespace

NameTable<Impact> impacts() { return kImpacts; }
const char* to_string(Impact impact) { return name_in(impacts(), impact); }

Result<Impact> parse_impact(std::string_view name) {
  return value_named(name, impacts(), "an impact to sort by", Field::Impact);
}

const char* to_string(SigmaSource source) {
  switch (source) {
    case SigmaSource::Postfit:
      return "postfit";
    case SigmaSource::Prefit:
      return "prefit";
    case SigmaSource::None:
      break;
  }
  return "none";
}

Result<RankingResult> ranking(const Model& model, const RankingOptions& options) {
  RunOptions quiet = options.run;
  quiet.on_progress = {};
  TRY(const Setup setup,
      make_setup(model, quiet, {.fits = 1 + 4 * static_cast<double>(model.n_parameters())}));
  TRY(const std::size_t poi, free_poi(setup));
  TRY(const BestFit best, find_best_fit(setup, true));
  RankingResult result;
  result.poi = poi;
  result.impact = options.impact;
  describe_best_fit(setup, best, result);
  TRY_DO(add_groups(setup, best, options, result));
  TRY_DO(Ranker(setup, best, options, result).run());
  if (result.interrupted) result.warnings.push_back("interrupted: the entries that were finished are given");
  result.converged = best.minimum.converged() && !result.interrupted &&
                     std::all_of(result.entries.begin(), result.entries.end(),
                                 [](const RankingEntry& entry) { return entry.converged; });
  if (options.top > 0 && result.entries.size() > options.top) result.entries.resize(options.top);
  return result;
}

}  // namespace nextstat

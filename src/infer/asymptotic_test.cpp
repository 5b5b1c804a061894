#include "infer/asymptotic_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/none.h"
#include "infer/best_fit.h"
#include "infer/test_statistic.h"
#include "infer/warnings.h"

namespace nextstat {
namespace {

std::string fit_name(const std::string& poi, double mu, bool asimov) {
  return fmt::format("the fit at {} = {:.6g} to the {}", poi, mu, asimov ? "Asimov data" : "data");
}

// A test statistic may rest on it: an infinite NLL is an answer, a fit that did not converge is none.
bool is_settled(const Minimum& minimum) {
  return minimum.converged() || minimum.termination == Termination::NotFinite;
}

Error fixed_poi(const Parameter& poi) {
  return {ErrorCode::BadInput, "--poi", fmt::format("the parameter of interest \"{}\" is fixed", poi.name),
          "a test needs it free: remove \"fixed\" from its entry in the measurement or its --fixed, or "
          "choose another with --poi NAME"};
}

}  // namespace

Result<AsymptoticTest> AsymptoticTest::prepare(const Model& model, const RunOptions& options,
                                               const TestKind& kind, const Work& work) {
  Result<Setup> setup = make_setup(model, options, work);
  if (!setup) return setup.errors();
  const Result<std::size_t> poi = setup->parameter("");
  if (!poi) return poi.errors();
  if (setup->fixed[*poi]) return fixed_poi(model.parameters()[*poi]);
  AsymptoticTest test(std::move(*setup), *poi, kind);
  std::swap(test.report_, test.setup_.options.on_progress);  // whole tests are counted, not batches
  if (auto done = test.fit_free(); !done) return done.errors();
  if (test.interrupted_) return test;
  if (auto done = test.make_asimov(); !done) return done.errors();
  return test;
}

void AsymptoticTest::count(const Minimum& minimum, const std::string& which) {
  ++fits_;
  iterations_ += minimum.iterations;
  if (minimum.termination == Termination::Interrupted) interrupted_ = true;
  if (minimum.termination == Termination::NotConverged) failures_.push_back(which);
  while (fits_ > expected_fits_) expected_fits_ += expected_fits_ / 2;
  if (report_) report_(fits_, expected_fits_);
}

Result<std::monostate> AsymptoticTest::fit_free() {
  Result<BestFit> best = find_best_fit(setup_, true);
  if (!best) return best.errors();
  setup_.start = best->start;
  flat_ = flat_direction_warnings(setup_.model, best->covariance);
  about_start_ = best->warnings;
  free_ = std::move(best->minimum);
  count(free_, "the free fit to the data");
  return std::monostate{};
}

// Asimov data are what the model expects at the fit to the data with the POI fixed. In their own likelihood
// every term is then at its minimum, so that point is the free fit too, as long as the POI may be there.
Result<std::monostate> AsymptoticTest::make_asimov() {
  const Wanted source{kData, asimov_mu()};
  if (auto done = fit({&source, 1}); !done || interrupted_) return done;
  const Minimum& fitted = conditionals_[kData].at(asimov_mu()).minimum;
  if (!std::isfinite(fitted.nll)) return std::monostate{};
  Result<EvalOutput> expected = setup_.session->evaluate({.parameters = fitted.parameters, .expected = true});
  if (!expected) return expected.errors();
  asimov_ = std::move(expected->expected);
  for (std::size_t i = 0; i < setup_.model.n_bins(); ++i) {
    if (asimov_[i] >= 0) continue;
    asimov_[i] = 0;
    ++clipped_bins_;
  }
  asimov_free_ = fitted;
  if (clipped_bins_ > 0 || asimov_mu() < poi_low() || asimov_mu() > poi_high()) return fit_asimov_free();
  const Result<EvalOutput> at = setup_.session->evaluate({.parameters = fitted.parameters, .data = asimov_});
  if (!at) return at.errors();
  asimov_free_.nll = at->nll[0];
  conditionals_[kAsimov].emplace(asimov_mu(), Conditional{asimov_free_, 0.0});
  return std::monostate{};
}

Result<std::monostate> AsymptoticTest::fit_asimov_free() {
  RowBatch batch = setup_.batch();
  batch.data = {asimov_};
  batch.starts.push_back(asimov_free_.parameters);
  batch.starts[1][poi_] = std::clamp(batch.starts[1][poi_], poi_low(), poi_high());
  batch.metric_at = batch.starts[1];
  batch.rows = {Row{.start = 1}};
  Result<std::vector<Minimum>> minima = setup_.solve(batch);
  if (!minima) return minima.errors();
  asimov_free_ = std::move(minima->front());
  count(asimov_free_, "the free fit to the Asimov data");
  return std::monostate{};
}

// A straight line in mu through the two nearest fits, within the bounds.
std::vector<double> AsymptoticTest::start_at(Source source, double mu) const {
  const Minimum& free = source == kData ? free_ : asimov_free_;
  std::map<double, const std::vector<double>*> known = {{free.parameters[poi_], &free.parameters}};
  for (const auto& [value, conditional] : conditionals_[source]) {
    if (std::isfinite(conditional.minimum.nll)) known.emplace(value, &conditional.minimum.parameters);
  }
  auto above = known.lower_bound(mu);
  if (above == known.end()) --above;
  if (above == known.begin() && std::next(above) != known.end()) ++above;
  const auto below = above == known.begin() ? above : std::prev(above);
  std::vector<double> start = *above->second;
  const double width = above->first - below->first;
  // Far from what is known a straight line leads astray.
  const double steps = width > 0 ? std::clamp((mu - above->first) / width, -2.0, 2.0) : 0.0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (setup_.fixed[i]) continue;
    start[i] = moved_within_bounds(setup_, i, start[i], start[i] + steps * (start[i] - (*below->second)[i]));
  }
  start[poi_] = mu;
  return start;
}

// Start 0 is the model's own, the others lie on the line through known fits. Every fit begins at the model's
// start: where a likelihood has several minima, what a test finds must not depend on the values tested
// before.
RowBatch AsymptoticTest::batch_of(std::span<const Wanted> wanted) const {
  RowBatch batch = setup_.batch();
  batch.starts[0][poi_] = std::clamp(batch.starts[0][poi_], poi_low(), poi_high());
  if (!asimov_.empty()) batch.data.push_back(asimov_);
  for (const Wanted& one : wanted) {
    batch.rows.push_back(Row{.data = one.source, .start = 0, .fixed = {{poi_, one.mu}}});
    batch.starts.push_back(start_at(one.source, one.mu));
  }
  return batch;
}

Result<std::monostate> AsymptoticTest::fit(std::span<const Wanted> wanted) {
  if (wanted.empty() || interrupted_) return std::monostate{};
  Result<std::vector<Minimum>> minima = setup_.solve(batch_of(wanted));
  if (!minima) return minima.errors();
  if (auto done = fit_again(wanted, *minima); !done) return done;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [source, mu] = wanted[i];
    const std::string name = fit_name(poi_name(), mu, source == kAsimov);
    count((*minima)[i], name);
    if (!(*minima)[i].began_at.empty()) began_elsewhere_.push_back(name);
    if ((*minima)[i].termination != Termination::Interrupted)
      conditionals_[source].emplace(mu, Conditional{std::move((*minima)[i]), kNone});
  }
  return improve_free();
}

// Fits that did not converge, or have no finite NLL at the start, start once more near the fits that are
// known.
Result<std::monostate> AsymptoticTest::fit_again(std::span<const Wanted> wanted,
                                                 std::vector<Minimum>& minima) {
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Termination end = minima[i].termination;
    if (end == Termination::NotConverged || end == Termination::NotFinite) again.push_back(i);
  }
  if (again.empty()) return std::monostate{};
  RowBatch batch = batch_of(wanted);
  for (std::size_t k = 0; k < again.size(); ++k) {
    batch.rows[k] = batch.rows[again[k]];
    batch.rows[k].start = 1 + again[k];
  }
  batch.rows.resize(again.size());
  Result<std::vector<Minimum>> second = setup_.solve(batch);
  if (!second) return second.errors();
  for (std::size_t k = 0; k < again.size(); ++k) {
    Minimum& first = minima[again[k]];
    (*second)[k].iterations += first.iterations;
    if ((*second)[k].converged() || (*second)[k].nll < first.nll) first = std::move((*second)[k]);
  }
  return std::monostate{};
}

// A fit with the POI fixed at an allowed value that goes below the free fit found a better minimum: the free
// fit starts again from there.
Result<std::monostate> AsymptoticTest::improve_free() {
  const Minimum* best = &free_;
  for (const auto& [mu, conditional] : conditionals_[kData]) {
    const bool allowed = mu >= poi_low() && mu <= poi_high();
    if (allowed && conditional.minimum.nll < best->nll) best = &conditional.minimum;
  }
  if (!is_better_minimum(free_, *best)) return std::monostate{};
  RowBatch batch = setup_.batch();
  batch.starts.push_back(best->parameters);
  batch.metric_at = batch.starts[1];
  batch.rows = {Row{.start = 1}};
  Result<std::vector<Minimum>> minima = setup_.solve(batch);
  if (!minima) return minima.errors();
  count(minima->front(), "the second free fit to the data");
  second_minimum_ = true;
  if (minima->front().nll < free_.nll) free_ = std::move(minima->front());
  return std::monostate{};
}

Result<std::monostate> AsymptoticTest::add_slopes(std::span<const Wanted> wanted) {
  std::vector<double> parameters, data = setup_.data;
  std::vector<std::size_t> data_of_row;
  std::vector<Conditional*> targets;
  data.insert(data.end(), asimov_.begin(), asimov_.end());
  for (const auto& [source, mu] : wanted) {
    const auto found = conditionals_[source].find(mu);
    if (found == conditionals_[source].end() || !std::isnan(found->second.slope)) continue;
    const std::vector<double>& at = found->second.minimum.parameters;
    parameters.insert(parameters.end(), at.begin(), at.end());
    data_of_row.push_back(source);
    targets.push_back(&found->second);
  }
  if (targets.empty()) return std::monostate{};
  const Result<EvalOutput> output = setup_.session->evaluate({.parameters = parameters,
                                                              .rows = targets.size(),
                                                              .data = data,
                                                              .data_of_row = data_of_row,
                                                              .gradient = true});
  if (!output) return output.errors();
  for (std::size_t i = 0; i < targets.size(); ++i)
    targets[i]->slope = output->gradient[i * setup_.fixed.size() + poi_];
  return std::monostate{};
}

Result<std::monostate> AsymptoticTest::visit(std::span<const double> mus, bool slopes) {
  std::vector<Wanted> wanted, all;
  for (const double mu : std::set<double>(mus.begin(), mus.end())) {
    for (const Source source : {kData, kAsimov}) {
      if (source == kAsimov && asimov_.empty()) continue;
      all.push_back({source, mu});
      if (!conditionals_[source].contains(mu)) wanted.push_back({source, mu});
    }
  }
  if (auto done = fit(wanted); !done) return done;
  return slopes ? add_slopes(all) : std::monostate{};
}

double AsymptoticTest::statistic_at(Source source, double mu) const {
  const auto found = conditionals_[source].find(mu);
  if (found == conditionals_[source].end()) return kNone;
  const Minimum& free = source == kData ? free_ : asimov_free_;
  if (!is_settled(free) || !is_settled(found->second.minimum)) return kNone;
  TestNlls nlls{mu, free.parameters[poi_], found->second.minimum.nll, free.nll, free.nll};
  TestStatistic statistic = kind_.statistic;
  if (statistic == TestStatistic::Qtilde && kind_.qtilde_as_pyhf) statistic = TestStatistic::Q;
  if (const auto zero = conditionals_[source].find(0.0); zero != conditionals_[source].end())
    nlls.at_zero = is_settled(zero->second.minimum) ? zero->second.minimum.nll : kNone;
  return test_statistic(statistic, nlls);
}

// q = 2 NLL(mu) - ..., and the other parameters are at their minimum: d q / d mu = 2 d NLL / d POI.
double AsymptoticTest::slope_at(Source source, double mu) const {
  const auto found = conditionals_[source].find(mu);
  if (found == conditionals_[source].end()) return kNone;
  return statistic_at(source, mu) > 0 ? 2 * found->second.slope : 0.0;
}

const Minimum* AsymptoticTest::data_fit(double mu) const {
  const auto found = conditionals_[kData].find(mu);
  return found == conditionals_[kData].end() ? nullptr : &found->second.minimum;
}

TestPoint AsymptoticTest::at(double mu) const {
  TestPoint point{
      mu,  statistic_at(kData, mu), slope_at(kData, mu), statistic_at(kAsimov, mu), slope_at(kAsimov, mu),
      true};
  for (const Conditionals& conditionals : conditionals_) {
    const auto found = conditionals.find(mu);
    point.converged = point.converged && found != conditionals.end() && is_settled(found->second.minimum);
  }
  return point;
}

std::vector<double> AsymptoticTest::visited() const {
  std::vector<double> mus;
  for (const auto& [mu, conditional] : conditionals_[kData]) {
    if (conditionals_[kAsimov].contains(mu)) mus.push_back(mu);
  }
  return mus;
}

std::vector<std::string> AsymptoticTest::warnings() const {
  std::vector<std::string> warnings = setup_.model.warnings();
  warnings.insert(warnings.end(), about_start_.begin(), about_start_.end());
  warnings.insert(warnings.end(), flat_.begin(), flat_.end());
  if (interrupted_) warnings.push_back("interrupted before all fits were made");
  if (!failures_.empty())
    warnings.push_back(fmt::format(
        "not converged: {}{}", failures_.front(),
        failures_.size() > 1 ? fmt::format(" and {} more", failures_.size() - 1) : std::string()));
  if (!began_elsewhere_.empty())
    warnings.push_back(
        fmt::format("the likelihood is zero at the suggested start of {}{}: it began at another point",
                    began_elsewhere_.front(),
                    began_elsewhere_.size() > 1 ? fmt::format(" and {} more", began_elsewhere_.size() - 1)
                                                : std::string()));
  if (second_minimum_)
    warnings.push_back(
        "the likelihood has more than one minimum: a fit with the parameter of interest "
        "fixed went below the free fit, which was then repeated from there");
  if (clipped_bins_ > 0)
    warnings.push_back(
        fmt::format("the fit that gives the Asimov data expects less than nothing in {} bins; "
                    "they count as 0",
                    clipped_bins_));
  if (!interrupted_ && !has_asimov())
    warnings.push_back(fmt::format(
        "there are no Asimov data: with {} = {:.6g} the likelihood is zero where its fit starts: {}",
        poi_name(), asimov_mu(),
        zero_likelihood_reason(setup_, conditionals_[kData].at(asimov_mu()).minimum.parameters)));
  if (asimov_mu() < poi_low() || asimov_mu() > poi_high())
    warnings.push_back(
        fmt::format("the Asimov data are those of {} = {:.6g}, outside its bounds [{:.6g}, {:.6g}]",
                    poi_name(), asimov_mu(), poi_low(), poi_high()));
  if (free_.parameters[poi_] >= poi_high())
    warnings.push_back(
        fmt::format("the best fit of {} is at its upper bound {:.6g}: test statistics compare "
                    "with that point (--bounds widens it)",
                    poi_name(), poi_high()));
  if (kind_.statistic == TestStatistic::Qtilde && kind_.qtilde_as_pyhf && poi_low() != 0)
    warnings.push_back(
        fmt::format("the lower bound of {} is {:.6g}, not 0: qtilde is computed by the formula "
                    "of q, as in pyhf (`nextstat hypotest` uses its own formula)",
                    poi_name(), poi_low()));
  return warnings;
}

}  // namespace nextstat

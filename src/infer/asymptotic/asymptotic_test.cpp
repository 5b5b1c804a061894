#include "infer/asymptotic/asymptotic_test.h"
#include "infer/setup/parameter_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/asymptotic/test_statistic.h"
#include "infer/profile/best_fit.h"
#include "infer/profile/warnings.h"

namespace nextstat {
namespace {

// A test statistic may rest on it: an infinite NLL is an answer, a fit that did not converge is none.
bool is_settled(const Minimum& minimum) {
  return minimum.converged() || minimum.termination == Termination::NotFinite;
}

Error fixed_poi(const Parameter& poi) {
  return {ErrorCode::BadInput,
          Field::Poi,
          fmt::format("the parameter of interest \"{}\" is fixed", poi.name),
          {"leave it free, in the measurement and in the options, or choose another", {Field::Poi}}};
}

}  // namespace

Result<AsymptoticTest> AsymptoticTest::prepare(const Model& model, const RunOptions& options,
                                               const TestKind& kind, const WorkEstimate& work) {
  Result<Setup> setup = make_setup(model, options, work);
  if (!setup) return setup.errors();
  TRY(const std::size_t poi, parameter_named(setup->model, ""));
  if (setup->fixed[poi]) return fixed_poi(model.parameters()[poi]);
  AsymptoticTest test(std::move(*setup), poi, kind);
  std::swap(test.report_, test.setup_.options.on_progress);  // whole tests are counted, not batches
  TRY_DO(test.fit_free());
  if (test.interrupted_) return test;
  TRY_DO(test.make_asimov());
  // The fits of limits lie close together.
  test.for_limits_ = work.fits > kFitsOfATest.fits;
  test.shared_by_ = test.for_limits_ ? kFitsOfLimitsShare : kFitsOfTestShare;
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

Result<void> AsymptoticTest::fit_free() {
  TRY(BestFit best, find_best_fit(setup_, true));
  setup_.start = best.start;
  flat_ = flat_direction_warnings(setup_.model, best.covariance);
  log_ = best.log;
  interrupted_ = best.log.interrupted();
  about_start_ = best.warnings;
  free_ = std::move(best.minimum);
  count(free_, "the free fit to the data");
  return {};
}

// Asimov data are what the model expects at the fit to the data with the POI fixed. In their own likelihood
// every term is then at its minimum, so that point is the free fit too, as long as the POI may be there.
Result<void> AsymptoticTest::make_asimov() {
  const FitAt source{kData, asimov_mu()};
  if (auto done = fit({source}); !done || interrupted_) return done;
  const Minimum& fitted = conditionals_[kData].at(asimov_mu()).minimum;
  if (!std::isfinite(fitted.nll)) return {};
  TRY(EvalOutput expected, setup_.session->evaluate({.parameters = fitted.parameters, .expected = true}));
  for (std::size_t i = 0; i < setup_.model.n_bins(); ++i) {
    if (expected.expected[i] >= 0) continue;
    expected.expected[i] = 0;
    ++clipped_bins_;
  }
  datasets_.insert(datasets_.end(), expected.expected.begin(), expected.expected.end());
  asimov_free_ = fitted;
  if (clipped_bins_ > 0 || asimov_mu() < poi_low() || asimov_mu() > poi_high()) return fit_asimov_free();
  TRY(const EvalOutput at, setup_.session->evaluate({.parameters = fitted.parameters, .data = asimov()}));
  asimov_free_.nll = at.nll[0];
  conditionals_[kAsimov].emplace(asimov_mu(), Conditional{asimov_free_, 0.0});
  return {};
}

Result<void> AsymptoticTest::fit_asimov_free() {
  RowBatch batch = setup_.batch();
  batch.data = asimov();
  batch.starts.add(asimov_free_.parameters);
  batch.starts[1][poi_] = std::clamp(batch.starts[1][poi_], poi_low(), poi_high());
  batch.metric_at = batch.starts.copy(1);
  batch.rows = {Row{.start = 1}};
  TRY(std::vector<Minimum> minima, setup_.solve(batch));
  asimov_free_ = std::move(minima.front());
  count(asimov_free_, "the free fit to the Asimov data");
  return {};
}

Result<void> AsymptoticTest::add_slopes() {
  std::vector<double> parameters;
  std::vector<std::size_t> data_of_row;
  std::vector<Conditional*> targets;
  for (const Source source : {kData, kAsimov}) {
    for (auto& [mu, conditional] : conditionals_[source]) {
      if (!std::isnan(conditional.slope)) continue;
      const std::vector<double>& at = conditional.minimum.parameters;
      parameters.insert(parameters.end(), at.begin(), at.end());
      data_of_row.push_back(source);
      targets.push_back(&conditional);
    }
  }
  if (targets.empty()) return {};
  TRY(const EvalOutput output, setup_.session->evaluate({.parameters = parameters,
                                                         .rows = targets.size(),
                                                         .data = datasets_,
                                                         .data_of_row = data_of_row,
                                                         .gradient = true}));
  for (std::size_t i = 0; i < targets.size(); ++i)
    targets[i]->slope = output.gradient[i * setup_.fixed.size() + poi_];
  return {};
}

Result<void> AsymptoticTest::visit(std::span<const double> mus, bool slopes) {
  std::vector<FitAt> wanted;
  for (const double mu : std::set<double>(mus.begin(), mus.end())) {
    for (const Source source : {kData, kAsimov}) {
      if (source == kAsimov && !has_asimov()) continue;
      if (!conditionals_[source].contains(mu)) wanted.push_back({source, mu});
    }
  }
  TRY_DO(fit(std::move(wanted)));
  return slopes ? add_slopes() : Result<void>();
}

double AsymptoticTest::statistic_at(Source source, double mu) const {
  const auto found = conditionals_[source].find(mu);
  if (found == conditionals_[source].end()) return kNoValue;
  const Minimum& free = source == kData ? free_ : asimov_free_;
  if (!is_settled(free) || !is_settled(found->second.minimum)) return kNoValue;
  TestNlls nlls{mu, free.parameters[poi_], found->second.minimum.nll, free.nll, free.nll};
  TestStatistic statistic = kind_.statistic;
  if (statistic == TestStatistic::Qtilde && kind_.qtilde_as_pyhf) statistic = TestStatistic::Q;
  if (const auto zero = conditionals_[source].find(0.0); zero != conditionals_[source].end())
    nlls.at_zero = is_settled(zero->second.minimum) ? zero->second.minimum.nll : kNoValue;
  return test_statistic(statistic, nlls);
}

// q = 2 NLL(mu) - ..., and the other parameters are at their minimum: d q / d mu = 2 d NLL / d POI.
double AsymptoticTest::slope_at(Source source, double mu) const {
  const auto found = conditionals_[source].find(mu);
  if (found == conditionals_[source].end()) return kNoValue;
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

std::vector<std::string> AsymptoticTest::warnings(bool counts_toys) const {
  std::vector<std::string> warnings = setup_.model.warnings();
  warnings.insert(warnings.end(), about_start_.begin(), about_start_.end());
  warnings.insert(warnings.end(), flat_.begin(), flat_.end());
  for (std::string& warning : log_.warnings(setup_.model, counts_toys ? "" : kNoParabola))
    warnings.push_back(std::move(warning));
  if (interrupted_) warnings.push_back("interrupted before all fits were done");
  if (!failures_.empty())
    warnings.push_back(fmt::format(
        "not converged: {}{}", failures_.front(),
        failures_.size() > 1 ? fmt::format(" and {} more", failures_.size() - 1) : std::string()));
  if (!began_elsewhere_.empty())
    warnings.push_back(
        fmt::format("the likelihood is zero at the suggested start of {}{}: it started at another point",
                    began_elsewhere_.front(),
                    began_elsewhere_.size() > 1 ? fmt::format(" and {} more", began_elsewhere_.size() - 1)
                                                : std::string()));
  if (second_minimum_)
    warnings.push_back(
        "the likelihood has more than one minimum: a fit with the parameter of interest "
        "fixed found a lower NLL than the free fit, which was then repeated from there");
  if (clipped_bins_ > 0)
    warnings.push_back(
        fmt::format("the expected rate at the fit that gives the Asimov data is negative in {} bins; it is "
                    "set to 0 there",
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
                    "with that point; wider bounds avoid it",
                    poi_name(), poi_high()));
  if (kind_.statistic == TestStatistic::Qtilde && kind_.qtilde_as_pyhf && poi_low() != 0)
    warnings.push_back(
        fmt::format("the lower bound of {} is {:.6g}, not 0: qtilde is computed with the formula of q, as in "
                    "pyhf (hypotest uses its own formula)",
                    poi_name(), poi_low()));
  return warnings;
}

}  // namespace nextstat

#include "infer/toys/toy_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/asymptotic/test_statistic.h"
#include "infer/profile/best_fit.h"

namespace nextstat {
namespace {

SolveOptions solving(const Setup& setup) {
  SolveOptions options;
  options.threads = setup.options.threads;
  options.stop_token = setup.options.stop;
  options.convergence.steps_per_metric = kStepsWithSharedMetric;
  return options;
}

// Whether the statistic of a toy with this best fit is 0 whatever its likelihood at mu.
bool is_zero(TestStatistic statistic, double mu_hat, double mu) {
  switch (statistic) {
    case TestStatistic::Q:
    case TestStatistic::Qtilde:
      return mu_hat > mu;
    case TestStatistic::Q0:
      return mu_hat < 0;
    default:
      return false;
  }
}

bool compares_with_zero(TestStatistic statistic) {
  return statistic == TestStatistic::Qtilde || statistic == TestStatistic::Ttilde;
}

bool any_interrupted(std::span<const Minimum> minima) {
  return std::any_of(minima.begin(), minima.end(),
                     [](const Minimum& minimum) { return minimum.termination == Termination::Interrupted; });
}

// What the statistics of some toys need besides their free fits.
struct TestFits {
  std::vector<std::size_t> wanted;  // toys that are fitted at mu
  std::vector<std::size_t> below;   // of these: compared with the fit at 0
  std::vector<Minimum> at_mu, at_zero;
};

std::vector<ToyTest> judge(const ToyBatch& batch, const TestFits& fits, std::size_t poi,
                           TestStatistic statistic, double mu) {
  std::vector<ToyTest> tests;
  for (const Minimum& free : batch.free) tests.push_back({0.0, kNoValue, toy_status(free), free.iterations});
  std::size_t zero = 0;
  for (std::size_t k = 0; k < fits.wanted.size(); ++k) {
    const std::size_t i = fits.wanted[k];
    const Minimum &free = batch.free[i], &at_mu = fits.at_mu[k];
    ToyTest& test = tests[i];
    TestNlls nlls{mu, free.parameters[poi], at_mu.nll, free.nll, free.nll};
    // A toy that the tested value cannot give, though another can, is infinitely far from it.
    const bool impossible =
        test.status != ToyStatus::NoLikelihood && toy_status(at_mu) == ToyStatus::NoLikelihood;
    if (!impossible) test.status = std::max(test.status, toy_status(at_mu));
    test.iterations += at_mu.iterations;
    test.nll_mu = impossible ? kNoValue : at_mu.nll;
    if (zero < fits.below.size() && fits.below[zero] == i) {
      const Minimum& at_zero = fits.at_zero[zero++];
      nlls.at_zero = at_zero.nll;
      test.status = std::max(test.status, toy_status(at_zero));
      test.iterations += at_zero.iterations;
    }
    test.q = test_statistic(statistic, nlls);
    if (impossible) test.q = std::numeric_limits<double>::infinity();
    if (test.status == ToyStatus::NoLikelihood) test.q = test.nll_mu = kNoValue;
  }
  return tests;
}

// The draw plan knows data by number; the user knows them by the parameter that they constrain.
Errors auxiliary_too_large(const Model& model, std::span<const double> expected) {
  Errors errors;
  for (const auto& constraint : compiled_model(model).poissons) {
    if (!(expected[constraint.data] > kLargestRate)) continue;
    errors.push_back(
        {ErrorCode::BadInput,
         model.parameters()[constraint.parameter].name,
         fmt::format("the expected auxiliary count that constrains it is {:.6g}, above 2^52, where counts "
                     "are no longer exact",
                     expected[constraint.data]),
         {"keep auxiliary data as observed, or prune the modifier: its uncertainty is negligible",
          {Field::FixedAuxiliary}}});
  }
  return errors;
}

}  // namespace

ToyStatus toy_status(const Minimum& minimum) {
  if (minimum.termination == Termination::NotFinite || !std::isfinite(minimum.nll))
    return ToyStatus::NoLikelihood;
  return minimum.converged() ? ToyStatus::Converged : ToyStatus::NotConverged;
}

ToyEnsemble::ToyEnsemble(const Setup& setup, std::optional<std::size_t> poi, ToySource source)
    : setup_(&setup),
      poi_(poi),
      source_(std::move(source)),
      solver_(std::make_unique<DatasetSolver>(*setup.session, setup.model,
                                              DatasetSolver::Frame{setup.bounds, setup.fixed, setup.start},
                                              solving(setup))) {}

Result<ToyEnsemble> ToyEnsemble::make(const Setup& setup, std::optional<std::size_t> poi, ToySource source) {
  ToyEnsemble ensemble(setup, poi, std::move(source));
  ensemble.expected_ = ensemble.source_.expected;
  if (ensemble.expected_.empty()) {
    TRY(EvalOutput at, setup.session->evaluate({.parameters = ensemble.source_.truth, .expected = true}));
    ensemble.expected_ = std::move(at.expected);
  }
  if (!ensemble.source_.fixed_auxiliary) {
    if (Errors errors = auxiliary_too_large(setup.model, ensemble.expected_); !errors.empty()) return errors;
  }
  const std::span<const double> auxiliary = std::span(setup.data).subspan(setup.model.n_bins());
  TRY(DrawPlan plan, make_draw_plan(compiled_model(setup.model), ensemble.expected_, auxiliary,
                                    ensemble.source_.fixed_auxiliary));
  ensemble.plan_ = std::make_unique<const DrawPlan>(std::move(plan));
  TRY(const std::size_t free, ensemble.add_kind({}));
  ensemble.free_ = free;
  return ensemble;
}

std::vector<std::string> ToyEnsemble::negative_bins() const {
  std::vector<std::string> names;
  for (const ChannelInfo& channel : setup_->model.channels()) {
    for (const std::uint32_t datum : plan_->negative) {
      if (datum >= channel.first_bin && datum < channel.first_bin + channel.bins)
        names.push_back(fmt::format("{}[{}]", channel.name, datum - channel.first_bin));
    }
  }
  return names;
}

Result<ToyBatch> ToyEnsemble::draw(std::uint64_t first, std::size_t count, bool values) const {
  TRY(DrawnToys drawn, setup_->session->draw({*plan_, source_.seed, source_.hypothesis, first, count,
                                              values || solver_->looks_at_data()}));
  return ToyBatch{first, count, std::move(drawn)};
}

Result<ToyBatch> ToyEnsemble::fit(std::uint64_t first, std::size_t count, bool values) const {
  Result<ToyBatch> drawn = draw(first, count, values);
  if (!drawn) return drawn.errors();
  ToyBatch& batch = *drawn;
  std::vector<std::size_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = i;
  TRY(std::vector<Minimum> minima, solver_->solve(free_, batch.toys, all));
  batch.free = std::move(minima);
  batch.interrupted = any_interrupted(batch.free);
  return drawn;
}

Result<std::size_t> ToyEnsemble::add_kind(std::vector<FixedParameter> fixed) {
  TRY(ToyStarts starts, find_toy_starts(*setup_, {source_.truth, expected_}, *plan_, fixed));
  sampled_.push_back({{}, starts.points.size(), starts.sampled, starts.elsewhere});
  return solver_->add({std::move(starts.points), std::move(fixed), starts.for_all});
}

Result<std::size_t> ToyEnsemble::fit_at(double mu) {
  if (const auto known = kinds_.find(mu); known != kinds_.end()) return known->second;
  const Result<std::size_t> kind = add_kind({{*poi_, mu}});
  if (kind) kinds_.emplace(mu, *kind);
  return kind;
}

SampledToys ToyEnsemble::sampled_free(const std::string& truth) const {
  SampledToys sampled = sampled_[free_];
  sampled.fit = "the free fit of toys at " + truth;
  return sampled;
}

Result<std::vector<SampledToys>> ToyEnsemble::prepare(TestStatistic statistic, double mu,
                                                      const std::string& truth) {
  std::vector<double> values = {mu};
  if (compares_with_zero(statistic) && mu != 0 && setup_->bounds.low[*poi_] < 0) values.push_back(0.0);
  std::vector<SampledToys> all = {sampled_free(truth)};
  for (const double value : values) {
    TRY(const std::size_t kind, fit_at(value));
    all.push_back(sampled_[kind]);
    all.back().fit = fmt::format("the fit at {} = {:.6g} of toys at {}",
                                 setup_->model.parameters()[*poi_].name, value, truth);
  }
  return all;
}

// A fit with the POI at an allowed value that lies below the free fit shows a second minimum:
// the free fit goes on from there.
Result<void> ToyEnsemble::improve_free(ToyBatch& batch, std::span<const std::size_t> toys,
                                       std::span<const Minimum> at_mu, double mu) const {
  if (mu < setup_->bounds.low[*poi_] || mu > setup_->bounds.high[*poi_]) return {};
  std::vector<std::size_t> worse;
  PointList starts;
  for (std::size_t k = 0; k < toys.size(); ++k) {
    if (!std::isfinite(at_mu[k].nll) || !is_better_minimum(batch.free[toys[k]], at_mu[k])) continue;
    worse.push_back(toys[k]);
    starts.add(at_mu[k].parameters);
  }
  TRY(std::vector<Minimum> again, solver_->solve_from(starts, free_, batch.toys, worse));
  batch.interrupted = batch.interrupted || any_interrupted(again);
  for (std::size_t k = 0; k < worse.size(); ++k) {
    Minimum& known = batch.free[worse[k]];
    again[k].iterations += known.iterations;
    if (again[k].nll < known.nll) known = std::move(again[k]);
  }
  return {};
}

Result<std::vector<ToyTest>> ToyEnsemble::test(ToyBatch& batch, TestStatistic statistic, double mu) {
  TRY(const std::size_t at_mu, fit_at(mu));
  TestFits fits;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const double mu_hat = batch.free[i].parameters[*poi_];
    const bool usable = toy_status(batch.free[i]) != ToyStatus::NoLikelihood;
    if (!usable || !is_zero(statistic, mu_hat, mu)) fits.wanted.push_back(i);
  }
  Result<std::vector<Minimum>> minima = solver_->solve(at_mu, batch.toys, fits.wanted);
  if (!minima) return minima.errors();
  fits.at_mu = std::move(*minima);
  // Fits that were not made have no parameters.
  batch.interrupted = batch.interrupted || any_interrupted(fits.at_mu);
  if (batch.interrupted) return std::vector<ToyTest>(batch.count);
  TRY_DO(improve_free(batch, fits.wanted, fits.at_mu, mu));
  if (batch.interrupted) return std::vector<ToyTest>(batch.count);
  for (const std::size_t i : fits.wanted) {
    if (compares_with_zero(statistic) && batch.free[i].parameters[*poi_] < 0) fits.below.push_back(i);
  }
  if (!fits.below.empty()) {
    TRY(const std::size_t at_zero, fit_at(0.0));
    minima = solver_->solve(at_zero, batch.toys, fits.below);
    if (!minima) return minima.errors();
    fits.at_zero = std::move(*minima);
  }
  batch.interrupted = any_interrupted(fits.at_zero);
  if (batch.interrupted) return std::vector<ToyTest>(batch.count);
  return judge(batch, fits, *poi_, statistic, mu);
}

}  // namespace nextstat

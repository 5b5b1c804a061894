#include "infer/toys/toy_limit_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/distributions.h"
#include "base/try.h"
#include "infer/asymptotic/test_statistic.h"
#include "infer/toys/toy_warnings.h"

namespace nextstat {
namespace {

constexpr std::uint32_t kBackground = 1, kFirstTested = 2;  // numbers of hypotheses
// Relative, of CLs, where the percentile may as well stand at the next q.
constexpr double kNextStep = 0.3;

// Relative, of CLs: where the percentile p stands among toys of the same q, CLb is that of all of them, and
// counted. Close to the last of them it is not certain that it stands there.
double tie_error(double clb, double p, double toys) {
  const double spreads = (clb - p) / std::sqrt(p * (1 - p) / toys);
  if (spreads < 0.5) return 0;
  const double counted = std::sqrt((1 - clb) / (clb * toys));
  return std::hypot(counted, kNextStep * std::max(0.0, 1 - spreads / 2));
}

}  // namespace

Result<ToyEnsemble> ToyLimitPoints::ensemble_at(double mu, std::uint32_t hypothesis) {
  const Minimum* fitted = test_.data_fit(mu);
  if (!fitted || !std::isfinite(fitted->nll))
    return Error{
        ErrorCode::BadInput,
        test_.poi_name(),
        fmt::format("there is no fit with {} = {:.6g} to draw toys from: the likelihood is zero where "
                    "it starts",
                    test_.poi_name(), mu),
        {"start elsewhere, or test other values", {Field::Init, Field::Scan}}};
  Result<ToyEnsemble> ensemble =
      ToyEnsemble::make(test_.setup(), test_.poi(),
                        {options_.toys.seed, hypothesis, fitted->parameters, options_.toys.fixed_auxiliary});
  if (!ensemble) return ensemble;
  const std::string truth = fmt::format("{} = {:.6g}", test_.poi_name(), mu);
  warn_about_negative_bins(*ensemble, truth, warnings_);
  sampled_.push_back(ensemble->sampled_free(truth));
  return ensemble;
}

std::vector<std::string> ToyLimitPoints::warnings() const {
  std::vector<std::string> all = warnings_;
  warn_about_minima(sampled_, all);
  return all;
}

Result<void> ToyLimitPoints::start() {
  TRY(ToyEnsemble made, ensemble_at(0.0, kBackground));
  background_ = std::make_unique<ToyEnsemble>(std::move(made));
  return {};
}

Result<std::size_t> ToyLimitPoints::add(double mu) {
  TRY_DO(test_.visit({&mu, 1}));
  if (test_.interrupted()) return points_.size();
  TRY(ToyEnsemble tested, ensemble_at(mu, kFirstTested + static_cast<std::uint32_t>(points_.size())));
  points_.push_back({mu, std::move(tested), ToyTails(test_.at(mu).q, true, true), {}});
  update(points_.back());
  return points_.size() - 1;
}

Result<bool> ToyLimitPoints::test_new(Point& point, std::uint64_t first, std::size_t count) {
  Result<ToyBatch> batch = point.tested.fit(first, count);
  if (!batch) return batch.errors();
  if (batch->interrupted) return false;
  TRY(const std::vector<ToyTest> tests, point.tested.test(*batch, options_.statistic, point.mu));
  if (batch->interrupted) return false;
  for (const ToyTest& test : tests) point.tails.add(ToyTails::kTested, test.q, test.status);
  return true;
}

Result<bool> ToyLimitPoints::fit_background(std::uint64_t first, std::size_t count) {
  const Result<ToyBatch> batch = background_->fit(first, count);
  if (!batch) return batch.errors();
  if (batch->interrupted) return false;
  for (const Minimum& fit : batch->free)
    free_.push_back({fit.parameters[test_.poi()], fit.nll, fit.termination});
  return true;
}

Result<bool> ToyLimitPoints::test_background(Point& point, std::uint64_t first, std::size_t count) {
  if (first + count > free_.size()) {
    const Result<bool> fitted = fit_background(free_.size(), first + count - free_.size());
    if (!fitted || !*fitted) return fitted;
  }
  TRY(ToyBatch drawn, background_->draw(first, count));
  ToyBatch& batch = drawn;
  for (std::size_t i = 0; i < count; ++i) {
    const FreeFit& known = free_[first + i];
    Minimum free;
    free.termination = known.termination;
    free.nll = known.nll;
    free.parameters = background_->source().truth;
    free.parameters[test_.poi()] = known.mu_hat;
    batch.free.push_back(std::move(free));
  }
  TRY(const std::vector<ToyTest> tests, background_->test(batch, options_.statistic, point.mu));
  if (batch.interrupted) return false;
  for (const ToyTest& test : tests) point.tails.add(ToyTails::kAlternative, test.q, test.status);
  return true;
}

Result<void> ToyLimitPoints::extend(std::size_t number, const ToyCounts& to) {
  Point& point = points_[number];
  const ToyCounts have = toys(number);
  if (to.tested > have.tested) {
    const auto done =
        calls_.run(have.tested, to.tested - have.tested,
                   [&](std::uint64_t first, std::size_t count) { return test_new(point, first, count); });
    if (!done) return done.errors();
  }
  if (to.alternative > have.alternative) {
    const auto done = calls_.run(
        have.alternative, to.alternative - have.alternative,
        [&](std::uint64_t first, std::size_t count) { return test_background(point, first, count); });
    if (!done) return done.errors();
  }
  update(point);
  return {};
}

ToyCounts ToyLimitPoints::toys(std::size_t point) const {
  const ToyTails& tails = points_[point].tails;
  return {tails.toys(ToyTails::kTested), tails.toys(ToyTails::kAlternative)};
}

std::size_t ToyLimitPoints::fits() const {
  std::size_t fits = free_.size();
  for (std::size_t k = 0; k < points_.size(); ++k) fits += 2 * toys(k).tested + toys(k).alternative;
  return fits;
}

double ToyLimitPoints::asymptotic_at(std::size_t curve, double mu) const {
  const TestPoint at = test_.at(mu);
  const Tails tails = curve == 0 ? observed_tails(test_.statistic(), at.q, at.q_asimov)
                                 : expected_tails(test_.statistic(), at.q_asimov, kBandSigmas[curve - 1]);
  return tails.log_cls - std::log(1 - options_.confidence_level);
}

std::vector<AsymptoticSample> ToyLimitPoints::asymptotic(std::size_t curve) const {
  std::vector<AsymptoticSample> all;
  for (const double mu : test_.visited()) {
    const double u = asymptotic_at(curve, mu);
    if (mu > 0 && std::isfinite(u)) all.push_back({mu, u});
  }
  return all;
}

std::vector<CurveSample> ToyLimitPoints::samples(std::size_t curve) const {
  std::vector<CurveSample> all;
  for (const Point& point : points_) {
    CurveSample sample = point.samples[curve];
    sample.u = asymptotic_at(curve, point.mu);
    if (sample.exposure() > 0) all.push_back(sample);
  }
  std::sort(all.begin(), all.end(), [](const CurveSample& a, const CurveSample& b) { return a.mu < b.mu; });
  return all;
}

void ToyLimitPoints::update(Point& point) const {
  const double alpha = 1 - options_.confidence_level;
  const auto toys = static_cast<double>(point.tails.usable(ToyTails::kTested));
  const auto background = static_cast<double>(point.tails.usable(ToyTails::kAlternative));
  point.samples.fill({.mu = point.mu});
  if (toys == 0 || background == 0) return;
  const ToyProbabilities observed = point.tails.observed();
  // None counted: as if half a toy, give or take all of it.
  const double clb = std::max(observed.clb, 0.5 / background);
  const double error = observed.clb > 0 ? observed.clb_error / clb : 1.0;
  point.samples[0] = {point.mu, 0, observed.clsb * toys, toys, clb * alpha, error, background};
  const ToyBand band = point.tails.expected();
  for (std::size_t i = 0; i < kBandSigmas.size(); ++i) {
    const double cls = band.value[i].cls, clsb = band.value[i].clsb;
    const double share = cls > 0 ? clsb / cls : band.value[i].clb;
    const double quantile_error = cls > 0 ? band.alternative_error[i].cls / cls : 0.0;
    const double relative =
        std::hypot(quantile_error, tie_error(share, normal_tail(-kBandSigmas[i]), background));
    point.samples[i + 1] = {point.mu, 0, clsb * toys, toys, share * alpha, relative, background};
  }
}

CLsToysPoint ToyLimitPoints::result(std::size_t number) const {
  const Point& point = points_[number];
  CLsToysPoint result;
  result.mu = point.mu;
  result.q_mu = point.tails.q_obs();
  const ToyProbabilities observed = point.tails.observed();
  result.observed = observed.cls;
  result.observed_error = observed.cls_error;
  const ToyBand band = point.tails.expected();
  for (std::size_t i = 0; i < kBandSigmas.size(); ++i) {
    result.expected[i] = band.value[i].cls;
    result.expected_errors[i] = std::hypot(band.tested_error[i].cls, band.alternative_error[i].cls);
  }
  const auto counts = [&](std::size_t (ToyTails::*count)(ToyTails::Side) const) {
    return ToyCounts{(point.tails.*count)(ToyTails::kTested), (point.tails.*count)(ToyTails::kAlternative)};
  };
  result.n_toys = counts(&ToyTails::toys);
  result.n_error = counts(&ToyTails::without_likelihood);
  result.n_nonconverged = counts(&ToyTails::not_converged);
  return result;
}

}  // namespace nextstat

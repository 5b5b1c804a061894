#include "closure/samples.h"

#include <nextstat/evaluate.h>
#include <nextstat/hypotest.h>
#include <nextstat/hypotest_toys.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "infer/profile/best_fit.h"
#include "infer/setup/parameter_names.h"
#include "infer/toys/toy_fits.h"
#include "minimize/curvature/covariance.h"

namespace nextstat::closure {
namespace {

constexpr double kMu = 1;  // a signal of the strength that is tested
constexpr std::size_t kBatch = 1000;

// Every question draws toys of its own.
enum Hypothesis : std::uint32_t { kPulls = 1, kQ0, kSignal, kBackground, kFirstInjection = 100 };

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error(result.errors().front().what);
  return *std::move(result);
}

class Study {
 public:
  Study(const Model& model, const SampleOptions& options, Samples& into)
      : model_(model),
        options_(options),
        into_(into),
        setup_(checked(make_setup(model, {}))),
        poi_(checked(parameter_named(model_, ""))) {}

  // sigma = mu / sqrt(qtilde of the Asimov data of the background)   [Cowan et al., eq. 31]
  double sigma() const {
    HypotestOptions options{.mu = kMu};
    options.run.data = checked(asimov_data(model_, truth(0)));
    return kMu / std::sqrt(checked(hypotest(model_, options)).q_mu_a);
  }

  void draw_pulls() {
    for_each_batch(kPulls, kMu, [&](ToyEnsemble& toys, ToyBatch& batch) {
      const std::vector<ToyTest> tests = checked(toys.test(batch, TestStatistic::T, kMu));
      for (std::size_t i = 0; i < batch.count; ++i) {
        if (!usable(tests[i].status)) continue;
        into_.pulls.push_back((batch.free[i].parameters[poi_] - kMu) / sigma_of(batch, i));
        into_.t.push_back(tests[i].q);
      }
    });
  }

  std::vector<double> draw_statistic(Hypothesis hypothesis, const Law& law) {
    std::vector<double> values;
    for_each_batch(hypothesis, law.mu_true, [&](ToyEnsemble& toys, ToyBatch& batch) {
      for (const ToyTest& test : checked(toys.test(batch, law.statistic, law.mu))) {
        if (usable(test.status)) values.push_back(test.q);
      }
    });
    return values;
  }

  Injection inject(std::uint32_t hypothesis, double mu_true) {
    std::vector<double> mu_hats;
    for_each_batch(hypothesis, mu_true, [&](ToyEnsemble&, ToyBatch& batch) {
      for (const Minimum& minimum : batch.free) {
        if (usable(toy_status(minimum))) mu_hats.push_back(minimum.parameters[poi_]);
      }
    });
    return {mu_true, mean(mu_hats)};
  }

  std::vector<ClsPoint> cls(const std::vector<double>& mus) {
    std::vector<ClsPoint> points;
    for (const double mu : mus) {
      HypotestToysOptions options{.mu = mu};
      options.toys.n_toys = options_.n_toys;
      options.toys.seed = options_.seed;
      const HypotestToysResult toys = checked(hypotest_toys(model_, options));
      into_.failed += toys.n_error.tested + toys.n_error.alternative;
      into_.failed += toys.n_nonconverged.tested + toys.n_nonconverged.alternative;
      points.push_back({mu,
                        {toys.observed.cls, toys.observed.cls_error},
                        checked(hypotest(model_, {.mu = mu})).observed.cls,
                        std::numeric_limits<double>::quiet_NaN()});
    }
    return points;
  }

 private:
  std::vector<double> truth(double mu) const {
    std::vector<double> values = model_.initial();
    values[poi_] = mu;
    return values;
  }

  bool usable(ToyStatus status) {
    if (status != ToyStatus::Converged) ++into_.failed;
    return status == ToyStatus::Converged;
  }

  template <class Use>
  void for_each_batch(std::uint32_t hypothesis, double mu_true, Use&& use) {
    ToyEnsemble toys = checked(ToyEnsemble::make(
        setup_, poi_, {options_.seed, hypothesis, truth(mu_true), /*fixed_auxiliary=*/false}));
    for (std::size_t first = 0; first < options_.n_toys; first += kBatch) {
      ToyBatch batch = checked(toys.fit(first, std::min(kBatch, options_.n_toys - first), true));
      use(toys, batch);
    }
  }

  // From the Hessian at the toy's own minimum.
  double sigma_of(const ToyBatch& batch, std::size_t toy) const {
    const std::size_t size = setup_.data.size();
    const std::span<const double> data = std::span(batch.toys.values).subspan(toy * size, size);
    const CompiledModel& compiled = compiled_model(model_);
    const Minimum& minimum = batch.free[toy];
    const Covariance at = covariance(compiled, make_dataset(compiled, data), minimum.parameters,
                                     moving_parameters(setup_, minimum), 1);
    return std::sqrt(at.matrix[poi_ * (minimum.parameters.size() + 1)]);
  }

  const Model& model_;
  const SampleOptions& options_;
  Samples& into_;
  Setup setup_;
  std::size_t poi_;
};

}  // namespace

Samples draw_samples(const SampleOptions& options) {
  Samples samples;
  samples.n_toys = options.n_toys;
  const Model many = many_events(), few = few_events();
  Study study(many, options, samples), few_study(few, options, samples);
  samples.sigma = study.sigma();
  study.draw_pulls();
  const auto draw = [](Study& from, Hypothesis hypothesis, const Law& law) {
    return StatisticSample{law, from.draw_statistic(hypothesis, law)};
  };
  samples.q0 = draw(study, kQ0, {TestStatistic::Q0, 0, 0, samples.sigma});
  samples.qtilde_signal = draw(study, kSignal, {TestStatistic::Qtilde, kMu, kMu, samples.sigma});
  samples.qtilde_background = draw(study, kBackground, {TestStatistic::Qtilde, kMu, 0, samples.sigma});
  samples.cls = study.cls({0.5, 0.75, 1.0, 1.25, 1.5});
  samples.few_cls = few_study.cls({0.25, 0.5, 0.75, 1.0, 1.25});
  for (ClsPoint& point : samples.few_cls) point.exact = std::exp(-kFewSignal * point.mu);
  for (const double mu_true : {0.0, 1.0, 2.0, 3.0, 4.0}) {
    const auto number = static_cast<std::uint32_t>(samples.injections.size());
    samples.injections.push_back(study.inject(kFirstInjection + number, mu_true));
  }
  return samples;
}

}  // namespace nextstat::closure

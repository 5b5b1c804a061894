// Toys of two models made in memory: one of many events, where everything about the statistics is known, and
// one of few, where only toys tell.
//
//   Samples samples = draw_samples({.n_toys = 10000});
//   for (const Check& check : checks(samples)) ...        (closure/checks.h)
#pragma once

#include <nextstat/model.h>

#include <cstdint>
#include <vector>

#include "closure/asymptotics.h"
#include "closure/estimates.h"

namespace nextstat::closure {

// Two channels, 14 bins with 3,300 to 13,500 events each; normsys, histosys, staterror, lumi. A signal of
// strength 1 stands about two sigma above the background; mu may be negative.
Model many_events();
// One bin without an event where 0.5 of background and 3 mu of signal are expected. Of the toys with mu and
// of those without, only empty ones are as much like the background:
//   CLs = exp(-0.5 - 3 mu) / exp(-0.5) = exp(-3 mu)
Model few_events();
constexpr double kFewSignal = 3;

struct StatisticSample {
  Law law;
  std::vector<double> q;
};

struct ClsPoint {
  double mu = 0;
  Estimate toys;
  double asymptotic = 0;
  double exact = 0;  // NaN where it is not known
};

struct Injection {
  double mu_true = 0;
  Estimate mean_mu_hat;
};

struct Samples {
  std::size_t n_toys = 0;  // of each question and hypothesis
  std::size_t failed = 0;  // toys without a converged fit; in no sample
  double sigma = 0;        // of mu_hat, from the Asimov data of the background
  // Toys at mu = 1: (mu_hat - 1) / sigma with the sigma of each toy's own Hessian, and t(1).
  std::vector<double> pulls, t;
  StatisticSample q0;                 // of background
  StatisticSample qtilde_signal;      // at mu = 1, of mu = 1
  StatisticSample qtilde_background;  // at mu = 1, of background
  std::vector<ClsPoint> cls, few_cls;
  std::vector<Injection> injections;
};

struct SampleOptions {
  std::size_t n_toys = 10000;
  std::uint64_t seed = 42;
};
// Throws where the library gives an error.
Samples draw_samples(const SampleOptions& options = {});

}  // namespace nextstat::closure

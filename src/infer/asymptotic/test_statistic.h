// Test statistics from fits, and their tail probabilities by the asymptotic formulae.
#pragma once

#include <nextstat/hypotest.h>

namespace nextstat {

// The NLLs that a test statistic compares.
struct TestNlls {
  double mu = 0, mu_hat = 0;
  double at_mu = 0;    // NLL of the fit with the POI fixed at mu
  double free = 0;     // of the free fit
  double at_zero = 0;  // of the fit with the POI fixed at 0; used by qtilde and ttilde where mu_hat < 0
};

// Nothing where the question can use it; otherwise an error that names those that it can use.
Errors check_statistic(TestStatistic statistic, std::span<const TestStatistic> usable);

// q >= 0; +infinity where the fit at mu cannot give the data.
double test_statistic(TestStatistic statistic, const TestNlls& nlls);

// The same numbers with the arguments of the normal tails, which root finding needs:
// CLsb = Phi(-x_sb), CLb = Phi(-x_b) for q, qtilde and q0.
struct Tails {
  TailProbabilities probabilities;
  double x_sb = 0, x_b = 0;
  double log_cls = 0;  // also where CLs is too small for a double
};
Tails observed_tails(TestStatistic statistic, double q, double q_asimov);
// n_sigma: how many sigma the background-only data lie above their median.
Tails expected_tails(TestStatistic statistic, double q_asimov, double n_sigma);

// The square root of q_asimov at which the expected CLs of q and qtilde is alpha.
double sensitivity_at_limit(double alpha, double n_sigma);

}  // namespace nextstat

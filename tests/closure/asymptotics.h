// What the test statistics of many events follow: Cowan, Cranmer, Gross and Vitells, Eur. Phys. J. C 71
// (2011) 1554, where mu_hat is normal around the true mu with a width sigma that does not change.
//
//   Law law{TestStatistic::Qtilde, /*mu=*/1.0, /*mu_true=*/0.0, /*sigma=*/0.5};
//   law.below(2.7);
#pragma once

#include <nextstat/hypotest.h>

namespace nextstat::closure {

// q0, qtilde and t.
struct Law {
  TestStatistic statistic = TestStatistic::T;
  double mu = 0;       // tested
  double mu_true = 0;  // that the data come from; t is given for mu_true = mu alone
  double sigma = 1;    // of mu_hat

  double below(double q) const;  // P(statistic <= q); at q = 0 what is exactly 0
  // The same of those that are not 0.
  double below_of_positive(double q) const { return (below(q) - below(0)) / (1 - below(0)); }
};

}  // namespace nextstat::closure

#include "closure/asymptotics.h"

#include <cmath>
#include <stdexcept>

#include "base/distributions.h"

namespace nextstat::closure {
namespace {

double normal_below(double x) { return normal_tail(-x); }

// F(q | mu') = Phi(sqrt(q) - (mu - mu') / sigma)                             q <= mu^2 / sigma^2
//            = Phi((q - (mu^2 - 2 mu mu') / sigma^2) / (2 mu / sigma))       beyond: mu_hat < 0   [eq. 65]
double qtilde_below(double q, double mu, double mu_true, double sigma) {
  const double m = mu / sigma, m_true = mu_true / sigma;
  if (q <= m * m) return normal_below(std::sqrt(q) - (m - m_true));
  return normal_below((q - (m * m - 2 * m * m_true)) / (2 * m));
}

}  // namespace

double Law::below(double q) const {
  if (q < 0) return 0;
  switch (statistic) {
    case TestStatistic::Q0:  // F(q | mu') = Phi(sqrt(q) - mu' / sigma)   [eq. 50]
      return normal_below(std::sqrt(q) - mu_true / sigma);
    case TestStatistic::Qtilde:
      return qtilde_below(q, mu, mu_true, sigma);
    case TestStatistic::T:
      return 1 - chi_square_tail(q, 1);
    default:
      throw std::invalid_argument("no law is written down for this statistic");
  }
}

}  // namespace nextstat::closure

#include "base/distributions.h"

#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "base/no_value.h"

namespace nextstat {
namespace {

// Arguments out of range give infinity, 0 or NaN, not exceptions.
// No computation uses more than double precision.
using Policy = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::promote_double<false>>;

constexpr double kRootOfTwo = 1.4142135623730951;

}  // namespace

double normal_tail(double x) { return 0.5 * boost::math::erfc(x / kRootOfTwo, Policy()); }

double log_normal_tail(double x) {
  if (x < 30) return std::log(normal_tail(x));
  if (std::isinf(x)) return -x;
  // phi(x) / x (1 - 1/x^2 + 3/x^4 - 15/x^6 + ...)
  const double u = 1 / (x * x);
  const double series = -u * (1 - u * (3 - u * (15 - u * 105)));
  return -x * x / 2 - std::log(x * std::sqrt(2 * 3.14159265358979323846)) + std::log1p(series);
}

double normal_quantile_of_tail(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? std::numeric_limits<double>::infinity() : kNoValue;
  return kRootOfTwo * boost::math::erfc_inv(2 * p, Policy());
}

double chi_square_tail(double x, std::ptrdiff_t ndof) {
  if (ndof < 1 || std::isnan(x)) return kNoValue;
  if (x <= 0) return 1;
  if (std::isinf(x)) return 0;
  return boost::math::gamma_q(static_cast<double>(ndof) / 2, x / 2, Policy());
}

}  // namespace nextstat

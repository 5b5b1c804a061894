#include "infer/distributions.h"
#include "base/none.h"

#include <cmath>
#include <limits>

namespace nextstat {
namespace {

// Q(a, x) of the incomplete gamma function by its series for small x, by the continued fraction of Lentz for
// large.
double upper_gamma(double a, double x) {
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * 1e-17; ++n) sum += term *= x / n;
    return 1 - front * sum;
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, fraction = d;
  for (double i = 1; i < 10000; ++i) {
    const double numerator = -i * (i - a);
    b += 2;
    d = numerator * d + b;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = b + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    fraction *= d * c;
    if (std::abs(d * c - 1) < 1e-16) break;
  }
  return front * fraction;
}

}  // namespace

double normal_tail(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

double log_normal_tail(double x) {
  if (x < 30) return std::log(normal_tail(x));
  if (std::isinf(x)) return -x;
  // phi(x) / x (1 - 1/x^2 + 3/x^4 - 15/x^6 + ...)
  const double u = 1 / (x * x);
  const double series = -u * (1 - u * (3 - u * (15 - u * 105)));
  return -x * x / 2 - std::log(x * std::sqrt(2 * 3.14159265358979323846)) + std::log1p(series);
}

double normal_quantile_of_tail(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? std::numeric_limits<double>::infinity() : kNone;
  if (p > 0.5) return -normal_quantile_of_tail(1 - p);
  // Newton on log(tail), which is concave: from below the root it never overshoots.
  double x = 0;
  for (int i = 0; i < 100; ++i) {
    const double tail = normal_tail(x);
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
    const double step = tail / density * std::log(tail / p);
    x += step;
    if (std::abs(step) < 1e-15 * (1 + std::abs(x))) break;
  }
  return x;
}

double chi_square_tail(double x, std::ptrdiff_t ndof) {
  if (ndof < 1 || std::isnan(x)) return kNone;
  if (x <= 0) return 1;
  if (std::isinf(x)) return 0;
  return upper_gamma(static_cast<double>(ndof) / 2, x / 2);
}

}  // namespace nextstat

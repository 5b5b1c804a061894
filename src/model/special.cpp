#include "model/special.h"

#include "kernels/host.h"

namespace nextstat {
namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr double kEulerGamma = 0.5772156649015329;

// Stirling's series; past n = 16 the first term left out is below 2e-18.
//   log(2 pi n) / 2 + 1 / (12 n) - 1 / (360 n^3) + 1 / (1260 n^5) - ...
double stirling(double n) {
  const double u = 1 / n;
  const double w = u * u;
  double sum = -691.0 / 360360;
  sum = sum * w + 1.0 / 1188;
  sum = sum * w - 1.0 / 1680;
  sum = sum * w + 1.0 / 1260;
  sum = sum * w - 1.0 / 360;
  sum = sum * w + 1.0 / 12;
  return 0.5 * host::ns_log(kTwoPi * n) + sum * u;
}

}  // namespace

double log_factorial_excess(double n) {
  if (n == 0) return 0;
  // E(n) = n (1 - gamma - log n) + O(n^2), and 1 / n below would overflow.
  if (n < 1e-16) return n * (1 - kEulerGamma - host::ns_log(n));
  // E(n) = E(n + 1) - n (1/n - log(1 + 1/n)): every step is a small positive number without cancellation.
  double steps = 0;
  for (; n <= 16; n += 1) steps += n * host::ns_t_minus_log1p(1 / n);
  return stirling(n) - steps;
}

}  // namespace nextstat

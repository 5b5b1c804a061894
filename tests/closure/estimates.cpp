#include "closure/estimates.h"

#include <algorithm>
#include <cmath>

namespace nextstat::closure {

Estimate mean(const std::vector<double>& sample) {
  const double n = static_cast<double>(sample.size());
  double sum = 0;
  for (const double x : sample) sum += x;
  return {sum / n, width(sample).value / std::sqrt(n)};
}

Estimate width(const std::vector<double>& sample) {
  const double n = static_cast<double>(sample.size());
  double sum = 0, squares = 0;
  for (const double x : sample) sum += x;
  for (const double x : sample) squares += (x - sum / n) * (x - sum / n);
  const double value = std::sqrt(squares / (n - 1));
  return {value, value / std::sqrt(2 * (n - 1))};
}

Estimate fraction(std::size_t count, std::size_t all, double p) {
  const double n = static_cast<double>(all);
  return {static_cast<double>(count) / n, std::sqrt(p * (1 - p) / n)};
}

double kolmogorov_smirnov(std::vector<double> sample, const std::function<double(double)>& below) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double law = below(sample[i]), before = static_cast<double>(i) / n;
    distance = std::max({distance, law - before, before + 1 / n - law});
  }
  // P(D >= d) = 2 sum_k (-1)^(k-1) exp(-2 k^2 x^2) with Stephens' x for samples that are not infinite.
  const double x = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  if (x < 0.2) return 1;  // to 1e-12
  double p = 0;
  for (int k = 1; k <= 100; ++k) p += (k % 2 == 1 ? 2 : -2) * std::exp(-2 * k * k * x * x);
  return std::clamp(p, 0.0, 1.0);
}

Line straight_line(const std::vector<double>& x, const std::vector<Estimate>& y) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (y[i].error * y[i].error);
    w += weight;
    wx += weight * x[i];
    wy += weight * y[i].value;
    wxx += weight * x[i] * x[i];
    wxy += weight * x[i] * y[i].value;
  }
  const double determinant = w * wxx - wx * wx;
  return {{(wxx * wy - wx * wxy) / determinant, std::sqrt(wxx / determinant)},
          {(w * wxy - wx * wy) / determinant, std::sqrt(w / determinant)}};
}

}  // namespace nextstat::closure

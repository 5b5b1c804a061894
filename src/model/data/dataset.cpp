#include "model/data/dataset.h"

#include <cmath>
#include <limits>

#include "kernels/host.h"

namespace nextstat {
namespace {

constexpr double kLogSqrtTwoPi = 0.91893853320467274178;

// log_factorial_excess of the small counts, which toys ask for again and again.
double excess_of(double n) {
  constexpr std::size_t kSmall = 1024;
  static const std::vector<double> known = [] {
    std::vector<double> values(kSmall, 0.0);
    for (std::size_t i = 1; i < kSmall; ++i) values[i] = log_factorial_excess(static_cast<double>(i));
    return values;
  }();
  if (n >= 1 && n < kSmall) {
    const auto i = static_cast<std::size_t>(n);
    if (static_cast<double>(i) == n) return known[i];
  }
  return log_factorial_excess(n);
}

}  // namespace

double clean_data(const CompiledModel& model, std::span<double> values) {
  double constant = 0;
  const auto count = [&](double& n) {
    if (n < host::ns_smallest_count()) {
      if (n > 0) n = 0;
      return;
    }
    constant += excess_of(n);
  };
  for (std::size_t i = 0; i < model.n_bins; ++i) count(values[i]);
  for (const auto& constraint : model.poissons) count(values[constraint.data]);
  for (const auto& constraint : model.normals) constant += host::ns_log(constraint.sigma) + kLogSqrtTwoPi;
  return constant;
}

Dataset make_dataset(const CompiledModel& model, std::span<const double> values) {
  Dataset data;
  data.values.assign(values.begin(), values.end());
  data.inverse.assign(values.size(), 0.0);
  data.constant = clean_data(model, data.values);
  const auto invert = [&](std::size_t i) { data.inverse[i] = host::ns_inverse_count(data.values[i]); };
  for (std::size_t i = 0; i < model.n_bins; ++i) invert(i);
  for (const auto& constraint : model.poissons) invert(constraint.data);
  return data;
}

namespace {

// +infinity too where a number is no count.
double poisson_nll(const Dataset& data, std::size_t datum, double rate) {
  const double n = data.values[datum];
  if (!(n >= 0)) return std::numeric_limits<double>::infinity();
  return host::ns_poisson_deviance(n, data.inverse[datum], rate) + (n > 0 ? excess_of(n) : 0);
}

double number_or_infinity(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

}  // namespace

double constraint_nll(const CompiledModel& model, const Dataset& data, std::span<const double> parameters) {
  double sum = 0;
  for (const auto& constraint : model.normals) {
    const double pull = (data.values[constraint.data] - parameters[constraint.parameter]) / constraint.sigma;
    sum += 0.5 * pull * pull + host::ns_log(constraint.sigma) + kLogSqrtTwoPi;
  }
  for (const auto& constraint : model.poissons) {
    sum += poisson_nll(data, constraint.data, parameters[constraint.parameter] * constraint.tau);
  }
  return number_or_infinity(sum);
}

double main_nll(const CompiledModel& model, const Dataset& data, std::span<const double> rates) {
  double sum = 0;
  for (std::size_t bin = 0; bin < model.n_bins; ++bin) sum += poisson_nll(data, bin, rates[bin]);
  return number_or_infinity(sum);
}

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

#include "model/dataset.h"

#include "kernels/host.h"
#include "model/special.h"

namespace nextstat {
namespace {

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
  constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
  double constant = 0;
  const auto count = [&](double& n) {
    if (n < kSmallestCount) {
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
  const auto invert = [&](std::size_t i) {
    if (!(data.values[i] < kSmallestCount)) data.inverse[i] = 1.0 / data.values[i];
  };
  for (std::size_t i = 0; i < model.n_bins; ++i) invert(i);
  for (const auto& constraint : model.poissons) invert(constraint.data);
  return data;
}

}  // namespace nextstat

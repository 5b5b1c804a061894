#include "model/data_set.h"

#include "kernels/host.h"
#include "model/special.h"

namespace nextstat {

DataSet make_data_set(const CompiledModel& model, std::span<const double> values) {
  constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
  DataSet data;
  data.values.assign(values.begin(), values.end());
  data.inverse.assign(values.size(), 0.0);
  const auto count = [&](std::size_t i) {
    double& n = data.values[i];
    if (n < kSmallestCount) {
      if (n > 0) n = 0;
      return;
    }
    data.inverse[i] = 1.0 / n;
    data.constant += log_factorial_excess(n);
  };
  for (std::size_t i = 0; i < model.n_bins; ++i) count(i);
  for (const auto& constraint : model.poissons) count(constraint.data);
  for (const auto& constraint : model.normals)
    data.constant += host::ns_log(constraint.sigma) + kLogSqrtTwoPi;
  return data;
}

}  // namespace nextstat

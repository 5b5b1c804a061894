#include "model/channel_derivatives.h"

namespace nextstat {

void ChannelDerivatives::evaluate(const CompiledModel::Channel& channel, std::span<const double> x) {
  used_ = channel.sample_end - channel.sample_begin;
  if (samples_.size() < used_) samples_.resize(used_);
  rates_.assign(channel.bins, 0.0);
  for (std::size_t s = 0; s < used_; ++s) {
    SampleDerivatives& at = samples_[s];
    at.evaluate(model_, model_.samples[channel.sample_begin + s], x);
    for (std::size_t bin = 0; bin < at.base.size(); ++bin)
      rates_[bin] += at.factor * (at.gamma_product[bin] * at.base[bin]);
  }
}

void ChannelDerivatives::sample_rows(const SampleDerivatives& at, const std::uint32_t* column,
                                     std::size_t width, std::vector<double>& rows) const {
  const std::size_t bins = at.base.size();
  rows.assign(bins * width, 0.0);
  if (bins == 0) return;
  // The first row holds dF until it is its turn.
  double* first = rows.data();
  for (const auto& ratio : at.ratios) first[column[ratio.parameter]] += at.factor * ratio.first;
  for (const auto& factor : at.factors) first[column[factor.parameter]] += factor.others;
  for (std::size_t bin = bins; bin-- > 0;) {
    double* row = rows.data() + bin * width;
    for (std::size_t i = 0; i < width; ++i) row[i] = at.base[bin] * first[i];
  }
  for (const auto& shift : at.shifts)
    rows[shift.bin * width + column[shift.parameter]] += at.factor * shift.first;
}

void ChannelDerivatives::add_to_jacobian(const SampleDerivatives& at, std::span<const double> rows,
                                         const std::uint32_t* column, std::size_t width,
                                         std::span<double> jacobian, std::span<double> locals) const {
  for (std::size_t bin = 0; bin < at.base.size(); ++bin) {
    const double gamma = at.gamma_product[bin];
    const double* row = rows.data() + bin * width;
    double* sum = jacobian.data() + bin * width;
    for (std::size_t i = 0; i < width; ++i) sum[i] += gamma * row[i];
  }
  for (const auto& gamma : at.gammas) {
    const double slope = at.factor * at.base[gamma.bin] * gamma.others;
    if (model_.is_local[gamma.parameter]) {
      locals[model_.place[gamma.parameter]] += slope;
    } else {
      jacobian[gamma.bin * width + column[gamma.parameter]] += slope;
    }
  }
}

}  // namespace nextstat

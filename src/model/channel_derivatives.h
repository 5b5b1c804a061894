// First derivatives of one channel's rates, sample by sample.
//
//   nu_b = sum_s G_sb F_s base_sb
//   D_sb = d (F_s base_sb) / d theta, without the gammas
//   J_b  = sum_s G_sb D_sb
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/compiled_model.h"
#include "model/sample_derivatives.h"

namespace nextstat {

class ChannelDerivatives {
 public:
  explicit ChannelDerivatives(const CompiledModel& model) : model_(model) {}

  // Evaluates the samples of a channel and its rates.
  void evaluate(const CompiledModel::Channel& channel, std::span<const double> x);

  std::span<const double> rates() const { return rates_; }  // [bin of the channel]
  std::span<const SampleDerivatives> samples() const { return {samples_.data(), used_}; }

  // D of one sample over `width` columns, [bin][column]; column[parameter] = its place.
  void sample_rows(const SampleDerivatives& at, const std::uint32_t* column, std::size_t width,
                   std::vector<double>& rows) const;

  // Adds one sample to the Jacobian: J_b += G_b D_b, the global gammas, and the slopes of the local ones.
  void add_to_jacobian(const SampleDerivatives& at, std::span<const double> rows, const std::uint32_t* column,
                       std::size_t width, std::span<double> jacobian, std::span<double> locals) const;

 private:
  const CompiledModel& model_;
  std::vector<SampleDerivatives> samples_;  // buffers are kept from channel to channel
  std::size_t used_ = 0;
  std::vector<double> rates_;
};

}  // namespace nextstat

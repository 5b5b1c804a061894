// First derivatives of one channel's rates, sample by sample.
//
//   nu_b = sum_s G_sb F_s base_sb
//   D_sb = d (F_s base_sb) / d theta, without the gammas
//   J_b  = sum_s G_sb D_sb
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/compile/compiled_model.h"

namespace nextstat {

// One sample's rate and everything needed to differentiate it, at one point.
//
//   nu_b = F G_b base_b,  F = prod(factors) prod(ratio terms),  base_b = nominal_b + sum_h delta_h(a_h)

struct SampleDerivatives {
  // A term of F with its logarithmic derivatives f'/f and f''/f: normsys in all forms.
  struct Ratio {
    std::uint32_t parameter;
    double first, second;
  };
  // A free factor: the product of all other terms of F.
  struct Factor {
    std::uint32_t parameter;
    double value, others;
  };
  // A shift in one bin: d base / d a and d2 base / d a2.
  struct Shift {
    std::uint32_t parameter, bin;
    double first, second;
  };
  // A gamma in one bin: the product of the other gammas of that bin.
  struct Gamma {
    std::uint32_t parameter, bin;
    double value, others;
  };
  double norm = 1, factor = 1;  // prod(ratio terms); F
  std::vector<Ratio> ratios;
  std::vector<Factor> factors;
  std::vector<Shift> shifts;
  std::vector<Gamma> gammas;
  std::vector<double> base, gamma_product;  // [bin of the sample]

  void evaluate(const CompiledModel& model, const CompiledModel::Sample& sample, std::span<const double> x);

 private:
  void evaluate_ratios(const CompiledModel& model, const CompiledModel::Sample& sample,
                       std::span<const double> x);
  void evaluate_factors(const CompiledModel& model, const CompiledModel::Sample& sample,
                        std::span<const double> x);
  void evaluate_shifts(const CompiledModel& model, const CompiledModel::Sample& sample,
                       std::span<const double> x);
  void evaluate_gammas(const CompiledModel& model, const CompiledModel::Sample& sample,
                       std::span<const double> x);
};

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

// First derivatives of one channel's rates, sample by sample.
//
//   nu_b = sum_s G_sb F_s base_sb
//   J_b  = sum_s G_sb (base_sb dF_s + F_s d base_sb), and the gammas
//
//   ChannelDerivatives at(model, x);
//   at.enter(channel);
//   at.add_to_jacobian(columns, width, jacobian, locals);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/compile/compiled_model.h"

namespace nextstat {

// The shape of a shift at the value of its parameter: t(a), its slope and its curvature.
struct ShapeAt {
  double value = 0, slope = 0, curvature = 0;
};

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
  std::span<Ratio> ratios;
  std::span<Factor> factors;
  std::span<Shift> shifts;
  std::span<Gamma> gammas;
  std::span<double> base, gamma_product;  // [bin of the sample]
};

class ChannelDerivatives {
 public:
  // At a point, which must outlive this.
  ChannelDerivatives(const CompiledModel& model, std::span<const double> x);

  // Evaluates the samples of a channel and its rates.
  void enter(const CompiledModel::Channel& channel);

  std::span<const double> rates() const { return rates_; }  // [bin of the channel]
  std::span<const SampleDerivatives> samples() const { return samples_; }

  // J over `width` columns, [bin][column], where column[parameter] is a place, and the slopes of the local gammas,
  // [local of the model].
  void add_to_jacobian(const std::uint32_t* column, std::size_t width, std::span<double> jacobian,
                       std::span<double> locals);
  // dF of the samples, [sample][column]: of the last call of add_to_jacobian.
  const double* factor_rows() const { return factor_rows_.data(); }

 private:
  void make_room(const CompiledModel::Channel& channel);
  void evaluate_ratios(const CompiledModel::Sample& sample, SampleDerivatives& at) const;
  void evaluate_factors(const CompiledModel::Sample& sample, SampleDerivatives& at) const;
  void evaluate_shifts(const CompiledModel::Sample& sample, SampleDerivatives& at) const;
  void evaluate_gammas(const CompiledModel::Sample& sample, SampleDerivatives& at);

  const CompiledModel& model_;
  std::span<const double> x_;
  std::vector<ShapeAt> shapes_;  // [parameter]
  std::vector<SampleDerivatives> samples_;
  std::vector<double> rates_, factor_rows_, cells_;
  // What the samples hold, one after the other.
  std::vector<SampleDerivatives::Ratio> ratios_;
  std::vector<SampleDerivatives::Factor> factors_;
  std::vector<SampleDerivatives::Shift> shifts_;
  std::vector<SampleDerivatives::Gamma> gammas_;
  std::vector<double> bases_, gamma_products_;
  std::vector<double> later_;  // [bin of the sample] product of gammas
};

}  // namespace nextstat

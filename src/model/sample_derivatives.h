// One sample's rate and everything needed to differentiate it, at one point.
//
//   nu_b = F G_b base_b,  F = prod(factors) prod(ratio terms),  base_b = nominal_b + sum_h delta_h(a_h)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/compiled_model.h"

namespace nextstat {

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

}  // namespace nextstat

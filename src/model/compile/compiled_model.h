// A model as flat arrays without names, ready to be copied to a device: what src/kernels works on.
#pragma once

#include <nextstat/model.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "kernels/layout.h"

namespace nextstat {

// What kernels and host code read of a model.
const CompiledModel& compiled_model(const Model& model);

struct CompiledModel {
  NsLayout layout{};
  AlignedVector<double> reals;
  AlignedVector<std::uint32_t> indices;

  // The same terms in plain lists, for host code (Jacobian, Hessian, metric). Only terms that have an effect
  // are here. model_digest.cpp reads every list: a new one belongs there too.
  struct Norm {
    std::uint32_t parameter, sample;
    double coefficients[6], log_high, log_low;
    double high, low;  // what the others are made of
  };
  struct Linear {
    std::uint32_t parameter, sample;
    double odd, even;  // f = 1 + a odd + |a| even
  };
  struct Factor {
    std::uint32_t parameter, sample;
  };
  struct Shift {
    std::uint32_t parameter, cell;
    double odd, even;  // delta = a odd + t(a) even
  };
  struct Gamma {
    std::uint32_t parameter, cell;
  };
  struct Sample {
    std::uint32_t channel, first_cell, first_bin,
        bins;  // its cells and the bins they stand in are consecutive
    std::uint32_t norm_begin, norm_end, linear_begin, linear_end, factor_begin, factor_end, shift_begin,
        shift_end, gamma_begin, gamma_end;
  };
  struct NormalConstraint {
    std::uint32_t parameter, data;
    double sigma;
  };
  struct PoissonConstraint {
    std::uint32_t parameter, data;
    double tau;
  };
  // A parameter whose every term is a gamma in one and the same bin is local: it meets other parameters in
  // that bin only, so that it can be eliminated bin by bin. All other parameters are global.
  struct Channel {
    std::uint32_t sample_begin, sample_end, first_bin, bins;
    std::vector<std::uint32_t> globals;  // global parameters that act here, ascending
  };
  struct Local {
    std::uint32_t parameter, bin;
  };
  std::vector<Channel> channels;
  std::vector<std::uint32_t> globals;  // ascending
  std::vector<Local> locals;           // by bin, then parameter
  std::vector<std::uint32_t> place;    // [parameter] its position among the globals or among the locals
  std::vector<char> is_local;          // [parameter]

  std::vector<Norm> norms;      // grouped by sample
  std::vector<Linear> linears;  // grouped by sample
  std::vector<Factor> factors;  // grouped by sample
  std::vector<Shift> shifts;    // grouped by sample
  std::vector<Gamma> gammas;    // grouped by sample
  std::vector<Sample> samples;  // grouped by channel
  std::vector<double> nominal;  // [cell]
  std::vector<NormalConstraint> normals;
  std::vector<PoissonConstraint> poissons;

  std::size_t n_parameters = 0, n_bins = 0, n_data = 0;
  std::uint32_t normsys_code = 4, histosys_code = 4;  // as in NsLayout
};

// Fills channels, globals, locals and places from the terms.
void list_parameters(CompiledModel& model);

// Fills layout, reals and indices from the plain lists.
void lay_out(CompiledModel& model);

}  // namespace nextstat

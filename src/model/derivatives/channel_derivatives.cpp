#include "model/derivatives/channel_derivatives.h"

#include <cmath>

#include "base/algebra/dense.h"
#include "kernels/host.h"

namespace nextstat {

ChannelDerivatives::ChannelDerivatives(const CompiledModel& model, std::span<const double> x)
    : model_(model), x_(x), shapes_(model.n_parameters) {
  std::vector<char> shifts(model.n_parameters, 0);
  for (const CompiledModel::Shift& shift : model.shifts) shifts[shift.parameter] = 1;
  const std::uint32_t code = model.histosys_code;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    if (shifts[i])
      shapes_[i] = {host::ns_shape(code, x[i]), host::ns_shape_slope(code, x[i]),
                    host::ns_shape_curvature(code, x[i])};
  }
}

void ChannelDerivatives::enter(const CompiledModel::Channel& channel) {
  used_ = channel.sample_end - channel.sample_begin;
  if (samples_.size() < used_) samples_.resize(used_);
  rates_.assign(channel.bins, 0.0);
  for (std::size_t s = 0; s < used_; ++s) {
    SampleDerivatives& at = samples_[s];
    at.evaluate(model_, model_.samples[channel.sample_begin + s], x_, shapes_);
    for (std::size_t bin = 0; bin < at.base.size(); ++bin)
      rates_[bin] += at.factor * (at.gamma_product[bin] * at.base[bin]);
  }
}

void ChannelDerivatives::add_to_jacobian(const std::uint32_t* column, std::size_t width,
                                         std::span<double> jacobian, std::span<double> locals) {
  const std::size_t bins = rates_.size();
  factor_rows_.assign(used_ * width, 0.0);
  cells_.assign(used_ * bins, 0.0);  // [sample][bin] what multiplies dF
  for (std::size_t s = 0; s < used_; ++s) {
    const SampleDerivatives& at = samples_[s];
    double* const row = factor_rows_.data() + s * width;
    for (const auto& ratio : at.ratios) row[column[ratio.parameter]] += at.factor * ratio.first;
    for (const auto& factor : at.factors) row[column[factor.parameter]] += factor.others;
    for (std::size_t bin = 0; bin < at.base.size(); ++bin)
      cells_[s * bins + bin] = at.gamma_product[bin] * at.base[bin];
    for (const auto& shift : at.shifts)
      jacobian[shift.bin * width + column[shift.parameter]] +=
          at.gamma_product[shift.bin] * (at.factor * shift.first);
    for (const auto& gamma : at.gammas) {
      const double slope = at.factor * at.base[gamma.bin] * gamma.others;
      if (model_.is_local[gamma.parameter]) {
        locals[model_.place[gamma.parameter]] += slope;
      } else {
        jacobian[gamma.bin * width + column[gamma.parameter]] += slope;
      }
    }
  }
  dense::add_product(used_, bins, width, cells_.data(), bins, factor_rows_.data(), width, jacobian.data(),
                     width, {.threads = 1});
}

namespace {

// f, f'/f and f''/f of a normsys; the kernels compute the same f.
double norm_term(const CompiledModel::Norm& norm, std::uint32_t code, double a, double& first,
                 double& second) {
  const double c = host::ns_norm_inside(code, a);
  const double excess = a - c;
  double p = norm.coefficients[5], slope = 0, half_curvature = 0;
  for (int i = 4; i >= -1; --i) {
    half_curvature = half_curvature * c + slope;
    slope = slope * c + p;
    p = p * c + (i >= 0 ? norm.coefficients[i] : 1.0);
  }
  p = host::ns_not_zero(p);
  if (excess != 0 || code == 1) {
    first = excess > 0 ? norm.log_high : -norm.log_low;
    second = first * first;
    return p * host::ns_exp(excess * first);
  }
  const double inverse = 1 / p;
  first = slope * inverse;
  second = 2 * half_curvature * inverse;
  return p;
}

}  // namespace

void SampleDerivatives::evaluate(const CompiledModel& model, const CompiledModel::Sample& sample,
                                 std::span<const double> x, std::span<const ShapeAt> shapes) {
  evaluate_ratios(model, sample, x);
  evaluate_factors(model, sample, x);
  evaluate_shifts(model, sample, x, shapes);
  evaluate_gammas(model, sample, x);
}

void SampleDerivatives::evaluate_ratios(const CompiledModel& model, const CompiledModel::Sample& sample,
                                        std::span<const double> x) {
  norm = 1;
  ratios.clear();
  for (std::uint32_t i = sample.norm_begin; i < sample.norm_end; ++i) {
    const CompiledModel::Norm& term = model.norms[i];
    Ratio ratio{term.parameter, 0, 0};
    norm *= norm_term(term, model.normsys_code, x[term.parameter], ratio.first, ratio.second);
    ratios.push_back(ratio);
  }
  for (std::uint32_t i = sample.linear_begin; i < sample.linear_end; ++i) {
    const CompiledModel::Linear& term = model.linears[i];
    const double a = x[term.parameter];
    const double f = host::ns_not_zero(1 + (a * term.odd + std::abs(a) * term.even));
    norm *= f;
    ratios.push_back({term.parameter, (a > 0 ? term.odd + term.even : term.odd - term.even) / f, 0.0});
  }
}

void SampleDerivatives::evaluate_factors(const CompiledModel& model, const CompiledModel::Sample& sample,
                                         std::span<const double> x) {
  factors.clear();
  factor = norm;
  for (std::uint32_t i = sample.factor_begin; i < sample.factor_end; ++i) {
    const std::uint32_t parameter = model.factors[i].parameter;
    factors.push_back({parameter, x[parameter], norm});
    factor *= x[parameter];
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t j = 0; j < factors.size(); ++j) {
      if (i != j) factors[i].others *= factors[j].value;
    }
  }
}

void SampleDerivatives::evaluate_shifts(const CompiledModel& model, const CompiledModel::Sample& sample,
                                        std::span<const double> x, std::span<const ShapeAt> shapes) {
  const auto nominal = model.nominal.begin() + sample.first_cell;
  base.assign(nominal, nominal + sample.bins);
  shifts.resize(sample.shift_end - sample.shift_begin);
  for (std::uint32_t i = sample.shift_begin; i < sample.shift_end; ++i) {
    const CompiledModel::Shift& term = model.shifts[i];
    const ShapeAt& shape = shapes[term.parameter];
    const std::uint32_t bin = term.cell - sample.first_cell;
    base[bin] += x[term.parameter] * term.odd + shape.value * term.even;
    shifts[i - sample.shift_begin] = {term.parameter, bin, term.odd + shape.slope * term.even,
                                      shape.curvature * term.even};
  }
}

void SampleDerivatives::evaluate_gammas(const CompiledModel& model, const CompiledModel::Sample& sample,
                                        std::span<const double> x) {
  gamma_product.assign(sample.bins, 1.0);
  gammas.clear();
  for (std::uint32_t i = sample.gamma_begin; i < sample.gamma_end; ++i) {
    const CompiledModel::Gamma& term = model.gammas[i];
    gammas.push_back({term.parameter, term.cell - sample.first_cell, x[term.parameter],
                      gamma_product[term.cell - sample.first_cell]});
    gamma_product[gammas.back().bin] *= gammas.back().value;
  }
  // What stands in `others` is the product of the earlier gammas of the bin; now multiply the later ones in.
  std::vector<double> after(sample.bins, 1.0);
  for (std::size_t i = gammas.size(); i-- > 0;) {
    gammas[i].others *= after[gammas[i].bin];
    after[gammas[i].bin] *= gammas[i].value;
  }
}

}  // namespace nextstat

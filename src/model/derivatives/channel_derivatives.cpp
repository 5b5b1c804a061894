#include "model/derivatives/channel_derivatives.h"

#include <algorithm>
#include <cmath>

#include "base/algebra/dense.h"
#include "kernels/host.h"

namespace nextstat {

ChannelDerivatives::ChannelDerivatives(const CompiledModel& model, std::span<const double> x)
    : model_(model), x_(x), shapes_(model.n_parameters) {
  const std::uint32_t code = model.histosys_code;
  for (std::size_t i = 0; i < shapes_.size(); ++i)  // without shifts too: quicker than looking for them
    shapes_[i] = {host::ns_shape(code, x[i]), host::ns_shape_slope(code, x[i]),
                  host::ns_shape_curvature(code, x[i])};
}

void ChannelDerivatives::enter(const CompiledModel::Channel& channel) {
  make_room(channel);
  rates_.assign(channel.bins, 0.0);
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    SampleDerivatives& at = samples_[s];
    const CompiledModel::Sample& sample = model_.samples[channel.sample_begin + s];
    evaluate_ratios(sample, at);
    evaluate_factors(sample, at);
    evaluate_shifts(sample, at);
    evaluate_gammas(sample, at);
    for (std::size_t bin = 0; bin < at.base.size(); ++bin)
      rates_[bin] += at.factor * (at.gamma_product[bin] * at.base[bin]);
  }
}

// Terms are grouped by sample, samples by channel.
void ChannelDerivatives::make_room(const CompiledModel::Channel& channel) {
  const auto samples =
      std::span(model_.samples).subspan(channel.sample_begin, channel.sample_end - channel.sample_begin);
  samples_.resize(samples.size());
  if (samples.empty()) return;
  const CompiledModel::Sample &first = samples.front(), &last = samples.back();
  ratios_.resize((last.norm_end - first.norm_begin) + (last.linear_end - first.linear_begin));
  factors_.resize(last.factor_end - first.factor_begin);
  shifts_.resize(last.shift_end - first.shift_begin);
  gammas_.resize(last.gamma_end - first.gamma_begin);
  const std::size_t cells = last.first_cell + last.bins - first.first_cell;
  bases_.resize(cells);
  gamma_products_.resize(cells);
  const auto part = [](auto& all, std::size_t begin, std::size_t count) {
    return std::span(all).subspan(begin, count);
  };
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const CompiledModel::Sample& sample = samples[s];
    SampleDerivatives& at = samples_[s];
    at.ratios =
        part(ratios_, (sample.norm_begin - first.norm_begin) + (sample.linear_begin - first.linear_begin),
             (sample.norm_end - sample.norm_begin) + (sample.linear_end - sample.linear_begin));
    at.factors =
        part(factors_, sample.factor_begin - first.factor_begin, sample.factor_end - sample.factor_begin);
    at.shifts = part(shifts_, sample.shift_begin - first.shift_begin, sample.shift_end - sample.shift_begin);
    at.gammas = part(gammas_, sample.gamma_begin - first.gamma_begin, sample.gamma_end - sample.gamma_begin);
    at.base = part(bases_, sample.first_cell - first.first_cell, sample.bins);
    at.gamma_product = part(gamma_products_, sample.first_cell - first.first_cell, sample.bins);
  }
}

void ChannelDerivatives::add_to_jacobian(const std::uint32_t* column, std::size_t width,
                                         std::span<double> jacobian, std::span<double> locals) {
  const std::size_t bins = rates_.size();
  factor_rows_.clear();
  factor_rows_.resize(samples_.size() * width);  // a memset, which assign is not
  cells_.assign(samples_.size() * bins, 0.0);    // [sample][bin] what multiplies dF
  for (std::size_t s = 0; s < samples_.size(); ++s) {
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
  dense::add_product(samples_.size(), bins, width, cells_.data(), bins, factor_rows_.data(), width,
                     jacobian.data(), width, {.threads = 1});
}

namespace {

// f, f'/f and f''/f of a normsys; the kernels compute the same f.
double norm_term(const CompiledModel::Norm& norm, std::uint32_t code, double a, double& first,
                 double& second) {
  const double c = host::ns_norm_inside(code, a);
  const double excess = a - c;
  if (a == 0 && code != 1) {  // most often: where fits start
    first = norm.coefficients[0];
    second = 2 * norm.coefficients[1];
    return 1.0;
  }
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

void ChannelDerivatives::evaluate_ratios(const CompiledModel::Sample& sample, SampleDerivatives& at) const {
  double norm = 1;
  auto ratio = at.ratios.begin();
  for (std::uint32_t i = sample.norm_begin; i < sample.norm_end; ++i, ++ratio) {
    const CompiledModel::Norm& term = model_.norms[i];
    ratio->parameter = term.parameter;
    norm *= norm_term(term, model_.normsys_code, x_[term.parameter], ratio->first, ratio->second);
  }
  for (std::uint32_t i = sample.linear_begin; i < sample.linear_end; ++i, ++ratio) {
    const CompiledModel::Linear& term = model_.linears[i];
    const double a = x_[term.parameter];
    const double f = host::ns_not_zero(1 + (a * term.odd + std::abs(a) * term.even));
    norm *= f;
    *ratio = {term.parameter, (a > 0 ? term.odd + term.even : term.odd - term.even) / f, 0.0};
  }
  at.norm = norm;
}

void ChannelDerivatives::evaluate_factors(const CompiledModel::Sample& sample, SampleDerivatives& at) const {
  at.factor = at.norm;
  for (std::size_t i = 0; i < at.factors.size(); ++i) {
    const std::uint32_t parameter = model_.factors[sample.factor_begin + i].parameter;
    at.factors[i] = {parameter, x_[parameter], at.norm};
    at.factor *= x_[parameter];
  }
  for (std::size_t i = 0; i < at.factors.size(); ++i) {
    for (std::size_t j = 0; j < at.factors.size(); ++j) {
      if (i != j) at.factors[i].others *= at.factors[j].value;
    }
  }
}

void ChannelDerivatives::evaluate_shifts(const CompiledModel::Sample& sample, SampleDerivatives& at) const {
  std::copy_n(model_.nominal.begin() + sample.first_cell, sample.bins, at.base.begin());
  const CompiledModel::Shift *term = model_.shifts.data() + sample.shift_begin,
                             *end = term + at.shifts.size();
  SampleDerivatives::Shift* to = at.shifts.data();
  while (term != end) {  // parameter by parameter
    const std::uint32_t parameter = term->parameter;
    const double x = x_[parameter];
    const ShapeAt shape = shapes_[parameter];
    for (; term != end && term->parameter == parameter; ++term, ++to) {
      const std::uint32_t bin = term->cell - sample.first_cell;
      at.base[bin] += x * term->odd + shape.value * term->even;
      *to = {parameter, bin, term->odd + shape.slope * term->even, shape.curvature * term->even};
    }
  }
}

void ChannelDerivatives::evaluate_gammas(const CompiledModel::Sample& sample, SampleDerivatives& at) {
  std::fill(at.gamma_product.begin(), at.gamma_product.end(), 1.0);
  for (std::size_t i = 0; i < at.gammas.size(); ++i) {
    const CompiledModel::Gamma& term = model_.gammas[sample.gamma_begin + i];
    const std::uint32_t bin = term.cell - sample.first_cell;
    at.gammas[i] = {term.parameter, bin, x_[term.parameter], at.gamma_product[bin]};
    at.gamma_product[bin] *= at.gammas[i].value;
  }
  // What stands in `others` is the product of the earlier gammas of the bin; now multiply the later ones in.
  later_.assign(sample.bins, 1.0);
  for (std::size_t i = at.gammas.size(); i-- > 0;) {
    at.gammas[i].others *= later_[at.gammas[i].bin];
    later_[at.gammas[i].bin] *= at.gammas[i].value;
  }
}

}  // namespace nextstat

#include "model/derivatives.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "model/sample_derivatives.h"

namespace nextstat {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The samples of each channel are consecutive: calls visit(first sample, one past the last).
template <class Visit>
void for_each_channel(const CompiledModel& model, Visit&& visit) {
  for (std::size_t begin = 0; begin < model.samples.size();) {
    std::size_t end = begin;
    while (end < model.samples.size() && model.samples[end].channel == model.samples[begin].channel) ++end;
    visit(begin, end);
    begin = end;
  }
}

std::vector<std::uint32_t> channel_parameters(const CompiledModel& model, std::size_t begin,
                                              std::size_t end) {
  std::vector<std::uint32_t> parameters;
  const auto add = [&](const auto& terms, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) parameters.push_back(terms[i].parameter);
  };
  for (std::size_t s = begin; s < end; ++s) {
    const CompiledModel::Sample& sample = model.samples[s];
    add(model.norms, sample.norm_begin, sample.norm_end);
    add(model.linears, sample.linear_begin, sample.linear_end);
    add(model.factors, sample.factor_begin, sample.factor_end);
    add(model.shifts, sample.shift_begin, sample.shift_end);
    add(model.gammas, sample.gamma_begin, sample.gamma_end);
  }
  std::sort(parameters.begin(), parameters.end());
  parameters.erase(std::unique(parameters.begin(), parameters.end()), parameters.end());
  return parameters;
}

// Adds one sample to the rates and to the Jacobian of its channel.
void add_sample(const SampleDerivatives& at, const std::vector<std::uint32_t>& column, JacobianBlock& block,
                std::vector<double>& rates) {
  const std::size_t columns = block.parameters.size();
  const auto entry = [&](std::size_t bin, std::uint32_t parameter) -> double& {
    return block.values[bin * columns + column[parameter]];
  };
  for (std::size_t bin = 0; bin < at.base.size(); ++bin) {
    const double shape = at.gamma_product[bin] * at.base[bin];
    rates[block.first_bin + bin] += at.factor * shape;
    for (const auto& ratio : at.ratios) entry(bin, ratio.parameter) += at.factor * ratio.first * shape;
    for (const auto& factor : at.factors) entry(bin, factor.parameter) += factor.others * shape;
  }
  for (const auto& shift : at.shifts)
    entry(shift.bin, shift.parameter) += at.factor * at.gamma_product[shift.bin] * shift.first;
  for (const auto& gamma : at.gammas)
    entry(gamma.bin, gamma.parameter) += at.factor * at.base[gamma.bin] * gamma.others;
}

// Adds sum_b w_b d2 nu_b of one sample to the Hessian.
class SecondDerivatives {
 public:
  explicit SecondDerivatives(Matrix& hessian)
      : h_(hessian), sum_(static_cast<std::size_t>(hessian.rows()), 0.0) {}

  void add(const SampleDerivatives& at, std::span<const double> weights) {
    double total = 0;  // sum_b w_b G_b base_b
    for (std::size_t bin = 0; bin < at.base.size(); ++bin)
      total += weights[bin] * at.gamma_product[bin] * at.base[bin];
    scalars(at, total);
    shifts(at, weights);
    gammas(at, weights);
  }

 private:
  // Terms of two different kinds or places: both (i, j) and (j, i), which coincide for i == j.
  void pair(std::uint32_t i, std::uint32_t j, double value) {
    h_(i, j) += value;
    h_(j, i) += value;
  }

  void scalars(const SampleDerivatives& at, double total) {
    for (std::size_t k = 0; k < at.ratios.size(); ++k) {
      const auto& ratio = at.ratios[k];
      h_(ratio.parameter, ratio.parameter) += at.factor * ratio.second * total;
      const double scaled = at.factor * ratio.first * total;
      for (std::size_t l = 0; l < k; ++l)
        pair(ratio.parameter, at.ratios[l].parameter, scaled * at.ratios[l].first);
      for (const auto& factor : at.factors)
        pair(ratio.parameter, factor.parameter, factor.others * ratio.first * total);
    }
    for (std::size_t j = 0; j < at.factors.size(); ++j) {
      for (std::size_t l = 0; l < j; ++l) {
        double others = at.norm;
        for (std::size_t i = 0; i < at.factors.size(); ++i) {
          if (i != j && i != l) others *= at.factors[i].value;
        }
        pair(at.factors[j].parameter, at.factors[l].parameter, others * total);
      }
    }
  }

  // A scalar term with anything that lives in bins: its derivative times `slope`, the derivative of sum_b w_b
  // G_b base_b.
  void with_scalars(const SampleDerivatives& at, std::uint32_t parameter, double slope) {
    for (const auto& ratio : at.ratios) pair(parameter, ratio.parameter, at.factor * ratio.first * slope);
    for (const auto& factor : at.factors) pair(parameter, factor.parameter, factor.others * slope);
  }

  void shifts(const SampleDerivatives& at, std::span<const double> weights) {
    touched_.clear();
    for (const auto& shift : at.shifts) {
      const double weight = weights[shift.bin] * at.gamma_product[shift.bin];
      h_(shift.parameter, shift.parameter) += at.factor * weight * shift.second;
      if (touched_.empty() || touched_.back() != shift.parameter) touched_.push_back(shift.parameter);
      sum_[shift.parameter] += weight * shift.first;
    }
    for (std::uint32_t parameter : touched_) {
      with_scalars(at, parameter, sum_[parameter]);
      sum_[parameter] = 0;
    }
  }

  void gammas(const SampleDerivatives& at, std::span<const double> weights) {
    if (at.gammas.empty()) return;
    shifts_of_bin_.assign(at.base.size(), {});
    for (const auto& shift : at.shifts) shifts_of_bin_[shift.bin].push_back(&shift);
    gammas_of_bin_.assign(at.base.size(), {});
    for (const auto& gamma : at.gammas) {
      const double slope = weights[gamma.bin] * gamma.others;
      with_scalars(at, gamma.parameter, slope * at.base[gamma.bin]);
      for (const auto* shift : shifts_of_bin_[gamma.bin])
        pair(gamma.parameter, shift->parameter, at.factor * slope * shift->first);
      for (const auto* other : gammas_of_bin_[gamma.bin]) gamma_pair(at, gamma, *other, weights[gamma.bin]);
      gammas_of_bin_[gamma.bin].push_back(&gamma);
    }
  }

  void gamma_pair(const SampleDerivatives& at, const SampleDerivatives::Gamma& a,
                  const SampleDerivatives::Gamma& b, double weight) {
    double others = 1;
    for (const auto& gamma : at.gammas) {
      if (gamma.bin == a.bin && &gamma != &a && &gamma != &b) others *= gamma.value;
    }
    pair(a.parameter, b.parameter, at.factor * weight * at.base[a.bin] * others);
  }

  Matrix& h_;
  std::vector<double> sum_;  // [parameter], zero between samples
  std::vector<std::uint32_t> touched_;
  std::vector<std::vector<const SampleDerivatives::Shift*>> shifts_of_bin_;
  std::vector<std::vector<const SampleDerivatives::Gamma*>> gammas_of_bin_;
};

// J^T diag(n / nu^2) J of one channel.
void add_information(const JacobianBlock& block, std::span<const double> rates, const DataSet& data,
                     Matrix& hessian) {
  const Eigen::Index bins = static_cast<Eigen::Index>(block.bins),
                     columns = static_cast<Eigen::Index>(block.parameters.size());
  if (columns == 0) return;  // a channel without modifiers
  Matrix scaled = Eigen::Map<const Matrix>(block.values.data(), bins, columns);
  for (Eigen::Index bin = 0; bin < bins; ++bin) {
    const double n = data.values[block.first_bin + static_cast<std::size_t>(bin)],
                 nu = rates[block.first_bin + static_cast<std::size_t>(bin)];
    scaled.row(bin) *= n > 0 && nu > 0 ? std::sqrt(n) / nu : 0.0;
  }
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(columns, columns);
  information.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
  for (Eigen::Index i = 0; i < columns; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const std::uint32_t a = block.parameters[static_cast<std::size_t>(i)],
                          b = block.parameters[static_cast<std::size_t>(j)];
      hessian(a, b) += information(i, j);
      hessian(b, a) += information(i, j);
    }
    hessian(block.parameters[static_cast<std::size_t>(i)], block.parameters[static_cast<std::size_t>(i)]) +=
        information(i, i);
  }
}

void add_constraints(const CompiledModel& model, const DataSet& data, std::span<const double> x,
                     Matrix& hessian) {
  for (const auto& normal : model.normals)
    hessian(normal.parameter, normal.parameter) += 1.0 / (normal.sigma * normal.sigma);
  for (const auto& poisson : model.poissons) {
    const double n = data.values[poisson.data], gamma = x[poisson.parameter];
    if (n > 0 && gamma * poisson.tau > 0) hessian(poisson.parameter, poisson.parameter) += n / gamma / gamma;
  }
}

}  // namespace

Jacobian jacobian(const CompiledModel& model, std::span<const double> parameters) {
  Jacobian result;
  result.rates.assign(model.n_bins, 0.0);
  std::vector<std::uint32_t> column(model.n_parameters, 0);
  SampleDerivatives at;
  for_each_channel(model, [&](std::size_t begin, std::size_t end) {
    JacobianBlock block;
    block.first_bin = model.samples[begin].first_bin;
    block.bins = model.samples[begin].bins;
    block.parameters = channel_parameters(model, begin, end);
    for (std::uint32_t i = 0; i < block.parameters.size(); ++i) column[block.parameters[i]] = i;
    block.values.assign(block.bins * block.parameters.size(), 0.0);
    for (std::size_t s = begin; s < end; ++s) {
      at.evaluate(model, model.samples[s], parameters);
      add_sample(at, column, block, result.rates);
    }
    result.blocks.push_back(std::move(block));
  });
  return result;
}

std::vector<double> hessian(const CompiledModel& model, const DataSet& data,
                            std::span<const double> parameters) {
  const Jacobian first = jacobian(model, parameters);
  const Eigen::Index size = static_cast<Eigen::Index>(model.n_parameters);
  std::vector<double> result(model.n_parameters * model.n_parameters, 0.0);
  Matrix h = Matrix::Zero(size, size);
  for (const JacobianBlock& block : first.blocks) add_information(block, first.rates, data, h);
  std::vector<double> weights(model.n_bins);
  for (std::size_t bin = 0; bin < model.n_bins; ++bin) {
    const double n = data.values[bin], nu = first.rates[bin];
    weights[bin] = n > 0 ? (nu > 0 ? (nu - n) / nu : 0.0) : 1.0;
  }
  SecondDerivatives second(h);
  SampleDerivatives at;
  for (const CompiledModel::Sample& sample : model.samples) {
    at.evaluate(model, sample, parameters);
    second.add(at, std::span<const double>(weights).subspan(sample.first_bin, sample.bins));
  }
  add_constraints(model, data, parameters, h);
  std::copy(h.data(), h.data() + h.size(), result.begin());
  return result;
}

}  // namespace nextstat

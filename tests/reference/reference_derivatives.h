// Exact gradient and Hessian of the NLL by hyper-dual numbers.
//
//   const Derivatives<double> derivatives(model, point, model.data);
//   derivatives.gradient()[i];  derivatives.hessian_element(i, j);
//
// Fixed parameters are differentiated like any other. At a kink of an interpolation code (code0 and code1 at
// 0, code2's curvature at +-1) the derivative is that of one side: stay away from there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "reference/reference_model.h"

namespace nextstat::reference {

// A full Hessian asks for every pair of parameters, and a pair moves few terms: the values of all others at
// the point are computed once and enter as plain numbers.
template <class Real>
class Derivatives {
 public:
  Derivatives(const ReferenceModel& model, std::span<const Real> point, std::span<const double> data)
      : model_(model),
        point_(point.begin(), point.end()),
        data_(data.begin(), data.end()),
        contributions_of_bin_(model.main_bins),
        bins_of_parameter_(model.parameters.size()) {
    for (std::size_t c = 0; c < model.contributions.size(); ++c) add_contribution(c);
  }

  // d NLL / d theta_i
  Real gradient_element(std::size_t i) const { return terms_with(i, i).u; }

  // d^2 NLL / d theta_i d theta_j
  Real hessian_element(std::size_t i, std::size_t j) const { return terms_with(i, j).uv; }

  std::vector<Real> gradient() const {
    std::vector<Real> result(point_.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = gradient_element(i);
    return result;
  }

  std::vector<Real> hessian() const {  // [i][j], symmetric
    const std::size_t size = point_.size();
    std::vector<Real> result(size * size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        result[i * size + j] = result[j * size + i] = hessian_element(i, j);
      }
    }
    return result;
  }

 private:
  using Dual = HyperDual<Real>;

  void add_contribution(std::size_t c) {
    const Contribution& contribution = model_.contributions[c];
    contributions_of_bin_[contribution.bin].push_back(c);
    std::vector<Real> values;
    std::vector<bool> depends(point_.size(), false);
    for (const Term& term : contribution.terms) {
      values.push_back(term_value(model_, contribution, term, point_[term.parameter]));
      depends[term.parameter] = true;
      auto& bins = bins_of_parameter_[term.parameter];
      if (std::find(bins.begin(), bins.end(), contribution.bin) == bins.end())
        bins.push_back(contribution.bin);
    }
    rates_.push_back(sample_rate<Real>(model_, contribution, point_));
    term_values_.push_back(std::move(values));
    depends_.push_back(std::move(depends));
  }

  // theta_k + e1 if k = i, + e2 if k = j
  Dual seed(std::size_t k, std::size_t i, std::size_t j) const {
    return {point_[k], k == i ? Real(1) : Real(0), k == j ? Real(1) : Real(0)};
  }

  // All terms of the NLL that depend on theta_i, at theta_i + e1, theta_j + e2.
  Dual terms_with(std::size_t i, std::size_t j) const {
    Dual sum(Real(0));
    for (const std::size_t bin : bins_of_parameter_[i]) {
      Dual nu(Real(0));
      for (const std::size_t c : contributions_of_bin_[bin]) {
        nu += depends_[c][i] || depends_[c][j] ? moved_rate(c, i, j) : Dual(rates_[c]);
      }
      sum += poisson_nll(data_[bin], nu);
    }
    const Parameter& parameter = model_.parameters[i];
    if (parameter.constraint == Constraint::kNoValue) return sum;
    return sum + constraint_nll(parameter, seed(i, i, j), data_[parameter.data_index]);
  }

  // nu_sb, only the terms of theta_i and theta_j computed anew, and only these as dual numbers.
  Dual moved_rate(std::size_t c, std::size_t i, std::size_t j) const {
    const Contribution& contribution = model_.contributions[c];
    Real factor_of_others(1), yield_of_others(contribution.nominal);
    Dual factor(Real(1)), yield(Real(0));
    for (std::size_t k = 0; k < contribution.terms.size(); ++k) {
      const Term& term = contribution.terms[k];
      const bool is_addition = term.kind == TermKind::kHistosys;
      if (term.parameter == i || term.parameter == j) {
        const Dual value = term_value(model_, contribution, term, seed(term.parameter, i, j));
        is_addition ? yield += value : factor *= value;
      } else {
        is_addition ? yield_of_others += term_values_[c][k] : factor_of_others *= term_values_[c][k];
      }
    }
    return factor * Dual(factor_of_others) * (yield + Dual(yield_of_others));
  }

  const ReferenceModel& model_;
  std::vector<Real> point_;
  std::vector<double> data_;
  std::vector<std::vector<std::size_t>> contributions_of_bin_;  // [bin]
  std::vector<std::vector<std::size_t>> bins_of_parameter_;     // [parameter]
  std::vector<std::vector<bool>> depends_;                      // [contribution][parameter]
  std::vector<std::vector<Real>> term_values_;                  // [contribution][term], at the point
  std::vector<Real> rates_;                                     // [contribution], at the point
};

template <class Real>
std::vector<Real> gradient(const ReferenceModel& model, const std::vector<Real>& point,
                           std::span<const double> data) {
  return Derivatives<Real>(model, point, data).gradient();
}

// [i][j]
template <class Real>
std::vector<Real> hessian(const ReferenceModel& model, const std::vector<Real>& point,
                          std::span<const double> data) {
  return Derivatives<Real>(model, point, data).hessian();
}

}  // namespace nextstat::reference

// The reference evaluator: slow, clear, straight from the formulas, sharing nothing with the engine.
// The truth in tests only; it expects a workspace that satisfies the schema.
//
//   const auto model = ReferenceModel::from_workspace(nlohmann::json::parse(text));
//   const double value = nll<double>(model, model.inits(), model.data);
//   const Quad exact = nll<Quad>(model, point, model.data);
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/hyper_dual.h"
#include "reference/reference_interpolation.h"
#include "reference/scalar.h"

namespace nextstat::reference {

enum class Constraint { kNoValue, kNormal, kPoisson };

struct Parameter {
  std::string name = {};  // "mu", "gamma[3]"
  double init = 0;
  double lower = 0;
  double upper = 0;
  bool fixed = false;
  Constraint constraint = Constraint::kNoValue;
  double auxiliary = 0;        // nominal auxiliary datum (constrained parameters)
  double sigma = 1;            // Gauss(aux | theta, sigma)
  double tau = 1;              // Pois(aux | theta tau)
  std::size_t data_index = 0;  // where the auxiliary datum stands in the data (constrained parameters)
};

enum class TermKind {
  kScale,    // factor theta: normfactor, lumi, shapefactor, shapesys, staterror
  kNormsys,  // factor interpolated between lo and hi
  kHistosys  // addition interpolated between the yields lo and hi
};

struct Term {
  TermKind kind;
  std::size_t parameter;
  double lo = 0;
  double hi = 0;
};

// One sample in one bin: nu_sb = (product of factors) x (nominal + sum of histosys deltas).
struct Contribution {
  std::size_t bin;  // over all channels
  double nominal;
  std::vector<Term> terms;
};

struct Channel {
  std::string name;
  std::size_t bins;
};

struct Options {
  std::size_t measurement = 0;
  std::optional<std::string> poi = std::nullopt;  // instead of the measurement's; "" = none
  NormsysCode normsys_code = NormsysCode::kCode4;
  HistosysCode histosys_code = HistosysCode::kCode4p;
};

struct ReferenceModel {
  std::vector<Parameter> parameters;        // in pyhf's order
  std::vector<Channel> channels;            // sorted by name
  std::vector<Contribution> contributions;  // by bin, then by sample name
  std::vector<double> data;                 // [main bins by channel | auxiliary data by parameter]
  std::size_t main_bins = 0;
  std::optional<std::size_t> poi_index;  // none also when the model lacks the POI
  NormsysCode normsys_code = NormsysCode::kCode4;
  HistosysCode histosys_code = HistosysCode::kCode4p;

  // Throws std::invalid_argument where pyhf refuses the model.
  static ReferenceModel from_workspace(const nlohmann::json& workspace, const Options& options = {});

  std::vector<double> inits() const;
};

// The value of one term: a factor, or for a histosys an addition.
template <class T>
T term_value(const ReferenceModel& model, const Contribution& contribution, const Term& term,
             const T& theta) {
  switch (term.kind) {
    case TermKind::kNormsys:
      return normsys_factor(model.normsys_code, theta, term.lo, term.hi);
    case TermKind::kHistosys:
      return histosys_delta(model.histosys_code, theta, term.lo, contribution.nominal, term.hi);
    case TermKind::kScale:
      break;
  }
  return theta;
}

// nu_sb of one sample in one bin.
template <class T>
T sample_rate(const ReferenceModel& model, const Contribution& contribution, std::span<const T> parameters) {
  T factor(1);
  T yield(contribution.nominal);
  for (const Term& term : contribution.terms) {
    const T value = term_value(model, contribution, term, parameters[term.parameter]);
    if (term.kind == TermKind::kHistosys) {
      yield += value;
    } else {
      factor *= value;
    }
  }
  return factor * yield;
}

// nu_b = sum_s nu_sb, for the main bins by sorted channel.
template <class T>
std::vector<T> main_rates(const ReferenceModel& model, std::span<const T> parameters) {
  std::vector<T> rates(model.main_bins, T(0));
  for (const Contribution& contribution : model.contributions) {
    rates[contribution.bin] += sample_rate(model, contribution, parameters);
  }
  return rates;
}

// The main bins, then the expected auxiliary data: theta, or theta tau where the constraint is Poisson.
template <class T>
std::vector<T> expected_data(const ReferenceModel& model, std::span<const T> parameters) {
  std::vector<T> expected = main_rates(model, parameters);
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& parameter = model.parameters[i];
    if (parameter.constraint == Constraint::kNormal) expected.push_back(parameters[i]);
    if (parameter.constraint == Constraint::kPoisson) {
      expected.push_back(parameters[i] * RealOf<T>(parameter.tau));
    }
  }
  return expected;
}

// -log Pois(n | nu) without its constant log n!: nu - n log nu. Infinite where n > 0 and nu <= 0.
template <class T>
T poisson_nll(double n, const T& nu) {
  using Real = RealOf<T>;
  if (n == 0) return nu;
  if (nu <= T(0)) return T(std::numeric_limits<double>::infinity());
  return nu - log(nu) * Real(n);
}

// -log of a parameter's constraint without its constant.
template <class T>
T constraint_nll(const Parameter& parameter, const T& theta, double auxiliary) {
  using Real = RealOf<T>;
  if (parameter.constraint == Constraint::kNoValue) return T(0);
  if (parameter.constraint == Constraint::kPoisson) {
    return poisson_nll(auxiliary, theta * Real(parameter.tau));
  }
  const T pull = (T(auxiliary) - theta) / Real(parameter.sigma);
  return pull * pull / Real(2);
}

// The constant that constraint_nll leaves out: log(sigma sqrt(2 pi)) or log aux!.
template <class Real>
Real constraint_constant(const Parameter& parameter, double auxiliary) {
  if (parameter.constraint == Constraint::kNoValue) return Real(0);
  if (parameter.constraint == Constraint::kPoisson) return log_factorial<Real>(auxiliary);
  return log(Real(parameter.sigma)) + static_cast<Real>(log(Quad(2) * pi()) / Quad(2));
}

// -log L with every constant, also those of fixed parameters. The Poisson terms have their direct form, which
// cancels n log nu against log n!: with auxiliary data of 1e11 a double keeps 1e-3 only. Use Quad there.
template <class T>
T nll(const ReferenceModel& model, std::span<const T> parameters, std::span<const double> data) {
  using Real = RealOf<T>;
  T sum(0);
  const std::vector<T> rates = main_rates(model, parameters);
  for (std::size_t bin = 0; bin < model.main_bins; ++bin) {
    sum += poisson_nll(data[bin], rates[bin]) + T(log_factorial<Real>(data[bin]));
  }
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& parameter = model.parameters[i];
    if (parameter.constraint == Constraint::kNoValue) continue;
    const double auxiliary = data[parameter.data_index];
    sum += constraint_nll(parameter, parameters[i], auxiliary) +
           T(constraint_constant<Real>(parameter, auxiliary));
  }
  return sum;
}

// The scale of rounding errors in expected_data, same layout:
// per bin sum_s |factors| (|nominal| + sum |deltas|), per auxiliary datum its absolute value.
template <class T>
std::vector<T> sum_of_absolute_terms(const ReferenceModel& model, std::span<const T> parameters) {
  std::vector<T> scale = expected_data(model, parameters);
  for (T& value : scale) value = absolute(value);
  std::fill_n(scale.begin(), model.main_bins, T(0));
  for (const Contribution& contribution : model.contributions) {
    T factor(1);
    T yield(absolute(T(contribution.nominal)));
    for (const Term& term : contribution.terms) {
      const T value = absolute(term_value(model, contribution, term, parameters[term.parameter]));
      if (term.kind == TermKind::kHistosys) {
        yield += value;
      } else {
        factor *= value;
      }
    }
    scale[contribution.bin] += factor * yield;
  }
  return scale;
}

}  // namespace nextstat::reference

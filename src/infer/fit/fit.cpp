#include <nextstat/fit.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/distributions.h"
#include "base/no_value.h"
#include "base/try.h"
#include "infer/profile/best_fit.h"
#include "infer/profile/minos.h"
#include "infer/profile/warnings.h"
#include "infer/setup/memory_need.h"

namespace nextstat {
namespace {

// Each by name with its bound; many in one sentence.
void warn_about_bounds(const Setup& setup, const BestFit& best, std::vector<std::string>& warnings) {
  constexpr std::size_t kMostAlone = 4;
  if (best.at_bound.size() > kMostAlone) {
    warnings.push_back(fmt::format("{} parameters are at a bound: {}; no uncertainty is given for them",
                                   best.at_bound.size(), parameter_list(setup.model, best.at_bound)));
    return;
  }
  for (std::size_t i : best.at_bound) {
    const bool low = best.minimum.parameters[i] <= setup.bounds.low[i];
    warnings.push_back(fmt::format("{} is at its {} bound {:.6g}: no uncertainty is given for it",
                                   setup.model.parameters()[i].name, low ? "lower" : "upper",
                                   low ? setup.bounds.low[i] : setup.bounds.high[i]));
  }
}

// With n = 0 the likelihood exp(-nu) does not forbid nu < 0: the fit may go there and find no end.
void warn_about_rates(const Setup& setup, const Minimum& minimum, std::vector<std::string>& warnings) {
  const std::span<const double> counts = std::span(setup.data).first(setup.model.n_bins());
  if (std::find(counts.begin(), counts.end(), 0.0) == counts.end()) return;
  const Result<EvalOutput> at = setup.session->evaluate({.parameters = minimum.parameters, .expected = true});
  if (!at) return;
  std::size_t negative = 0;
  std::string first;
  for (const ChannelInfo& channel : setup.model.channels()) {
    for (std::size_t b = 0; b < channel.bins; ++b) {
      const double rate = at->expected[channel.first_bin + b];
      if (rate < 0 && ++negative == 1) first = fmt::format("{}[{}]: {:.4g}", channel.name, b, rate);
    }
  }
  if (negative > 0)
    warnings.push_back(fmt::format(
        "the expected rate at the best fit is negative in {} bins without observed events (first {}); "
        "narrower bounds of free parameters avoid it",
        negative, first));
}

void warn_about_minimum(const Setup& setup, const BestFit& best, std::vector<std::string>& warnings) {
  const Minimum& minimum = best.minimum;
  switch (minimum.termination) {
    case Termination::NotConverged:
      warnings.push_back(
          fmt::format("not converged: the expected distance to the minimum is still {:.2g} after {} steps; "
                      "try another start, or fix parameters that the data do not constrain",
                      minimum.edm, minimum.iterations));
      break;
    case Termination::Interrupted:
      warnings.push_back("interrupted before the minimum was reached");
      break;
    default:
      break;
  }
  warn_about_bounds(setup, best, warnings);
  warn_about_rates(setup, minimum, warnings);
  if (!minimum.pinned.empty())
    warnings.push_back(
        fmt::format("held at 0 by the kink of the interpolation: {}; no uncertainty is given for them "
                    "(code4/code4p has no kink)",
                    parameter_list(setup.model, minimum.pinned)));
}

void warn_about_covariance(const Model& model, const Covariance& covariance,
                           std::vector<std::string>& warnings) {
  if (!covariance.positive_definite()) {
    warnings.push_back(
        "the Hessian is not positive definite: this is not a minimum, no uncertainties are given");
    return;
  }
  for (const std::string& warning : flat_direction_warnings(model, covariance))
    warnings.push_back(warning + "; no uncertainty is given");
}

void add_matrices(const Setup& setup, BestFit& best, FitResult& result) {
  const std::size_t n = setup.fixed.size();
  result.covariance = best.covariance.take_matrix();
  std::vector<double> inverse(n, 0.0);  // 1 / sigma, 0 for fixed parameters
  for (std::size_t i = 0; i < n; ++i) {
    if (result.uncertainties[i] != 0) inverse[i] = 1 / result.uncertainties[i];
    if (!std::isnan(result.uncertainties[i])) continue;
    for (std::size_t j = 0; j < n; ++j)
      result.covariance[i * n + j] = result.covariance[j * n + i] = kNoValue;
  }
  result.correlation.reserve(n * n);
  std::vector<double> row(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) row[j] = result.covariance[i * n + j] * (inverse[i] * inverse[j]);
    if (inverse[i] > 0) row[i] = 1.0;
    result.correlation.insert(result.correlation.end(), row.begin(), row.end());
  }
}

// Uncertainties, covariance and correlation; NaN where there is none.
void add_uncertainties(const Setup& setup, BestFit& best, bool large_matrices, FitResult& result) {
  const std::size_t n = setup.fixed.size();
  const std::vector<char> moving = moving_parameters(setup, best.minimum);
  result.uncertainties.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (moving[i] && !best.covariance.variances.empty()) {
      result.uncertainties[i] = std::sqrt(best.covariance.variances[i]);
    } else if (!setup.fixed[i]) {
      result.uncertainties[i] = kNoValue;
    }
  }
  if (best.covariance.variances.empty()) return;  // interrupted before
  if (n <= kMostParametersOfMatrix || large_matrices) {
    add_matrices(setup, best, result);
  } else {
    result.warnings.push_back(
        fmt::format("covariance and correlation of {} parameters are left out: they take {}", n,
                    memory_text(16.0 * static_cast<double>(n) * static_cast<double>(n))));
  }
}

}  // namespace

GoodnessOfFit goodness_of_fit(const Setup& setup, const BestFit& best) {
  GoodnessOfFit goodness;
  goodness.nll_fit = best.minimum.nll;
  // The constant of a dataset is the NLL where every count and auxiliary datum has its own rate.
  goodness.nll_saturated = setup.set.constant;
  // Rates below zero in empty bins go below the saturated model, where there is no chi-square.
  const double difference = goodness.nll_fit - goodness.nll_saturated;
  goodness.chi2 = difference > -1e-6 ? std::max(0.0, 2 * difference) : kNoValue;
  goodness.ndof = static_cast<std::ptrdiff_t>(setup.model.n_bins());
  for (std::size_t i = 0; i < setup.fixed.size(); ++i) {
    if (!setup.fixed[i] && setup.model.parameters()[i].constraint == Constraint::None) --goodness.ndof;
  }
  // Along a flat direction the fit has nothing to adjust.
  goodness.ndof += static_cast<std::ptrdiff_t>(best.covariance.flat.size());
  goodness.ndof = std::max<std::ptrdiff_t>(goodness.ndof, 0);
  goodness.p_value = chi_square_tail(goodness.chi2, goodness.ndof);
  return goodness;
}

namespace {

// MINOS takes two or three fits for each side of a parameter.
WorkEstimate work_of(const Model& model, const FitOptions& options) {
  constexpr double kFitsOfMinos = 5;
  const std::size_t profiled = options.minos_of_all ? model.n_parameters() : options.minos.size();
  return {.fits = 1 + kFitsOfMinos * static_cast<double>(profiled)};
}

}  // namespace

namespace {

// Tables that were asked for and do not fit are refused before the work begins.
Errors check_tables(const Model& model, const FitOptions& options) {
  if (!options.uncertainties) return {};
  const std::size_t n = model.n_parameters();
  if (options.large_matrices)
    return check_memory({fmt::format("the covariance of {} parameters", n), matrices_need(model),
                         "leave the covariance out: the uncertainties are given without it"});
  return check_memory({fmt::format("the Hessian for the uncertainties of {} parameters", n),
                       hessian_need(model), "fit without uncertainties"});
}

}  // namespace

Result<FitResult> fit(const Model& model, const FitOptions& options) {
  if (const Errors errors = check_tables(model, options); !errors.empty()) return errors;
  const Result<Setup> setup = make_setup(model, options.run, work_of(model, options));
  if (!setup) return setup.errors();
  const bool profile = options.minos_of_all || !options.minos.empty();
  TRY(BestFit best, find_best_fit(*setup, options.uncertainties || profile));
  FitResult result;
  result.bestfit = best.minimum.parameters;
  result.nll = best.minimum.nll;
  result.initial_nll = best.initial_nll;
  result.termination = best.minimum.termination;
  result.converged = best.minimum.converged();
  result.interrupted = result.termination == Termination::Interrupted || best.log.interrupted();
  result.iterations = best.minimum.iterations;
  result.evaluations = best.minimum.evaluations;
  result.edm = best.minimum.edm;
  result.scaled_gradient = best.minimum.scaled_gradient;
  result.at_bound = best.at_bound;
  for (std::size_t i = 0; i < setup->fixed.size(); ++i) {
    if (setup->fixed[i]) result.fixed.push_back(i);
  }
  result.goodness_of_fit = goodness_of_fit(*setup, best);
  result.warnings = model.warnings();
  result.warnings.insert(result.warnings.end(), best.warnings.begin(), best.warnings.end());
  best.log.tell(model, result);
  warn_about_minimum(*setup, best, result.warnings);
  if (profile) {
    TRY_DO(add_minos_errors(*setup, best, options, result));
  }
  if (options.uncertainties) {
    warn_about_covariance(model, best.covariance, result.warnings);
    add_uncertainties(*setup, best, options.large_matrices, result);
  }
  result.device = setup->device;
  result.instruction_set = setup->session->traits().instruction_set;
  return result;
}

}  // namespace nextstat

#include "model/data/dataset.h"

#include <cmath>
#include <limits>

#include "kernels/host.h"

namespace nextstat {
namespace {

constexpr double kLogSqrtTwoPi = 0.91893853320467274178;

// Most widths are 1, whose logarithm is 0.
double constant_of(double sigma) { return (sigma == 1 ? 0.0 : host::ns_log(sigma)) + kLogSqrtTwoPi; }

double excess_of(double n) { return host::ns_excess_of(known_excesses().data(), n); }

}  // namespace

double clean_data(const CompiledModel& model, std::span<double> values) {
  double constant = 0;
  const auto count = [&](double& n) {
    if (n < host::ns_smallest_count()) {
      if (n > 0) n = 0;
      return;
    }
    constant += excess_of(n);
  };
  for (std::size_t i = 0; i < model.n_bins; ++i) count(values[i]);
  for (const auto& constraint : model.poissons) count(values[constraint.data]);
  for (const auto& constraint : model.normals) constant += constant_of(constraint.sigma);
  return constant;
}

Dataset make_dataset(const CompiledModel& model, std::span<const double> values) {
  Dataset data;
  data.values.assign(values.begin(), values.end());
  data.inverse.assign(values.size(), 0.0);
  data.constant = clean_data(model, data.values);
  const auto invert = [&](std::size_t i) { data.inverse[i] = host::ns_inverse_count(data.values[i]); };
  for (std::size_t i = 0; i < model.n_bins; ++i) invert(i);
  for (const auto& constraint : model.poissons) invert(constraint.data);
  return data;
}

namespace {

// +infinity too where a number is no count.
double poisson_nll(const Dataset& data, std::size_t datum, double rate) {
  const double n = data.values[datum];
  if (!(n >= 0)) return std::numeric_limits<double>::infinity();
  return host::ns_poisson_deviance(n, data.inverse[datum], rate) + (n > 0 ? excess_of(n) : 0);
}

double number_or_infinity(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

}  // namespace

double constraint_nll(const CompiledModel& model, const Dataset& data, std::span<const double> parameters) {
  double sum = 0;
  for (const auto& constraint : model.normals) {
    const double pull = (data.values[constraint.data] - parameters[constraint.parameter]) / constraint.sigma;
    sum += 0.5 * pull * pull + host::ns_log(constraint.sigma) + kLogSqrtTwoPi;
  }
  for (const auto& constraint : model.poissons) {
    sum += poisson_nll(data, constraint.data, parameters[constraint.parameter] * constraint.tau);
  }
  return number_or_infinity(sum);
}

double main_nll(const CompiledModel& model, const Dataset& data, std::span<const double> rates) {
  double sum = 0;
  for (std::size_t bin = 0; bin < model.n_bins; ++bin) sum += poisson_nll(data, bin, rates[bin]);
  return number_or_infinity(sum);
}

double log_factorial_excess(double n) { return host::ns_log_factorial_excess(n); }

std::span<const double> known_excesses() {
  static const std::vector<double> known = [] {
    std::vector<double> values(NS_KNOWN_EXCESSES, 0.0);
    for (std::size_t i = 1; i < values.size(); ++i) values[i] = log_factorial_excess(static_cast<double>(i));
    return values;
  }();
  return known;
}

ConstantTables constant_tables(const CompiledModel& model) {
  ConstantTables tables;
  for (std::uint32_t i = 0; i < model.n_bins; ++i) tables.counts.push_back(i);
  for (const auto& constraint : model.poissons) tables.counts.push_back(constraint.data);
  for (const auto& constraint : model.normals) tables.normals.push_back(constant_of(constraint.sigma));
  return tables;
}

}  // namespace nextstat

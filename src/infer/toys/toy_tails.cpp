#include "infer/toys/toy_tails.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/distributions.h"
#include "base/no_value.h"

namespace nextstat {
namespace {

// Fits of the same data agree to rounding; a toy may be the observed data themselves.
double with_ties(double q) { return std::isinf(q) ? q : q - 1e-8 * (1 + std::abs(q)); }

double part_beyond(const std::vector<double>& ascending, double q) {
  const auto first = std::lower_bound(ascending.begin(), ascending.end(), with_ties(q));
  return static_cast<double>(ascending.end() - first) / static_cast<double>(ascending.size());
}

// The p-quantile of n values lies between those at p -+ sqrt(p (1 - p) / n), whatever their distribution.
std::pair<double, double> percentile_with_error(const std::vector<double>& ascending, double p) {
  const double spread = std::sqrt(p * (1 - p) / static_cast<double>(ascending.size()));
  const double low = percentile(ascending, 100 * std::max(0.0, p - spread));
  const double high = percentile(ascending, 100 * std::min(1.0, p + spread));
  return {percentile(ascending, 100 * p), (high - low) / 2};
}

}  // namespace

CountedFraction counted_fraction(std::size_t count, std::size_t of) {
  if (of == 0) return {kNoValue, kNoValue};
  const double n = static_cast<double>(of), p = static_cast<double>(count) / n;
  return {p, count == 0 || count == of ? 1 / n : std::sqrt(p * (1 - p) / n)};
}

ToyProbabilities toy_probabilities(CountedFraction clsb, CountedFraction clb, bool has_cls) {
  ToyProbabilities all;
  all.clsb = clsb.value;
  all.clsb_error = clsb.error;
  all.clb = clb.value;
  all.clb_error = clb.error;
  all.cls = all.cls_error = kNoValue;
  if (!has_cls || !(clb.value > 0)) return all;
  all.cls = clsb.value / clb.value;
  all.cls_error = std::hypot(clsb.error, all.cls * clb.error) / clb.value;
  return all;
}

void ToyTails::add(Side side, double q, ToyStatus status) {
  Counts& counts = counts_[side];
  ++counts.toys;
  if (status == ToyStatus::NoLikelihood) ++counts.without_likelihood;
  if (status == ToyStatus::NotConverged) ++counts.not_converged;
  if (status != ToyStatus::Converged) return;
  ++counts.usable;
  if (q >= with_ties(q_obs_)) ++counts.beyond;
  if (keep_) kept_[side].push_back(q);
}

ToyProbabilities ToyTails::observed() const {
  return toy_probabilities(counted_fraction(counts_[kTested].beyond, counts_[kTested].usable),
                           counted_fraction(counts_[kAlternative].beyond, counts_[kAlternative].usable),
                           has_cls_);
}

ToyBand ToyTails::expected() const {
  ToyBand band;
  for (auto* part : {&band.value, &band.tested_error, &band.alternative_error})
    part->fill({kNoValue, kNoValue, kNoValue, kNoValue});
  std::vector<double> tested = kept_[kTested], alternative = kept_[kAlternative];
  if (tested.empty() || alternative.empty()) return band;
  std::sort(tested.begin(), tested.end());
  std::sort(alternative.begin(), alternative.end());
  std::vector<double> clsb, clb, cls;
  for (const double q : alternative) {
    clsb.push_back(part_beyond(tested, q));
    clb.push_back(part_beyond(alternative, q));
    cls.push_back(clsb.back() / clb.back());
  }
  for (std::vector<double>* values : {&clsb, &clb, &cls}) std::sort(values->begin(), values->end());
  const double n = static_cast<double>(tested.size());
  for (std::size_t i = 0; i < kBandSigmas.size(); ++i) {
    const double p = normal_tail(-kBandSigmas[i]);
    TailProbabilities &value = band.value[i], &tested_error = band.tested_error[i];
    std::tie(value.clsb, band.alternative_error[i].clsb) = percentile_with_error(clsb, p);
    std::tie(value.clb, band.alternative_error[i].clb) = percentile_with_error(clb, p);
    tested_error.clsb = std::max(1 / n, std::sqrt(value.clsb * (1 - value.clsb) / n));
    tested_error.clb = 0;
    if (!has_cls_) continue;
    std::tie(value.cls, band.alternative_error[i].cls) = percentile_with_error(cls, p);
    tested_error.cls = tested_error.clsb * (value.clsb > 0 ? value.cls / value.clsb : 1 / value.clb);
  }
  return band;
}

double percentile(const std::vector<double>& ascending, double percent) {
  const double place = percent / 100 * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (place - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

}  // namespace nextstat

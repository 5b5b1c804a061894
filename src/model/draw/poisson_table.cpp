#include "model/draw/poisson_table.h"

#include <algorithm>
#include <cmath>

namespace nextstat {
namespace {

// A number as an unevaluated sum of two doubles, 106 bits (Dekker 1971): operations that every machine has,
// so tables have the same bits everywhere. No overflow here: numbers lie between 2^-90 and 2^20.
struct Twin {
  double high, low;
};

Twin two_sum(double a, double b) {
  const double sum = a + b, from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}

// |a| >= |b|.
Twin fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// Upper 26 bits of a.
double upper_half(double a) {
  const double scaled = 134217729.0 * a;  // 2^27 + 1
  return scaled - (scaled - a);
}

Twin two_product(double a, double b) {
  const double product = a * b;
  const double a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
  return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

Twin operator+(Twin a, Twin b) {
  const Twin sum = two_sum(a.high, b.high);
  return fast_two_sum(sum.high, sum.low + (a.low + b.low));
}

Twin operator*(Twin a, Twin b) {
  const Twin product = two_product(a.high, b.high);
  return fast_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

Twin operator/(Twin a, Twin b) {
  const double quotient = a.high / b.high;
  const Twin back = Twin{quotient, 0} * b;
  const double rest = ((a.high - back.high) - back.low) + a.low;
  return fast_two_sum(quotient, rest / b.high);
}

// Weights of counts, relative to that of the most probable one, down to 2^-80: what is left out on both sides
// together is below 2^-65 of the sum.
struct Weights {
  std::uint32_t lowest;
  std::vector<Twin> weight;
};

Weights list_weights(double rate) {
  constexpr double kLeast = 0x1p-80;
  const auto mode = static_cast<std::uint32_t>(rate);
  const Twin nu{rate, 0}, inverse = Twin{1, 0} / nu;
  Weights list{mode, {}};
  // w(k - 1) = w(k) k / nu, from the mode down
  for (Twin w{1, 0}; w.high >= kLeast; --list.lowest) {
    list.weight.push_back(w);
    if (list.lowest == 0) break;
    w = w * (Twin{static_cast<double>(list.lowest), 0} * inverse);
  }
  list.lowest = mode + 1 - static_cast<std::uint32_t>(list.weight.size());
  std::reverse(list.weight.begin(), list.weight.end());
  // w(k + 1) = w(k) nu / (k + 1), from the mode up
  Twin w{1, 0};
  for (std::uint32_t k = mode + 1;; ++k) {
    w = w * nu / Twin{static_cast<double>(k), 0};
    if (!(w.high >= kLeast)) break;
    list.weight.push_back(w);
  }
  return list;
}

// round(2^64 p) for 0 <= p <= 1; `full` if that is 2^64.
struct Threshold {
  std::uint64_t value;
  bool full;
};

Threshold to_threshold(Twin p) {
  const double high = p.high * 0x1p64, low = p.low * 0x1p64;
  const double whole = std::floor(high);
  const double rest = std::floor((high - whole) + low + 0.5);  // may be negative, |rest| <= 2^11
  const bool top = whole >= 0x1p64;
  const std::uint64_t base = top ? 0 : static_cast<std::uint64_t>(whole);
  return {base + static_cast<std::uint64_t>(static_cast<std::int64_t>(rest)), top && rest >= 0};
}

// Twice as many slices as thresholds: most numbers fall into a slice without any, and are found at once.
void make_guide(PoissonTable& table) {
  std::uint32_t bits = 4;
  while ((std::size_t{1} << bits) < 2 * table.thresholds.size()) ++bits;
  table.shift = 64 - bits;
  const std::uint32_t slices = 1u << bits;
  std::uint32_t below = 0;
  for (std::uint32_t j = 0; j < slices; ++j) {
    const std::uint64_t begin = std::uint64_t{j} << table.shift;
    while (below < table.thresholds.size() && table.thresholds[below] <= begin) ++below;
    table.guide.push_back(below);
  }
  table.guide.push_back(static_cast<std::uint32_t>(table.thresholds.size()));
}

}  // namespace

PoissonTable make_poisson_table(double rate) {
  const Weights weights = list_weights(rate);
  Twin total{0, 0};
  for (const Twin& w : weights.weight) total = total + w;
  PoissonTable table;
  table.lowest = weights.lowest;
  const Twin inverse = Twin{1, 0} / total;
  Twin sum{0, 0};
  for (const Twin& w : weights.weight) {
    sum = sum + w;
    const Threshold threshold = to_threshold(sum * inverse);
    if (threshold.full) break;
    if (threshold.value == 0)
      ++table.lowest;
    else
      table.thresholds.push_back(threshold.value);
  }
  make_guide(table);
  return table;
}

}  // namespace nextstat

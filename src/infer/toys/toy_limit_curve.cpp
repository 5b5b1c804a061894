#include "infer/toys/toy_limit_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace nextstat {
namespace {

// In log CLs from the crossing: samples further away say nothing about it.
constexpr double kFarthest = 1.6;
// CLs / alpha of a sample above may be the plateau CLs = 1 below mu_hat, where no line holds.
constexpr double kHighest = 8;
constexpr double kSlopeSpread = 0.3, kSlopeSpreadPerU = 0.25;  // of s; more where the formula is off
constexpr double kMostOff = 1.5;  // log CLs of the formula where CLs = alpha; beyond, its shape is no guide
constexpr double kAtCrossing = 0.5;  // in log CLs: samples that are at the crossing
constexpr int kMostSteps = 50;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

using Vector = std::array<double, 2>;  // of (r, s) or (1, u)

// What a value at u from the crossing may be off the straight line.
double bend(double u) { return 0.15 * u * u; }

// The inverse of a symmetric matrix [a b; b c] times a vector.
Vector solved(double a, double b, double c, const Vector& x) {
  const double determinant = a * c - b * b;
  return {(c * x[0] - b * x[1]) / determinant, (a * x[1] - b * x[0]) / determinant};
}

class CountedLine {
 public:
  // u of the samples is counted from where the crossing about is; the formula is off by `off` there.
  CountedLine(std::vector<CurveSample> samples, double off)
      : samples_(std::move(samples)), spread_(kSlopeSpread + kSlopeSpreadPerU * std::abs(off)) {}

  // Maximum likelihood by reweighted least squares. False: no toy is beyond.
  bool fit() {
    double counted = 0, expected = 0;
    for (const CurveSample& sample : samples_) {
      counted += sample.beyond;
      expected += sample.toys * std::min(1.0, sample.share * std::exp(sample.u));
    }
    if (!(counted > 0)) return false;
    line_ = {std::log(counted / expected), 0};
    for (int step = 0; step < kMostSteps; ++step) {
      const Vector before = line_;
      improve();
      if (std::abs(line_[0] - before[0]) + std::abs(line_[1] - before[1]) < 1e-10) break;
    }
    return std::isfinite(line_[0]) && slope() > 0;
  }

  double slope() const { return 1 + line_[1]; }
  double crossing() const { return -line_[0] / slope(); }

  double exposure_within(double distance) const {
    double sum = 0;
    for (const CurveSample& sample : samples_) {
      if (std::abs(height(sample)) <= distance) sum += sample.exposure();
    }
    return sum;
  }

  // y(u) = sum of c_i z_i, c_i = (1 u) M^-1 (1 u_i) w_i.
  void add_variances(double u, LimitEstimate& limit) const {
    const Vector at = solved(a_, b_, c_, {1, u});
    double background = 0;
    for (const CurveSample& sample : samples_) {
      const double part = weight(sample) * (at[0] + at[1] * sample.u);
      limit.tested += squared(part) * counting_variance(sample);
      limit.shape += squared(part * bend(sample.u));
      background += std::abs(part) * sample.background_error;
    }
    limit.shape += squared(at[1] / spread_);
    limit.background = squared(background);
  }

 private:
  double height(const CurveSample& sample) const {
    return line_[0] + slope() * sample.u;
  }  // log(CLs / alpha)
  double expected(const CurveSample& sample) const {
    return sample.toys * std::min(1.0, sample.share * std::exp(height(sample)));
  }
  // Of log CLs: (1 - p) / (n p), and never less than that of a toy more or less.
  double counting_variance(const CurveSample& sample) const {
    const double count = std::max(expected(sample), 1e-12);
    return std::max(1 - count / sample.toys, 1 / sample.toys) / count;
  }
  double weight(const CurveSample& sample) const {
    return 1 / (counting_variance(sample) + squared(sample.background_error) + squared(bend(sample.u)));
  }

  void improve() {
    a_ = b_ = 0;
    c_ = 1 / squared(spread_);
    Vector sum = {0, 0};
    for (const CurveSample& sample : samples_) {
      const double w = weight(sample), u = sample.u, count = expected(sample);
      const double z = line_[0] + line_[1] * u + std::clamp((sample.beyond - count) / count, -1.0, 3.0);
      a_ += w;
      b_ += w * u;
      c_ += w * u * u;
      sum[0] += w * z;
      sum[1] += w * z * u;
    }
    line_ = solved(a_, b_, c_, sum);
  }

  std::vector<CurveSample> samples_;
  double spread_;                 // of s
  Vector line_ = {0, 0};          // r, s
  double a_ = 0, b_ = 0, c_ = 0;  // M = sum w (1 u)(1 u)^T, with what is known of s
};

// The values of a curve on either side of u, as near to the bracket as there are any: curve[i - 1] and [i].
std::optional<std::size_t> stretch_of(std::span<const AsymptoticSample> curve, double u, double middle) {
  std::optional<std::size_t> best;
  const auto distance = [&](std::size_t i) { return std::abs((curve[i - 1].mu + curve[i].mu) / 2 - middle); };
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const bool through = curve[i - 1].u >= u && curve[i].u <= u && curve[i - 1].u > curve[i].u;
    if (through && (!best || distance(i) < distance(*best))) best = i;
  }
  return best;
}

double interpolated_u(std::span<const AsymptoticSample> curve, double mu) {
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const AsymptoticSample &a = curve[i - 1], &b = curve[i];
    if (a.mu <= mu && mu <= b.mu) return a.u + (b.u - a.u) * (mu - a.mu) / (b.mu - a.mu);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double poisson_spread(const CurveSample& sample) {
  return std::hypot(1 / std::sqrt(std::max(sample.beyond, 0.5)), sample.background_error);
}

// Samples that the line may use, with u counted from `zero`.
std::vector<CurveSample> near_samples(std::span<const CurveSample> samples, double zero) {
  const std::vector<double> heights = falling_heights(samples);
  std::vector<CurveSample> near;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    CurveSample sample = samples[i];
    sample.u -= zero;
    if (std::abs(sample.u) <= kFarthest && heights[i] <= kHighest) near.push_back(sample);
  }
  return near;
}

// By the line. Nothing where no line can be drawn.
std::optional<LimitEstimate> line_limit(std::span<const CurveSample> samples,
                                        std::span<const AsymptoticSample> asymptotic, double start,
                                        double off) {
  const double zero = interpolated_u(asymptotic, start);
  const std::vector<CurveSample> near = near_samples(samples, zero);
  if (near.empty()) return std::nullopt;
  CountedLine line(near, off);
  if (!line.fit()) return std::nullopt;
  LimitEstimate limit;
  const double u = zero + line.crossing();
  const std::optional<std::size_t> i = stretch_of(asymptotic, u, start);
  if (!i) return std::nullopt;
  const AsymptoticSample &below = asymptotic[*i - 1], &above = asymptotic[*i];
  const double per_u = (above.mu - below.mu) / (below.u - above.u);
  limit.mu = below.mu + per_u * (below.u - u);
  line.add_variances(line.crossing(), limit);
  limit.per_log = per_u / line.slope();
  limit.error = std::sqrt(limit.tested + limit.background + limit.shape) * limit.per_log;
  limit.exposure = line.exposure_within(kAtCrossing);
  return limit;
}

// The same with a straight line in mu in place of the formula. Its slope is that between the nearest samples
// with twice and half of alpha: ends of a narrow bracket would give that of their errors.
std::optional<LimitEstimate> straight_limit(std::span<const CurveSample> samples, const LimitBracket& bracket,
                                            double start) {
  const std::vector<double> heights = falling_heights(samples);
  std::size_t below = bracket.low, above = bracket.low + 1;
  while (below > 0 && heights[below] < 2) --below;
  while (above + 1 < samples.size() && heights[above] > 0.5) ++above;
  const double low = samples[below].mu, width = samples[above].mu - low;
  const double from = std::log(std::min(heights[below], kHighest));
  const double to = std::log(std::max(heights[above], 1 / kHighest));
  std::vector<CurveSample> straight(samples.begin(), samples.end());
  std::vector<AsymptoticSample> curve;
  for (CurveSample& sample : straight) {
    sample.u = from + (to - from) * (sample.mu - low) / width;
    curve.push_back({sample.mu, sample.u});
  }
  return line_limit(straight, curve, start, 1);
}

}  // namespace

std::vector<double> falling_heights(std::span<const CurveSample> samples) {
  std::vector<WeightedSum> falling;
  for (const CurveSample& sample : samples) falling.push_back({-sample.beyond, sample.exposure()});
  std::vector<double> heights = rising_means(falling);
  for (double& height : heights) height = -height;
  return heights;
}

LimitBracket find_bracket(std::span<const CurveSample> samples) {
  const std::vector<double> heights = falling_heights(samples);
  LimitBracket bracket;
  if (!heights.empty() && heights.front() < 1) bracket.where = LimitBracket::Where::Below;
  for (std::size_t i = 1; i < heights.size(); ++i) {
    if (heights[i - 1] >= 1 && heights[i] < 1)
      return {LimitBracket::Where::Found, i - 1, heights[i - 1], heights[i]};
  }
  return bracket;
}

std::optional<LimitEstimate> interpolated_limit(std::span<const CurveSample> samples) {
  const LimitBracket bracket = find_bracket(samples);
  if (!bracket.found()) return std::nullopt;
  const CurveSample &low = samples[bracket.low], &high = samples[bracket.low + 1];
  const bool logarithmic = bracket.height_high > 0;
  const auto scale = [&](double height) { return logarithmic ? std::log(height) : height - 1; };
  // In CLs the error of none counted is that of one.
  const auto spread = [&](const CurveSample& sample, double height) {
    const double relative = poisson_spread(sample);
    return logarithmic ? relative : relative * std::max(height, 0.5 / sample.exposure());
  };
  const double a = scale(bracket.height_low), b = scale(bracket.height_high);
  const double width = high.mu - low.mu, part = a / (a - b);
  const double error =
      std::hypot((1 - part) * spread(low, bracket.height_low), part * spread(high, bracket.height_high)) /
      (a - b);
  LimitEstimate limit;
  limit.mu = low.mu + part * width;
  limit.error = std::min(error, 1.0) * width;
  limit.shape = kInfinite;
  limit.per_log = width / (a - b);
  limit.exposure = low.exposure() + high.exposure();
  return limit;
}

std::optional<LimitEstimate> estimate_limit(std::span<const CurveSample> samples,
                                            std::span<const AsymptoticSample> asymptotic) {
  std::optional<LimitEstimate> limit = interpolated_limit(samples);
  if (!limit) return std::nullopt;
  const LimitBracket bracket = find_bracket(samples);
  const double low = samples[bracket.low].mu, high = samples[bracket.low + 1].mu;
  const double off = interpolated_u(asymptotic, limit->mu);
  std::optional<LimitEstimate> line = std::abs(off) <= kMostOff
                                          ? line_limit(samples, asymptotic, limit->mu, off)
                                          : straight_limit(samples, bracket, limit->mu);
  if (!line || !std::isfinite(line->error)) {
    const bool informative = bracket.height_low <= kHighest && bracket.height_high >= 1 / kHighest;
    limit->error =
        informative ? std::hypot(limit->error, (high - low) / 10) : std::max(limit->error, (high - low) / 2);
    return limit;
  }
  line->mu = std::clamp(line->mu, std::max(low - 2 * line->error, low / 2), high + 2 * line->error);
  return line;
}

std::vector<double> rising_means(std::span<const WeightedSum> values) {
  struct Pool {
    double sum, weight;
    std::size_t size;
    double mean() const { return sum / weight; }
  };
  std::vector<Pool> pools;
  for (const WeightedSum& value : values) {
    pools.push_back({value.sum, value.weight, 1});
    while (pools.size() > 1 && pools.back().mean() < pools[pools.size() - 2].mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& pool = pools.back();
      pool = {pool.sum + last.sum, pool.weight + last.weight, pool.size + last.size};
    }
  }
  std::vector<double> means;
  for (const Pool& pool : pools) means.insert(means.end(), pool.size, pool.mean());
  return means;
}

}  // namespace nextstat

#include "infer/toy_limit_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace nextstat {
namespace {

// Beyond, CLs is 50 times off alpha: it says nothing about the crossing.
constexpr double kFarthest = 4;
constexpr double kSlopeSpread = 0.3;  // of s
constexpr int kMostSteps = 50;

using Vector = std::array<double, 2>;  // of (r, s) or (1, u)

// What a value at u may be off the straight line.
double bend(double u) { return 0.1 * u * u; }

double squared(double x) { return x * x; }

// The inverse of a symmetric matrix [a b; b c] times a vector.
Vector solved(double a, double b, double c, const Vector& x) {
  const double determinant = a * c - b * b;
  return {(c * x[0] - b * x[1]) / determinant, (a * x[1] - b * x[0]) / determinant};
}

class CountedLine {
 public:
  explicit CountedLine(std::vector<CurveSample> samples) : samples_(std::move(samples)) {}

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
    limit.shape += squared(at[1] / kSlopeSpread);
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
    c_ = 1 / squared(kSlopeSpread);
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
  Vector line_ = {0, 0};          // r, s
  double a_ = 0, b_ = 0, c_ = 0;  // M = sum w (1 u)(1 u)^T, with what is known of s
};

// The last stretch where the asymptotic curve falls through u.
std::optional<std::size_t> stretch_of(std::span<const AsymptoticSample> curve, double u) {
  for (std::size_t i = curve.size(); i-- > 1;) {
    if (curve[i - 1].u >= u && curve[i].u <= u && curve[i - 1].u > curve[i].u) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<LimitEstimate> estimate_limit(std::span<const CurveSample> samples,
                                            std::span<const AsymptoticSample> asymptotic) {
  std::vector<CurveSample> near;
  for (const CurveSample& sample : samples) {
    if (std::abs(sample.u) <= kFarthest && sample.toys > 0) near.push_back(sample);
  }
  if (near.size() < 2) return std::nullopt;
  CountedLine line(near);
  if (!line.fit()) return std::nullopt;
  LimitEstimate limit;
  limit.u = line.crossing();
  const auto [low, high] =
      std::minmax_element(near.begin(), near.end(), [](const auto& x, const auto& y) { return x.u < y.u; });
  const std::optional<std::size_t> i = stretch_of(asymptotic, limit.u);
  if (!i || low->u > limit.u || high->u < limit.u) return std::nullopt;
  const AsymptoticSample &below = asymptotic[*i - 1], &above = asymptotic[*i];
  const double per_u = (above.mu - below.mu) / (below.u - above.u);
  limit.mu = below.mu + per_u * (below.u - limit.u);
  line.add_variances(limit.u, limit);
  limit.error = std::sqrt(limit.tested + limit.background + limit.shape) * per_u / line.slope();
  return limit;
}

}  // namespace nextstat

#include "infer/asymptotic/root_search.h"

#include <algorithm>
#include <cmath>

namespace nextstat {
namespace {

bool falls(const CurvePoint& point) { return std::isfinite(point.f) && point.slope < 0; }

// Inverse cubic interpolation: mu as a polynomial of f with the values and slopes of both ends, at f = 0.
double inverse_hermite(const CurvePoint& a, const CurvePoint& b) {
  const double width = b.f - a.f, t = -a.f / width;
  const double slope_a = width / a.slope, slope_b = width / b.slope;
  const double u = 1 - t;
  return u * u * (1 + 2 * t) * a.mu + t * u * u * slope_a + t * t * (3 - 2 * t) * b.mu - t * t * u * slope_b;
}

double newton(const CurvePoint& point) { return point.mu - point.f / point.slope; }

double middle(const CurvePoint& a, const CurvePoint& b) {
  if (a.mu <= 0) return b.mu / 8;
  return b.mu > 4 * a.mu ? std::sqrt(a.mu * b.mu) : (a.mu + b.mu) / 2;
}

}  // namespace

void RootSearch::add(const CurvePoint& point) {
  if (std::isnan(point.f)) return;
  const auto place = std::lower_bound(points_.begin(), points_.end(), point.mu,
                                      [](const CurvePoint& known, double mu) { return known.mu < mu; });
  if (place == points_.end() || place->mu != point.mu) {
    points_.insert(place, point);
  } else if (place->f != point.f) {
    // A deeper minimum was found there: what follows from the old value is void.
    *place = point;
    root_ = kNoValue;
    given_up_ = false;
  }
}

// The last point above zero: the root is the largest one seen.
std::size_t RootSearch::lower_index() const {
  for (std::size_t i = points_.size(); i-- > 0;) {
    if (points_[i].f > 0) return i;
  }
  return 0;
}

// No point below zero yet: go up along the slope, or tenfold.
std::optional<double> RootSearch::beyond() {
  const CurvePoint& last = points_.back();
  if (last.mu >= highest_) {
    given_up_ = true;
    return std::nullopt;
  }
  if (last.mu <= 0) return first_guess_;
  const double step = falls(last) ? 1.05 * newton(last) : 10 * last.mu;
  return std::min(std::clamp(step, 1.2 * last.mu, 100 * last.mu), highest_);
}

double RootSearch::inside(const CurvePoint& a, const CurvePoint& b) const {
  const auto fits = [&](double mu) { return mu > a.mu && mu < b.mu; };
  if (falls(a) && falls(b)) {
    if (const double mu = inverse_hermite(a, b); fits(mu)) return mu;
  }
  const CurvePoint& nearer = a.f < -b.f ? a : b;
  for (const CurvePoint* point : {&nearer, &nearer == &a ? &b : &a}) {
    if (!falls(*point)) continue;
    if (const double mu = newton(*point); fits(mu)) return mu;
  }
  const double secant = a.mu + (b.mu - a.mu) * a.f / (a.f - b.f);
  return std::isfinite(b.f) && fits(secant) && a.mu > 0 ? secant : middle(a, b);
}

std::optional<double> RootSearch::next() {
  if (given_up_ || !std::isnan(root_) || points_.empty()) return std::nullopt;
  if (!has_upper()) return beyond();
  const CurvePoint &a = lower(), &b = upper();
  const double width = b.mu - a.mu;
  slow_ = width > last_width_ / 2 ? slow_ + 1 : 0;
  last_width_ = width;
  const double candidate = inside(a, b);
  // Interpolation from a point this near is off by about the square of the distance.
  const bool near = std::min(candidate - a.mu, b.mu - candidate) <= rtol_ * candidate;
  if (b.f == 0 || near || width <= rtol_ * b.mu) {
    root_ = b.f == 0 ? b.mu : candidate;
    return std::nullopt;
  }
  if (slow_ < 3) return candidate;
  slow_ = 0;
  return middle(a, b);
}

}  // namespace nextstat

// Where a falling function of mu >= 0 crosses zero, from values and slopes that someone else computes.
//
//   RootSearch search(1e-4);
//   search.add({0.0, 3.0, slope});                    // f(0) > 0
//   while (std::optional<double> mu = search.next()) search.add({*mu, f(*mu), slope(*mu)});
//   search.root();                                    // NaN: no crossing was found
//
// PointList may be added that were not asked for: curves that share their function evaluations help each other.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "base/no_value.h"

namespace nextstat {

struct CurvePoint {
  double mu = 0;
  double f = 0;      // > 0 below the root; -infinity is allowed
  double slope = 0;  // d f / d mu; NaN = not known
};

class RootSearch {
 public:
  // Values beyond `highest` are not tried.
  RootSearch(double rtol, double first_guess, double highest)
      : rtol_(rtol), first_guess_(first_guess), highest_(highest) {}

  // A point that is known already is replaced where its value has changed.
  void add(const CurvePoint& point);

  // The next value to look at; nothing when the root is known to rtol or given up.
  std::optional<double> next();

  double root() const { return root_; }
  bool given_up() const { return given_up_; }
  // PointList next to the root; NaN where there is none.
  double below() const { return points_.empty() ? kNoValue : lower().mu; }
  double above() const { return has_upper() ? upper().mu : kNoValue; }
  double highest_tried() const { return points_.empty() ? 0.0 : points_.back().mu; }

 private:
  std::size_t lower_index() const;
  const CurvePoint& lower() const { return points_[lower_index()]; }
  bool has_upper() const { return !points_.empty() && lower_index() + 1 < points_.size(); }
  const CurvePoint& upper() const { return points_[lower_index() + 1]; }
  std::optional<double> beyond();
  double inside(const CurvePoint& a, const CurvePoint& b) const;

  double rtol_, first_guess_, highest_;
  std::vector<CurvePoint> points_;  // ascending in mu
  double root_ = kNoValue;
  double last_width_ = std::numeric_limits<double>::infinity();
  int slow_ = 0;  // proposals in a row that did not halve the bracket
  bool given_up_ = false;
};

}  // namespace nextstat

// Bins with almost no count whose rate a fit would take below zero.
//
// In such a bin, n < 1e-4 events (of Asimov data, or in place of none), the NLL of everything else falls with the
// rate nu until n log(nu) stops it at nu = n / slope, with slopes of 1e6 and more per event. That wall is curved,
// thinner than a step can follow, and may be thinner than the rounding of nu. But
//
//   f(x) = g(x) + nu - n log(nu)   has at the minimum of the same with m > n instead of n
//
// a value of at most m - n above its own minimum (g convex, nu straight: what interior-point methods rest on). So
// a row that is lost there is minimized with larger counts, then with smaller and smaller ones, down to its own or
// to what the rounding of the NLL hides.
//
//   ThinWalls walls(data, n_bins);
//   if (walls.any()) walls.keep_near(rates);
//   while (walls.any() && walls.lower(1e-7)) minimize(walls.data());
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nextstat {

class ThinWalls {
 public:
  // data: main bins first.
  ThinWalls(std::span<const double> data, std::size_t n_bins);

  bool any() const { return !bins_.empty(); }
  // Those whose rate is close to zero.
  void keep_near(std::span<const double> rates);
  // One is thinner than the last counts: where it presses, the Hessian is that of the wall alone.
  bool hide() const { return hide_; }
  // It does: the rest of the NLL pushes the rate against it.
  bool press() const { return press_; }
  // Makes the next smaller counts, first the largest; false: there are none. hidden: what may stay added to them.
  bool lower(double hidden);
  const std::vector<double>& data() const { return raised_; }
  double added() const { return added_; }  // to all counts

 private:
  std::vector<double> own_, raised_;
  std::vector<std::size_t> bins_;
  double level_ = 0, added_ = 0;
  bool hide_ = false, press_ = false;
};

}  // namespace nextstat

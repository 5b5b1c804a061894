// Tested values with their toys: each has toys of its own (s+b), all share those of the background, whose
// free fits are kept; their data are drawn again for every value.
//
//   ToyLimitPoints points(test, options, calls);
//   points.start();                                   // the background
//   Result<std::size_t> k = points.add(1.5);
//   points.extend(*k, {1000, 1000});                  // to so many toys
#pragma once

#include <nextstat/upper_limit_toys.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "infer/asymptotic/asymptotic_test.h"
#include "infer/toys/toy_calls.h"
#include "infer/toys/toy_fits.h"
#include "infer/toys/toy_limit_curve.h"
#include "infer/toys/toy_tails.h"

namespace nextstat {

// The observed curve, then kBandSigmas.
constexpr std::size_t kLimitCurves = 6;

class ToyLimitPoints {
 public:
  ToyLimitPoints(AsymptoticTest& test, const UpperLimitToysOptions& options, ToyCalls& calls)
      : test_(test), options_(options), calls_(calls) {}

  Result<void> start();
  // Its number, in the order of adding. The value must not be there yet.
  Result<std::size_t> add(double mu);
  // More toys, up to these numbers. Fewer when the calls were interrupted.
  Result<void> extend(std::size_t point, const ToyCounts& to);

  std::size_t size() const { return points_.size(); }
  double mu(std::size_t point) const { return points_[point].mu; }
  ToyCounts toys(std::size_t point) const;
  // What is known of a curve: at the points, and by the asymptotic formula at all values visited, ascending.
  std::vector<CurveSample> samples(std::size_t curve) const;
  const CurveSample& sample(std::size_t point, std::size_t curve) const {
    return points_[point].samples[curve];
  }
  std::vector<AsymptoticSample> asymptotic(std::size_t curve) const;
  // log(CLs / alpha) by the asymptotic formula.
  double asymptotic_at(std::size_t curve, double mu) const;
  CLsToysPoint result(std::size_t point) const;
  // Of toys: a free fit of each, and one at every value that it was tested at.
  std::size_t fits() const;
  std::vector<std::string> warnings() const;

 private:
  struct FreeFit {
    double mu_hat, nll;
    Termination termination;
  };
  struct Point {
    double mu;
    ToyEnsemble tested;
    ToyTails tails;
    std::array<CurveSample, kLimitCurves> samples = {};  // toys = 0: nothing is known
  };

  Result<ToyEnsemble> ensemble_at(double mu, std::uint32_t hypothesis);
  Result<bool> test_new(Point& point, std::uint64_t first, std::size_t count);
  Result<bool> test_background(Point& point, std::uint64_t first, std::size_t count);
  Result<bool> fit_background(std::uint64_t first, std::size_t count);
  void update(Point& point) const;

  AsymptoticTest& test_;
  const UpperLimitToysOptions& options_;
  ToyCalls& calls_;
  std::unique_ptr<ToyEnsemble> background_;
  std::vector<FreeFit> free_;  // of the toys of the background
  std::vector<Point> points_;
  std::vector<std::string> warnings_;
  std::vector<SampledToys> sampled_;  // of every value's toys
};

}  // namespace nextstat

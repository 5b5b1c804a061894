// Where toys are spent to find six limits: the observed one until its error is as wanted, then the expected
// one that is furthest from its aim.
//
//   ToyLimitSearch search(test, options, calls, points);
//   search.run(first_values);
//   search.state(curve).limit;
//
// A curve without a bracket gets values further out; one with a coarse bracket, whose ends say nothing about
// where the crossing is, a value inside it; any other more toys close to its crossing.
#pragma once

#include <nextstat/upper_limit_toys.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "infer/asymptotic/asymptotic_test.h"
#include "infer/toys/toy_calls.h"
#include "infer/toys/toy_limit_curve.h"
#include "infer/toys/toy_limit_points.h"

namespace nextstat {

class ToyLimitSearch {
 public:
  ToyLimitSearch(AsymptoticTest& test, const UpperLimitToysOptions& options, ToyCalls& calls,
                 ToyLimitPoints& points)
      : test_(test), options_(options), calls_(calls), points_(points) {}

  // So many toys at these values, and nothing else.
  Result<void> first_round(const std::vector<double>& values, const ToyCounts& toys);
  // First values, ascending, then whatever is needed.
  Result<void> run(const std::vector<double>& values);

  // How a curve stands. ratio: its error over the one allowed; above 1 there is something left to do.
  struct State {
    std::size_t curve = kLimitCurves;
    LimitBracket bracket;
    std::optional<LimitEstimate> limit;
    double ratio = 1;
    bool coarse = false;              // needs a value inside the bracket
    std::optional<double> unsettled;  // an end of the bracket with too few toys to say on which side it is
    bool few = false;                 // needs toys of the tested value, whatever the error
  };
  State state(std::size_t curve) const;

  enum class End { Reached, Toys, Values, Rounds };  // what ended the search; not an interrupt
  End end() const { return end_; }
  bool stopped() const { return calls_.interrupted() || test_.interrupted(); }
  std::size_t spent() const;

 private:
  std::size_t left() const { return options_.max_toys - std::min(options_.max_toys, spent()); }
  bool given_up(const State& at) const;
  State worst() const;
  Result<bool> improve();
  Result<bool> new_value(double mu);
  Result<bool> settle(const State& at);
  Result<bool> more_toys(std::size_t point, const State& at);
  double inside(const State& at) const;
  double outside(const State& at);
  std::size_t weaker_end(const State& at) const;
  std::optional<std::size_t> best_known(const State& at) const;
  std::size_t nearest(double mu) const;

  AsymptoticTest& test_;
  const UpperLimitToysOptions& options_;
  ToyCalls& calls_;
  ToyLimitPoints& points_;
  std::size_t toys_per_value_ = 0;
  std::array<std::size_t, kLimitCurves> outward_ = {};  // steps out of the tested range, by curve
  End end_ = End::Rounds;
};

}  // namespace nextstat

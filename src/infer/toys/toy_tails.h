// Tail probabilities from toys.
//
//   ToyTails tails(q_obs);
//   tails.add(ToyTails::kTested, q, status);
//   tails.observed().cls;
//
// p = toys with q >= q_obs among those that have a q. A q that differs from q_obs by rounding alone counts as
// equal. Toys without a converged fit have no q; they are counted apart.
#pragma once

#include <nextstat/hypotest_toys.h>

#include <array>
#include <vector>

#include "infer/toys/toy_fits.h"

namespace nextstat {

// A fraction of toys and its standard error. The error of 0 or all of n is 1 / n: that of one toy more.
struct CountedFraction {
  double value = 0, error = 0;
};
CountedFraction counted_fraction(std::size_t count, std::size_t of);

// CLs = CLsb / CLb with the errors of both.
ToyProbabilities toy_probabilities(CountedFraction clsb, CountedFraction clb, bool has_cls);

// Expected values with their standard errors: those of counting the tested toys, and those of which toy of
// the alternative stands at the percentile.
struct ToyBand {
  std::array<TailProbabilities, 5> value, tested_error, alternative_error;  // as kBandSigmas
};

class ToyTails {
 public:
  enum Side : std::size_t { kTested = 0, kAlternative = 1 };  // of hypotest: s+b and b

  ToyTails(double q_obs, bool has_cls, bool keep) : q_obs_(q_obs), has_cls_(has_cls), keep_(keep) {}

  void add(Side side, double q, ToyStatus status);
  ToyProbabilities observed() const;
  // CLsb, CLb and CLs of every toy of the alternative as if it were the data; of each the percentiles at
  // -2, -1, 0, 1 and 2 sigma, ascending. Needs `keep`.
  ToyBand expected() const;

  double q_obs() const { return q_obs_; }
  std::size_t usable(Side side) const { return counts_[side].usable; }
  std::size_t toys(Side side) const { return counts_[side].toys; }
  std::size_t without_likelihood(Side side) const { return counts_[side].without_likelihood; }
  std::size_t not_converged(Side side) const { return counts_[side].not_converged; }

 private:
  struct Counts {
    std::size_t toys = 0, usable = 0, beyond = 0, without_likelihood = 0, not_converged = 0;
  };

  double q_obs_;
  bool has_cls_, keep_;
  std::array<Counts, 2> counts_;
  std::array<std::vector<double>, 2> kept_;
};

// The percentile of ascending values, linear between neighbors as in NumPy.
double percentile(const std::vector<double>& ascending, double percent);

}  // namespace nextstat

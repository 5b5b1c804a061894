// One search for the minima of a row: what it knows, and what it still wants.
#pragma once

#include <span>
#include <vector>

#include "minimize/basins/basin_starts.h"
#include "minimize/basins/basins.h"

namespace nextstat {

// A minimum with the gradient there, which is not zero where a bound holds a parameter.
struct KnownMinimum {
  Minimum minimum;
  std::vector<double> gradient;
  std::size_t hits = 1;
};

// Where a start was left.
struct Trail {
  std::size_t search = 0;  // whose start it was
  std::vector<double> parameters;
  double nll = 0;
  std::vector<double> gradient;
  bool converged = false;
  std::optional<std::size_t> seed = {};  // that it began at
  bool open = true;                      // not known yet where it leads

  // Along the line from the minimum to here the NLL rises like a parabola: no other minimum lies between.
  bool leads_to(const KnownMinimum& known) const;
};

class RowSearch {
 public:
  static constexpr std::size_t kFarSteps = 80;

  RowSearch(const Model& model, const RowBatch& batch, const Row& row, Minimum first,
            const ModelBends& bends);

  const Row& row() const { return row_; }
  BasinStarts& starts() { return starts_; }
  bool has_likelihood() const;
  const KnownMinimum& deepest() const { return known_.front(); }
  const std::vector<KnownMinimum>& known() const { return known_; }

  void set_gradient(std::vector<double> gradient) { known_.front().gradient = std::move(gradient); }
  void count(std::size_t iterations) { iterations_ += iterations; }
  void count_start(bool own) { ++(own ? own_starts_ : other_starts_); }
  std::size_t iterations() const { return iterations_; }
  // Its own start took so many steps that neither the metric nor the minima of other rows serve it.
  bool is_far() const { return first_iterations_ > kFarSteps; }
  // A start that was not followed to its end.
  void drop_start() {
    --own_starts_;
    ++lost_;
  }
  void hit(std::size_t known) { ++known_[known].hits; }
  void expect_seeds(std::size_t seeds);
  void seed_led_to(std::size_t seed, double nll) { seeds_led_to_[seed] = nll; }
  // A minimum that is not known; a fit that did not converge gives way to it.
  void add(KnownMinimum minimum);
  // Where nothing has converged yet.
  void replace_unconverged(Minimum minimum);

  // Rows that share a search begin at different points.
  void take_turn(const SearchRule& rule, std::size_t turn);
  // Starts of its own that it still wants; 0 = enough.
  std::size_t wanted(const SearchRule& rule, std::size_t most_iterations) const;
  // Its own starts are over. relies: it had none.
  void end(const SearchRule& rule, std::size_t most_iterations, bool relies);
  Basins result(bool interrupted) &&;

 private:
  std::size_t enough(const SearchRule& rule) const;
  std::size_t depths() const;
  double unseen() const;

  Row row_;
  BasinStarts starts_;
  std::vector<KnownMinimum> known_;  // by NLL
  std::size_t own_starts_ = 1, other_starts_ = 0, lost_ = 0;
  std::size_t iterations_ = 0, first_iterations_ = 0;
  std::vector<double> seeds_led_to_;
  std::vector<double> began_at_;  // of its own start, where that has no likelihood
  bool exhausted_ = false;
};

}  // namespace nextstat

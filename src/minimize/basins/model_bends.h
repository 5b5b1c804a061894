// Where a model's rates bend: what makes a likelihood have several minima.
//
//   const ModelBends bends(model, start);
//   bends.parameters();   // most bent first
//
// A systematic that moves a bin to the same side up and down has no slope at its center, so a fit that begins
// there does not see what many of them could do together. Each bin is therefore pushed up and down by all
// parameters that can, each towards its more effective side; and single parameters that bend much are moved
// by themselves. And where shifts can take a sample's rate in a bin below zero, factors that make it larger
// take it further down: a minimum lies there that no slope at the start points to. Factors without a
// constraint can stand in for each other: one that ended at a bound may belong to the other. At the values of
// one standard deviation, from the tables alone: no evaluation.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/compile/compiled_model.h"

namespace nextstat {

// Parameters that together push one bin.
struct BinPush {
  struct Move {
    std::size_t parameter;
    double step;  // 1 or -1; more for those that hardly anything holds
  };
  std::vector<Move> moves;
};

class ModelBends {
 public:
  // start: [parameter], gives the sizes of free factors.
  ModelBends(const CompiledModel& model, std::span<const double> start);

  const std::vector<BinPush>& pushes() const { return pushes_; }              // most bent first
  const std::vector<std::size_t>& parameters() const { return parameters_; }  // most bent first
  // Without a constraint, those that move the most events first.
  const std::vector<std::size_t>& free_factors() const { return free_factors_; }
  // Of samples that can turn negative in a bin, the largest rate below zero first:
  // all shifts of that rate down, all factors up.
  const std::vector<BinPush>& below_zero() const { return below_zero_; }
  // How much the most bent bin is moved without a slope, in standard deviations of its count.
  double strongest() const { return strongest_; }

 private:
  std::vector<BinPush> pushes_, below_zero_;
  std::vector<std::size_t> parameters_, free_factors_;
  double strongest_ = 0;
};

}  // namespace nextstat

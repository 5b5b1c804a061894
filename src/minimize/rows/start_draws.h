// PointList within the bounds of a row, drawn around its start. A function of the model, start, bounds and seed.
//
//   StartDraws draws(model, start, low, high);
//   std::vector<double> point = draws.next();
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "model/compile/compiled_model.h"

namespace nextstat {

// Sets the entries of constrained parameters to the widths of their constraints.
void set_constraint_widths(const CompiledModel& model, std::vector<double>& widths);

class StartDraws {
 public:
  static constexpr std::uint64_t kSeed = 20261115;

  // low, high: [parameter]; equal = fixed.
  StartDraws(const CompiledModel& model, std::span<const double> start, std::span<const double> low,
             std::span<const double> high, std::uint64_t seed = kSeed);

  // Around the start, ever wider: 0.5, 1, 2 and 4 constraint widths in turn, then anywhere within the bounds.
  std::vector<double> next();
  // Around another point, so many widths wide.
  std::vector<double> around(std::span<const double> center, double widths);

  // [parameter] of its constraint, or of a factor; 0 = fixed.
  const std::vector<double>& widths() const { return width_; }
  std::span<const double> start() const { return start_; }
  std::span<const double> low() const { return low_; }
  std::span<const double> high() const { return high_; }

 private:
  double uniform();  // from 0 to 1

  std::vector<double> start_, low_, high_;
  std::vector<double> width_;
  std::mt19937_64 engine_;  // its numbers are the same everywhere
  std::size_t drawn_ = 0;
};

}  // namespace nextstat

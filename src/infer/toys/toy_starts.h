// Where the fits of toys begin: at the minima of the data that they are drawn around, and, in models whose
// rates bend much, at those that a sample of toys has elsewhere.
//
//   Result<ToyStarts> starts =
//       find_toy_starts(setup, {.truth = truth, .expected = expected}, plan, {{poi, 1.0}});
//
// A function of the model, the truth, the options of its fits and what is fixed: the sample has random
// numbers of its own, and the toys of a run add nothing.
#pragma once

#include <span>
#include <vector>

#include "infer/setup/setup.h"
#include "model/draw/draw_plan.h"

namespace nextstat {

struct ToyStarts {
  PointList
      points;  // at least one; the first is the truth, within the bounds, or of fits with something fixed
               // the deepest minimum of the expected data
  std::size_t for_all = 1;    // of these: for every toy; the others where starts lead to different minima
  std::size_t sampled = 0;    // toys that were searched for other minima
  std::size_t elsewhere = 0;  // of these: the deepest is not where the first point leads
};

struct ToyCenter {
  std::span<const double> truth;     // [parameter]
  std::span<const double> expected;  // [datum] that the toys are drawn around
  const Basins* minima = nullptr;    // of the fit to these, where they are known
};

Result<ToyStarts> find_toy_starts(const Setup& setup, const ToyCenter& center, const DrawPlan& plan,
                                  const std::vector<FixedParameter>& fixed);

}  // namespace nextstat

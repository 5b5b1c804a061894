// The screen of a fit: did it converge, what is the result, what is odd. Under 40 lines for any model unless
// all parameters are asked for.
#pragma once

#include <nextstat/fit.h>
#include <nextstat/regions.h>

#include <string>
#include <vector>

namespace nextstat::cli {

struct FitScreen {
  const Model& model;
  const FitResult& result;
  std::vector<std::string> warnings;       // the result's and the verb's own
  std::vector<RegionCounts> regions = {};  // validation regions
  bool all = false;                        // every parameter
};

std::string fit_table(const FitScreen& screen);

}  // namespace nextstat::cli

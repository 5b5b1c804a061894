// What is asked of the samples: one list for the test and for docs/statistics.md.
#pragma once

#include <string>
#include <vector>

#include "closure/samples.h"

namespace nextstat::closure {

struct Check {
  std::string group;  // "pulls", "coverage", "q0", "qtilde", "CLs", "CLs of few events", "injection"
  std::string what;
  double value = 0;
  double expected = 0;
  double error = 0;    // standard error of the value; of a p-value 0
  double allowed = 0;  // distance from what is expected; of a p-value the least
  bool is_p_value = false;

  bool met() const;
};

std::vector<Check> checks(const Samples& samples);

}  // namespace nextstat::closure

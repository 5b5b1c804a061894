// What the large tables of a question need, before they are made.
//
//   const Errors errors = check_memory({"the covariance", matrices_need(model), "leave it out"});
//   if (!errors.empty()) return errors;
#pragma once

#include <nextstat/model.h>
#include <nextstat/result.h>

#include <string>

namespace nextstat {

struct MemoryNeed {
  std::string what;  // "the covariance of 30001 parameters"
  double bytes = 0;
  Hint instead;  // the next step of the person who asked for it
};

// The exact Hessian at a point, factorized: what uncertainties take.
double hessian_need(const Model& model);
// Covariance and correlation, [parameter][parameter], and the work on the way to them.
double matrices_need(const Model& model);

// Whether that is there; an error names both numbers.
Errors check_memory(const MemoryNeed& need);
bool has_memory(double bytes);

std::string memory_text(double bytes);  // "14.4 GB"

}  // namespace nextstat

// What is told of the minima that the fits of a question have.
//
//   SearchLog log;
//   log.add(setup, kFreeFit, basins);
//   log.tell(setup.model, result);
#pragma once

#include <nextstat/minima.h>

#include <span>
#include <string>
#include <vector>

#include "infer/setup/setup.h"

namespace nextstat {

// What follows from them.
inline constexpr const char* kSmallErrors = "so that uncertainties from one of them are too small";
inline constexpr const char* kNoParabola =
    "so that asymptotic formulas, which assume a parabolic NLL, may be off: compare with toys";
inline constexpr const char* kFreeFit = "the free fit to the data";

class SearchLog {
 public:
  // All minima of one fit; those of fits that have one are not listed, unless it is asked for.
  void add(const Setup& setup, const std::string& fit, const Basins& basins, bool always = false);

  const MinimaSearch& search() const { return search_; }
  // To a result: its search, and warnings.
  template <class Answer>
  void tell(const Model& model, Answer& result) const {
    result.search = search_;
    for (std::string& warning : warnings(model)) result.warnings.push_back(std::move(warning));
  }
  bool interrupted() const { return interrupted_; }
  // Minima close to the deepest, with what follows for the answer, and searches that ended too early.
  std::vector<std::string> warnings(const Model& model, const std::string& consequence = kSmallErrors) const;

 private:
  MinimaSearch search_;
  bool interrupted_ = false;
  std::string unfinished_;  // the first fit whose search ended at its budget
  std::size_t n_unfinished_ = 0, starts_of_unfinished_ = 0;
};

// Of minima at ascending values of a parameter, all to one dataset: those that a fit which follows the
// branch of the one before does not reach, because another is deeper there.
struct BranchPoint {
  std::vector<FixedParameter> fixed;
  const Minimum* minimum;
};
Result<std::vector<char>> find_kinks(const Setup& setup, std::span<const double> data,
                                     std::span<const BranchPoint> points);

}  // namespace nextstat

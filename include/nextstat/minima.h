// The minima that a question's fits have. A likelihood is profiled at its deepest minimum, so every fit is
// begun at many points; where they lead to several minima, the result lists them.
//
//   Result<FitResult> result = fit(model);
//   for (const FoundMinimum& minimum : result->search.minima) minimum.nll, minimum.above, minimum.used;
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

class Model;

// One of several minima of a fit.
struct FoundMinimum {
  // A parameter by its index, and where it lies.
  struct Value {
    std::size_t parameter = 0;
    double value = 0;
  };

  // Which fit of the question: "the free fit to the data", "the fit at mu = 1 to the data".
  std::string fit = {};
  double nll = 0;
  double above = 0;                    // NLL above the deepest
  double poi = 0;                      // NaN without a parameter of interest
  bool used = false;                   // the deepest
  std::vector<Value> parameters = {};  // that differ most between this minimum and the deepest (or the next)
};

// A range of a parameter where the profile likelihood is close enough to its maximum. Where there are several
// minima it may fall into parts.
struct IntervalPart {
  double lower = 0, upper = 0;
};

// What a sample of toys shows about the minima of one kind of their fits.
struct SampledToys {
  std::string fit = {};       // "the free fit of toys at mu = 0"
  std::size_t starts = 1;     // points that fits begin at: all of them where a toy shows several minima
  std::size_t sampled = 0;    // toys of the sample; none where the rates do not bend
  std::size_t elsewhere = 0;  // of these: the deepest minimum is not where the first point leads (the truth,
                              // or the deepest minimum of what it expects)
};

// How the deepest minimum was looked for, and what else was found.
struct MinimaSearch {
  std::size_t starts = 0;  // of all fits
  // For every fit the estimated chance that a deeper minimum was overlooked is below one percent. false: a
  // number of starts was asked for, or the budget ended the search.
  bool exhausted = true;
  std::vector<FoundMinimum> minima = {};  // of fits that have more than one, the deepest of each fit first
};

// NLL: two minima of about the same depth, which is warned about.
inline constexpr double kCloseMinimum = 0.5;

// "another minimum lies 0.0607 higher: mu_SIG = 0, TopSystHardCodeSR1 = 0.139 (1.18 at the deepest)"
std::string describe_minimum(const Model& model, const FoundMinimum& minimum, const FoundMinimum& deepest);

}  // namespace nextstat
#pragma GCC visibility pop

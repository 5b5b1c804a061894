// Toys of one hypothesis, drawn and fitted: the free fit of each, and its test statistic at any POI value.
//
//   Result<ToyEnsemble> toys = ToyEnsemble::make(setup, poi, {.seed = 42, .hypothesis = 0, .truth = at});
//   Result<ToyBatch> batch = toys->fit(0, 1000);
//   Result<std::vector<ToyTest>> tests = toys->test(*batch, TestStatistic::Qtilde, 1.0);
//
// What comes out of a toy depends on (truth, seed, hypothesis, its number) only.
#pragma once

#include <nextstat/hypotest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "infer/setup/setup.h"
#include "infer/toys/toy_starts.h"
#include "minimize/dataset_solver.h"
#include "model/draw/draw_plan.h"

namespace nextstat {

// How the fits of a toy ended; the worst of them counts. Kept in files as a number.
enum class ToyStatus : std::uint8_t {
  Converged = 0,
  NotConverged = 1,  // a fit spent its budget
  NoLikelihood = 2,  // no start with a finite likelihood was found
};
ToyStatus toy_status(const Minimum& minimum);

struct ToySource {
  std::uint64_t seed = 42;
  std::uint32_t hypothesis = 0;
  std::vector<double> truth;  // [parameter]
  bool fixed_auxiliary = false;
  std::vector<double> expected = {};  // [datum] instead of what the truth expects
};

// Toys with their free fits.
struct ToyBatch {
  std::uint64_t first = 0;
  std::size_t count = 0;
  DrawnToys toys;
  std::vector<Minimum> free = {};  // [toy]
  bool interrupted = false;        // some fits are missing: not to be used
};

struct ToyTest {
  double q = 0;       // NaN without a likelihood; infinite where mu alone cannot give the toy
  double nll_mu = 0;  // of the fit at mu; NaN where q is 0 without it
  ToyStatus status = ToyStatus::Converged;
  std::size_t iterations = 0;  // of all fits
};

class ToyEnsemble {
 public:
  // The setup must outlive it.
  static Result<ToyEnsemble> make(const Setup& setup, std::optional<std::size_t> poi, ToySource source);

  // Data alone, for toys whose free fits are known. values: whether the caller looks at them.
  Result<ToyBatch> draw(std::uint64_t first, std::size_t count, bool values = false) const;
  Result<ToyBatch> fit(std::uint64_t first, std::size_t count, bool values = false) const;

  // The statistic of every toy. Free fits that lie in a worse minimum than the one at mu are made again from
  // there, and changed in the batch. Sets batch.interrupted when the stop token fired. From several threads only after
  // prepare() for the same statistic and mu, which leaves nothing to be added here.
  Result<std::vector<ToyTest>> test(ToyBatch& batch, TestStatistic statistic, double mu);

  // Makes the fits that the statistic needs ready, and says what a sample shows about all kinds of them.
  // truth: what it is called, "mu = 0".
  Result<std::vector<SampledToys>> prepare(TestStatistic statistic, double mu, const std::string& truth);
  SampledToys sampled_free(const std::string& truth) const;

  // What the truth expects: [datum].
  std::span<const double> expected() const { return expected_; }
  // Names of main bins with a negative expected rate; their toys hold 0.
  std::vector<std::string> negative_bins() const;
  const ToySource& source() const { return source_; }

 private:
  ToyEnsemble(const Setup& setup, std::optional<std::size_t> poi, ToySource source);

  Result<std::size_t> fit_at(double mu);  // the kind of fit with the POI there
  // Its number.
  Result<std::size_t> add_kind(std::vector<FixedParameter> fixed);
  Result<void> improve_free(ToyBatch& batch, std::span<const std::size_t> toys,
                            std::span<const Minimum> at_mu, double mu) const;

  const Setup* setup_;
  std::optional<std::size_t> poi_;
  ToySource source_;
  std::vector<double> expected_;
  std::unique_ptr<const DrawPlan> plan_;  // stays where it is: toys refer to it
  std::unique_ptr<DatasetSolver> solver_;
  std::size_t free_ = 0;
  std::map<double, std::size_t> kinds_;  // of fits, by mu
  std::vector<SampledToys> sampled_;     // [kind]
};

}  // namespace nextstat

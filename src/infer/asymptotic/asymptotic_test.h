// The fits behind asymptotic tests: a free fit, the Asimov data, and for every tested mu a fit with the POI
// fixed there, to the data and to the Asimov data. Each is made once and kept.
//
//   Result<AsymptoticTest> test = AsymptoticTest::prepare(model, options, {TestStatistic::Qtilde});
//   test->visit({{1.0}});
//   test->at(1.0).q;
#pragma once

#include <nextstat/hypotest.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "infer/profile/minima_log.h"
#include "infer/setup/setup.h"

namespace nextstat {

struct TestKind {
  TestStatistic statistic = TestStatistic::Qtilde;
  bool qtilde_as_pyhf = false;
};

// The test statistic at one mu, with d / d mu (NaN unless slopes were asked for).
struct TestPoint {
  double mu = 0;
  double q = 0, q_slope = 0;
  double q_asimov = 0, q_asimov_slope = 0;
  bool converged = false;
};

// Of a single test, and of the limits at one confidence level.
constexpr WorkEstimate kFitsOfATest = {.fits = 4};
constexpr WorkEstimate kFitsOfLimits = {.fits = 35};

// Fits that share what one search for minima needs: to the data and to the Asimov data at one value, and of
// limits those at values close to each other.
constexpr double kFitsOfTestShare = 1.34, kFitsOfLimitsShare = 3.6;

class AsymptoticTest {
 public:
  // Makes the free fit, the fit that the Asimov data come from, and the Asimov data.
  static Result<AsymptoticTest> prepare(const Model& model, const RunOptions& options, const TestKind& kind,
                                        const WorkEstimate& work);

  // Fits at these values; those known are not fitted again, and are where fits nearby begin too. `slopes`:
  // d q / d mu too.
  Result<void> visit(std::span<const double> mus, bool slopes = false);

  TestPoint at(double mu) const;        // of a visited value
  std::vector<double> visited() const;  // ascending

  TestStatistic statistic() const { return kind_.statistic; }
  // The value that the Asimov data are made at, and the toys that are not of the tested hypothesis.
  double alternative_mu() const { return asimov_mu(); }
  const MinimaSearch& search() const { return log_.search(); }
  // Visited values where the deepest minimum of the data lies on another branch than at the value before.
  Result<std::vector<double>> kinks() const;
  // The fit to the data at a visited value; null where there is none.
  const Minimum* data_fit(double mu) const;
  const Setup& setup() const { return setup_; }
  std::size_t poi() const { return poi_; }
  double mu_hat() const { return free_.parameters[poi_]; }
  double poi_low() const { return setup_.bounds.low[poi_]; }
  double poi_high() const { return setup_.bounds.high[poi_]; }
  // A typical size of the POI: its start value.
  double poi_scale() const { return setup_.start[poi_] > 0 ? setup_.start[poi_] : 1.0; }
  const std::string& poi_name() const { return setup_.model.parameters()[poi_].name; }
  bool has_asimov() const { return datasets_.size() > setup_.data.size(); }
  bool converged() const { return failures_.empty() && !interrupted_; }
  bool interrupted() const { return interrupted_; }
  std::size_t fits() const { return fits_; }
  std::size_t iterations() const { return iterations_; }
  const DeviceUse& device() const { return setup_.device; }
  std::string instruction_set() const { return setup_.session->traits().instruction_set; }

  // How many fits the progress is out of; four make a single test.
  void expect_fits(std::size_t fits) { expected_fits_ = fits; }

  // What is odd about the fits so far.
  // counts_toys: the answer does not rest on asymptotic formulas.
  std::vector<std::string> warnings(bool counts_toys = false) const;

 private:
  enum Source : std::size_t { kData = 0, kAsimov = 1 };
  struct Conditional {
    Minimum minimum;
    double slope = 0;                  // d NLL / d POI
    std::vector<Minimum> others = {};  // ascending NLL
    // Whether the deepest minimum at the value below and above leads to this one; false = it does not, or
    // there was none when this was fitted.
    bool joins_below = false, joins_above = false;
  };
  using Conditionals = std::map<double, Conditional>;  // by mu
  struct FitAt {
    Source source;
    double mu;
  };

  AsymptoticTest(Setup setup, std::size_t poi, TestKind kind)
      : setup_(std::move(setup)), poi_(poi), kind_(kind), datasets_(setup_.data) {}

  Result<void> fit_free();
  Result<void> make_asimov();
  Result<void> fit_asimov_free();
  Result<void> fit(std::vector<FitAt> wanted);
  Result<void> fit_part(std::span<const FitAt> wanted, bool is_close);
  using Place = std::pair<Source, double>;  // data and mu
  Result<void> follow_back(std::span<const FitAt> fitted);
  std::map<Place, PointList> seeds_back(const std::set<Place>& fresh) const;
  static bool replace_by_deeper(Conditional& known, const Minimum& found);
  SearchRule rule_for(std::span<const FitAt> wanted, bool is_close);
  bool has_close_neighbor(const FitAt& wanted) const;
  struct Seeds {
    PointList points;
    std::optional<std::size_t> above, below;  // the deepest minima there
  };
  Seeds seeds_at(const FitAt& wanted) const;
  static std::vector<std::vector<std::size_t>> neighbors(std::span<const FitAt> wanted);
  Result<void> fit_again(std::span<const FitAt> wanted, std::vector<Basins>& basins);
  RowBatch batch_of(std::span<const FitAt> wanted) const;
  Result<void> add_slopes();
  Result<void> improve_free();
  std::vector<double> start_at(Source source, double mu) const;
  void count(const Minimum& minimum, const std::string& which);
  double statistic_at(Source source, double mu) const;
  double slope_at(Source source, double mu) const;
  std::span<const double> asimov() const { return std::span(datasets_).subspan(setup_.data.size()); }
  double asimov_mu() const { return kind_.statistic == TestStatistic::Q0 ? 1.0 : 0.0; }

  Setup setup_;
  std::size_t poi_;
  TestKind kind_;
  Minimum free_, asimov_free_;
  std::vector<double> datasets_;  // [Source][datum]: the observed data, then the Asimov data
  Conditionals conditionals_[2];
  std::size_t fits_ = 0, iterations_ = 0, expected_fits_ = 4;
  bool for_limits_ = false;
  std::size_t n_searched_ = 0;  // conditional fits so far
  double shared_by_ = 1.7;  // fits that share what one search needs: first the free fit and that at asimov_mu
  SearchLog log_;
  std::function<void(std::size_t done, std::size_t total)> report_;
  std::size_t clipped_bins_ = 0;
  bool interrupted_ = false, second_minimum_ = false;
  std::vector<std::string> failures_;                       // fits that did not converge
  std::vector<std::string> flat_;                           // what the data do not constrain
  std::vector<std::string> about_start_, began_elsewhere_;  // of the free fit; other fits
};

// The answer at a value that was visited; in hypotest.cpp.
HypotestResult hypotest_result(const AsymptoticTest& test, double mu);

}  // namespace nextstat

#include <nextstat/hypotest_toys.h>

#include <fmt/format.h>

#include <cmath>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/asymptotic/asymptotic_test.h"
#include "infer/asymptotic/test_statistic.h"
#include "infer/profile/warnings.h"
#include "infer/toys/toy_blocks.h"
#include "infer/toys/toy_fits.h"
#include "infer/toys/toy_identity.h"
#include "infer/toys/toy_tails.h"
#include "infer/toys/toy_warnings.h"

namespace nextstat {
namespace {

const std::vector<std::string> kColumnNames = {"q", "mu_hat", "nll_free", "nll_mu", "status", "n_iter"};

class ToyTester {
 public:
  ToyTester(const HypotestToysOptions& options, AsymptoticTest test)
      : options_(options),
        mu_(options.statistic == TestStatistic::Q0 ? 0.0 : options.mu),
        test_(std::move(test)),
        has_cls_(options.statistic != TestStatistic::Q0) {}

  Result<HypotestToysResult> run() {
    HypotestToysResult result;
    result.mu_test = mu_;
    result.statistic = options_.statistic;
    result.q_obs = test_.at(mu_).q;
    result.q_mu_a = test_.at(mu_).q_asimov;
    result.mu_hat = test_.mu_hat();
    result.seed = options_.toys.seed;
    result.converged = test_.converged();
    result.interrupted = test_.interrupted();
    result.warnings = test_.warnings(true);
    result.search = test_.search();
    result.device = test_.device();
    result.instruction_set = test_.instruction_set();
    result.observed = toy_probabilities({kNoValue, kNoValue}, {kNoValue, kNoValue}, has_cls_);
    result.expected.fill({kNoValue, kNoValue, kNoValue, kNoValue});
    result.expected_errors = result.expected;
    if (result.interrupted) return result;
    if (has_cls_) warn_about_bounds(test_.setup(), test_.poi(), mu_, result.warnings);
    if (std::isnan(result.q_obs)) {
      result.warnings.push_back(
          fmt::format("no toys were drawn: {} would depend on a fit to the data that did not converge",
                      has_cls_ ? "CLs" : "a p-value"));
      return result;
    }
    TRY_DO(make_ensembles(result));
    TRY_DO(count(result));
    return result;
  }

 private:
  Result<void> make_ensembles(HypotestToysResult& result) {
    for (const double mu : {mu_, test_.alternative_mu()}) {
      const Minimum* fitted = test_.data_fit(mu);
      if (!fitted || !std::isfinite(fitted->nll)) return no_fit(fitted, mu);
      TRY(ToyEnsemble ensemble,
          ToyEnsemble::make(test_.setup(), test_.poi(),
                            {options_.toys.seed, static_cast<std::uint32_t>(ensembles_.size()),
                             fitted->parameters, options_.toys.fixed_auxiliary}));
      const std::string truth = fmt::format("{} = {:.6g}", test_.poi_name(), mu);
      warn_about_negative_bins(ensemble, truth, result.warnings);
      TRY(std::vector<SampledToys> minima, ensemble.prepare(options_.statistic, mu_, truth));
      warn_about_minima(minima, result.warnings);
      for (SampledToys& kind : minima) result.toy_minima.push_back(std::move(kind));
      ensembles_.push_back(std::move(ensemble));
    }
    return {};
  }

  Error no_fit(const Minimum* fitted, double mu) const {
    const std::string bins =
        fitted ? ": " + zero_likelihood_reason(test_.setup(), fitted->parameters) : std::string();
    return {ErrorCode::BadInput,
            test_.poi_name(),
            fmt::format("there is no fit with {} = {:.6g} to draw toys from: the likelihood is zero where it "
                        "starts{}",
                        test_.poi_name(), mu, bins),
            {"start elsewhere, or test another value", {Field::Init, Field::Mu}}};
  }

  RunIdentity identity() const {
    const std::size_t n_toys = options_.toys.n_toys;
    ToyQuestion question{.kind = "hypotest-toys",
                         .columns = kColumnNames,
                         .ensembles = {{0, has_cls_ ? "signal + background" : "background", n_toys},
                                       {1, has_cls_ ? "background" : "signal + background", n_toys}}};
    question.settings["mu"] = mu_;
    question.settings["test_stat"] = to_string(options_.statistic);
    return toy_run_identity(test_.setup(), options_.toys, options_.storage, std::move(question));
  }

  Result<std::optional<std::vector<double>>> compute(std::size_t number, std::uint64_t first,
                                                     std::size_t count) {
    ToyEnsemble& ensemble = ensembles_[number];
    Result<ToyBatch> batch = ensemble.fit(first, count);
    if (!batch) return batch.errors();
    if (batch->interrupted) return std::optional<std::vector<double>>();
    TRY(const std::vector<ToyTest> tests, ensemble.test(*batch, options_.statistic, mu_));
    if (batch->interrupted) return std::optional<std::vector<double>>();
    std::vector<double> records;
    records.reserve(count * TestColumn::Count);
    for (std::size_t i = 0; i < count; ++i) {
      const ToyTest& test = tests[i];
      const Minimum& free = batch->free[i];
      const bool has_fit = toy_status(free) != ToyStatus::NoLikelihood;
      for (const double value :
           {test.q, has_fit ? free.parameters[test_.poi()] : kNoValue, has_fit ? free.nll : kNoValue,
            test.nll_mu, static_cast<double>(test.status), static_cast<double>(test.iterations)})
        records.push_back(value);
    }
    return std::optional(std::move(records));
  }

  static void set_expected(const ToyBand& band, HypotestToysResult& result) {
    result.expected = band.value;
    for (std::size_t i = 0; i < kBandSigmas.size(); ++i) {
      const TailProbabilities &tested = band.tested_error[i], &alternative = band.alternative_error[i];
      result.expected_errors[i] = {kNoValue, std::hypot(tested.clsb, alternative.clsb),
                                   std::hypot(tested.clb, alternative.clb),
                                   std::hypot(tested.cls, alternative.cls)};
    }
  }

  static ToyTails::Side side(std::size_t ensemble) {
    return ensemble == 0 ? ToyTails::kTested : ToyTails::kAlternative;
  }

  Result<void> count(HypotestToysResult& result) {
    ToyTails running(result.q_obs, has_cls_, false), tails(result.q_obs, has_cls_, options_.expected_set);
    const Setup& setup = test_.setup();
    ToyRun run{identity(),          options_.toys,           options_.storage,
               options_.run,        setup.session->traits(), setup.options.threads,
               bytes_per_toy(setup)};
    run.on_records = [&](std::size_t ensemble, std::span<const double> records) {
      for (std::size_t at = 0; at < records.size(); at += TestColumn::Count)
        running.add(side(ensemble), records[at + TestColumn::Q],
                    static_cast<ToyStatus>(records[at + TestColumn::Status]));
      if (options_.on_estimate) options_.on_estimate(running.observed());
    };
    const Result<BlocksDone> done = run_blocks(
        run,
        [&](std::size_t ensemble, std::uint64_t first, std::size_t count) {
          return compute(ensemble, first, count);
        },
        [&](const ToyBlock& block) {
          for (std::size_t i = 0; i < block.range.count; ++i) {
            const double* record = block.values.data() + i * TestColumn::Count;
            tails.add(side(block.range.ensemble), record[TestColumn::Q],
                      static_cast<ToyStatus>(record[TestColumn::Status]));
            if (options_.use)
              options_.use(block.range.ensemble == 1, block.range.first + i, record[TestColumn::Q]);
          }
        });
    if (!done) return done.errors();
    result.complete = done->complete;
    result.shard_done = done->shard_done;
    result.interrupted = done->interrupted;
    result.warnings.insert(result.warnings.end(), done->remarks.begin(), done->remarks.end());
    result.observed = tails.observed();
    if (options_.expected_set) set_expected(tails.expected(), result);
    result.n_toys = {tails.toys(ToyTails::kTested), tails.toys(ToyTails::kAlternative)};
    result.n_error = {tails.without_likelihood(ToyTails::kTested),
                      tails.without_likelihood(ToyTails::kAlternative)};
    result.n_nonconverged = {tails.not_converged(ToyTails::kTested),
                             tails.not_converged(ToyTails::kAlternative)};
    warn_about_failures(tails, result.warnings);
    if (too_many_failed(tails)) result.converged = false;
    if (has_cls_ && result.observed.clb == 0)
      result.warnings.push_back(
          "no background-only toy is as far from the tested value as the data: CLs is undefined; use more "
          "toys");
    return {};
  }

  const HypotestToysOptions& options_;
  double mu_;
  AsymptoticTest test_;
  bool has_cls_;
  std::vector<ToyEnsemble> ensembles_;
};

}  // namespace

Result<HypotestToysResult> hypotest_toys(const Model& model, const HypotestToysOptions& options) {
  const TestStatistic statistic = options.statistic;
  if (Errors errors = check_statistic(statistic, kToyStatistics); !errors.empty()) return errors;
  if (options.toys.n_toys == 0)
    return Error{ErrorCode::BadUsage, Field::NToys, "the number of toys is 0", "use at least one"};
  const double mu = statistic == TestStatistic::Q0 ? 0.0 : options.mu;
  if (!std::isfinite(mu))
    return Error{ErrorCode::BadUsage, Field::Mu, "the tested value is not finite", "give a number"};
  RunOptions quiet = options.run;
  quiet.on_progress = {};
  TRY(AsymptoticTest test, AsymptoticTest::prepare(model, quiet, {statistic, false},
                                                   work_of_toys(options.toys, options.storage, 4)));
  TRY_DO(test.visit({&mu, 1}));
  return ToyTester(options, std::move(test)).run();
}

}  // namespace nextstat

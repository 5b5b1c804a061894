#include <nextstat/goodness_of_fit_toys.h>

#include <cmath>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/profile/best_fit.h"
#include "infer/toys/toy_blocks.h"
#include "infer/toys/toy_fits.h"
#include "infer/toys/toy_identity.h"
#include "infer/toys/toy_tails.h"
#include "infer/toys/toy_warnings.h"
#include "model/data/dataset.h"

namespace nextstat {
namespace {

// chi2 = 2 (NLL of the free fit - NLL of the saturated model)
// Negative rates may bring it below 0; it still orders the toys.
Result<std::optional<std::vector<double>>> compute(const Setup& setup, const ToyEnsemble& ensemble,
                                                   std::uint64_t first, std::size_t count) {
  const Result<ToyBatch> batch = ensemble.fit(first, count, true);
  if (!batch) return batch.errors();
  if (batch->interrupted) return std::optional<std::vector<double>>();
  std::vector<double> records;
  const std::size_t size = setup.data.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const double> data = std::span(batch->toys.values).subspan(i * size, size);
    const ToyStatus status = toy_status(batch->free[i]);
    const double saturated = make_dataset(compiled_model(setup.model), data).constant;
    records.push_back(status == ToyStatus::NoLikelihood ? kNoValue : 2 * (batch->free[i].nll - saturated));
    records.push_back(static_cast<double>(status));
  }
  return std::optional(std::move(records));
}

Result<void> count_toys(const Setup& setup, const GoodnessOfFitToysOptions& options,
                        const ToyEnsemble& ensemble, GoodnessOfFitToysResult& result) {
  const ToyStorage nowhere;
  const RunIdentity identity = toy_run_identity(setup, options.toys, nowhere,
                                                {.kind = "goodness-of-fit",
                                                 .columns = {"chi2", "status"},
                                                 .ensembles = {{0, "toys", options.toys.n_toys}}});
  const GoodnessOfFit& goodness = result.data.goodness;
  ToyTails tails(2 * (goodness.nll_fit - goodness.nll_saturated), false, false);
  double sum = 0;
  const ToyRun run{identity,
                   options.toys,
                   nowhere,
                   options.run,
                   setup.session->traits(),
                   setup.options.threads,
                   bytes_per_toy(setup)};
  const Result<BlocksDone> done = run_blocks(
      run,
      [&](std::size_t, std::uint64_t first, std::size_t count) {
        return compute(setup, ensemble, first, count);
      },
      [&](const ToyBlock& block) {
        for (std::size_t i = 0; i < block.range.count; ++i) {
          const double* record = block.values.data() + i * Chi2Column::Count;
          const auto status = static_cast<ToyStatus>(record[Chi2Column::Status]);
          tails.add(ToyTails::kTested, record[Chi2Column::Chi2], status);
          if (status == ToyStatus::Converged) sum += record[Chi2Column::Chi2];
        }
      });
  if (!done) return done.errors();
  result.data.interrupted = done->interrupted;
  const ToyProbabilities counted = tails.observed();
  result.p_value = counted.clsb;
  result.p_value_error = counted.clsb_error;
  if (const std::size_t usable = tails.usable(ToyTails::kTested); usable > 0)
    result.mean_chi2 = sum / static_cast<double>(usable);
  result.n_toys = tails.toys(ToyTails::kTested);
  result.n_error = tails.without_likelihood(ToyTails::kTested);
  result.n_nonconverged = tails.not_converged(ToyTails::kTested);
  warn_about_failures(tails, result.data.warnings);
  if (too_many_failed(tails)) result.data.converged = false;
  return {};
}

}  // namespace

Result<GoodnessOfFitToysResult> goodness_of_fit_toys(const Model& model,
                                                     const GoodnessOfFitToysOptions& options) {
  if (options.toys.n_toys == 0)
    return Error{ErrorCode::BadUsage, "number of toys", "the number of toys is 0", "use at least one"};
  RunOptions quiet = options.run;
  quiet.on_progress = {};
  TRY(GoodnessOfFitResult data, goodness_of_fit(model, {.run = quiet}));
  GoodnessOfFitToysResult result;
  result.data = std::move(data);
  result.p_value = result.p_value_error = result.mean_chi2 = kNoValue;
  result.seed = options.toys.seed;
  if (!result.data.converged) {
    if (!result.data.interrupted)
      result.data.warnings.push_back("no toys: they are drawn at the best fit, which did not converge");
    return result;
  }
  TRY(const Setup setup, make_setup(model, quiet, work_of_toys(options.toys, {}, 1)));
  result.data.device = setup.device;
  TRY(const BestFit best, find_best_fit(setup, true));
  TRY(const ToyEnsemble ensemble,
      ToyEnsemble::make(setup, std::nullopt,
                        {options.toys.seed, 0, best.minimum.parameters, options.toys.fixed_auxiliary}));
  warn_about_negative_bins(ensemble, "the best fit", result.data.warnings);
  const SampledToys sampled = ensemble.sampled_free("the best fit");
  warn_about_minima({&sampled, 1}, result.data.warnings);
  TRY_DO(count_toys(setup, options, ensemble, result));
  return result;
}

}  // namespace nextstat

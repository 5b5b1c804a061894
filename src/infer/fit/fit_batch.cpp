#include <nextstat/fit_batch.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/toys/toy_fits.h"
#include "infer/toys/toy_starts.h"
#include "infer/toys/toy_warnings.h"

namespace nextstat {
namespace {

// Sets that are fitted in one go: what progress and interruption can see.
constexpr std::size_t kDatasetsAtOnce = 4096;

Errors check_sets(const Model& model, std::span<const double> data) {
  const std::size_t n_data = model.data().size();
  if (data.empty() || data.size() % n_data != 0)
    return {{ErrorCode::BadUsage, "datasets",
             fmt::format("{} values, the model has {} data", data.size(), n_data),
             "give the main bins in order, then the auxiliary data, for every set"}};
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool count = i % n_data < model.n_bins();
    if (std::isfinite(data[i]) && (!count || data[i] >= 0)) continue;
    return {{ErrorCode::BadInput, fmt::format("dataset {}, datum {}", i / n_data, i % n_data),
             fmt::format("{} is not a {}", data[i], count ? "count" : "finite number"),
             count ? "observed counts are finite and not negative" : "give finite auxiliary data"}};
  }
  return {};
}

// Where all fits begin: at the minima of the model's own data where there are any, and at those that toys of
// its best fit have elsewhere.
Result<FitKind> common_starts(const Setup& setup) {
  RowBatch batch = setup.batch();
  batch.rows = {Row{}};
  const Result<std::vector<Basins>> basins = setup.search(batch);
  if (!basins || !basins->front().deepest().converged()) return FitKind{{setup.start}};
  const std::vector<double>& truth = basins->front().deepest().parameters;
  TRY(const EvalOutput at, setup.session->evaluate({.parameters = truth, .expected = true}));
  const std::span<const double> auxiliary = std::span(setup.data).subspan(setup.model.n_bins());
  const Result<DrawPlan> plan = make_draw_plan(compiled_model(setup.model), at.expected, auxiliary, false);
  if (!plan) {
    FitKind kind;
    for (const Minimum& minimum : basins->front().minima) kind.starts.add(minimum.parameters);
    return kind;
  }
  TRY(ToyStarts starts, find_toy_starts(setup, {truth, setup.data, &basins->front()}, *plan, {}));
  return FitKind{std::move(starts.points), {}, starts.for_all};
}

void add(const Minimum& fit, std::size_t n_parameters, BatchFits& fits) {
  const bool has_fit = toy_status(fit) != ToyStatus::NoLikelihood && fit.parameters.size() == n_parameters;
  for (std::size_t i = 0; i < n_parameters; ++i)
    fits.bestfit.push_back(has_fit ? fit.parameters[i] : kNoValue);
  fits.nll.push_back(has_fit ? fit.nll : kNoValue);
  fits.converged.push_back(fit.converged() ? 1 : 0);
  fits.iterations.push_back(fit.iterations);
  if (fit.converged()) ++fits.n_converged;
  if (fit.termination == Termination::Interrupted) fits.interrupted = true;
}

void fill_missing(std::size_t n_datasets, std::size_t n_parameters, BatchFits& fits) {
  fits.bestfit.resize(n_datasets * n_parameters, kNoValue);
  fits.nll.resize(n_datasets, kNoValue);
  fits.converged.resize(n_datasets, 0);
  fits.iterations.resize(n_datasets, 0);
}

}  // namespace

Result<BatchFits> fit_batch(const Model& model, std::span<const double> data, const RunOptions& options) {
  if (const Errors errors = check_sets(model, data); !errors.empty()) return errors;
  const std::size_t n_datasets = data.size() / model.data().size(), n_data = model.data().size();
  RunOptions quiet = options;
  quiet.on_progress = {};
  TRY(const Setup setup, make_setup(model, quiet, {.fits = static_cast<double>(n_datasets)}));
  SolveOptions solving;
  solving.threads = options.threads;
  solving.stop_token = options.stop;
  solving.convergence.steps_per_metric = kStepsWithSharedMetric;
  DatasetSolver solver(*setup.session, setup.model, {setup.bounds, setup.fixed, setup.start}, solving);
  TRY(FitKind starts, common_starts(setup));
  const std::size_t free = solver.add(std::move(starts));
  BatchFits fits;
  fits.n_datasets = n_datasets;
  fits.device = setup.device;
  fits.instruction_set = setup.session->capabilities().instruction_set;
  for (std::size_t first = 0; first < n_datasets && !fits.interrupted; first += kDatasetsAtOnce) {
    const std::size_t count = std::min(kDatasetsAtOnce, n_datasets - first);
    std::vector<std::size_t> which(count);
    std::iota(which.begin(), which.end(), std::size_t{0});
    TRY(const std::vector<Minimum> minima,
        solver.solve(free, data.subspan(first * n_data, count * n_data), which));
    for (const Minimum& minimum : minima) add(minimum, model.n_parameters(), fits);
    if (options.on_progress) options.on_progress(first + count, n_datasets);
  }
  fill_missing(n_datasets, model.n_parameters(), fits);
  if (const std::size_t failed = n_datasets - fits.n_converged; failed > 0 && !fits.interrupted)
    fits.warnings.push_back(fmt::format("{} of {} fits did not converge", failed, n_datasets));
  return fits;
}

}  // namespace nextstat

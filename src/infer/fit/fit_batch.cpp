#include <nextstat/fit_batch.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/no_value.h"
#include "base/try.h"
#include "infer/setup/parameter_names.h"
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

void warn_about_failures(BatchFits& fits) {
  if (const std::size_t failed = fits.n_datasets - fits.n_converged; failed > 0 && !fits.interrupted)
    fits.warnings.push_back(fmt::format("{} of {} fits did not converge", failed, fits.n_datasets));
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
  fits.instruction_set = setup.session->traits().instruction_set;
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
  warn_about_failures(fits);
  return fits;
}

namespace {

// The rows of a caller, checked and laid out a few thousand at a time.
class RowList {
 public:
  RowList(const Setup& setup, const FitRows& given)
      : setup_(setup), given_(given), size_(setup.start.size()), n_data_(setup.data.size()), named_(size_) {
    const ParameterNames names(setup.model);
    for (const NamedValue& fixed : setup.options.fixed)
      for (const std::size_t i : names.find(fixed.name)) named_[i] = 1;
  }

  Result<void> check() const {
    if (given_.rows == 0 || (given_.data.empty() && given_.starts.empty() && given_.low.empty() &&
                             given_.high.empty() && given_.fixed.empty()))
      return Error{ErrorCode::BadUsage, "rows", "nothing is given for any fit",
                   "give data, starts, bounds or fixed values, with one row for every fit"};
    TRY_DO(check_length("data", given_.data, n_data_));
    TRY_DO(check_length("starts", given_.starts, size_));
    TRY_DO(check_length("low", given_.low, size_));
    TRY_DO(check_length("high", given_.high, size_));
    TRY_DO(check_length("fixed", given_.fixed, size_));
    if (given_.low.empty() != given_.high.empty())
      return Error{ErrorCode::BadUsage, "low, high", "one of the two is empty",
                   "give both bounds of every parameter"};
    if (!given_.data.empty()) {
      if (const Errors errors = check_sets(setup_.model, given_.data); !errors.empty()) return errors;
    }
    for (std::size_t i = 0; i < given_.rows * size_; ++i) TRY_DO(check_parameter(i));
    return {};
  }

  // Rows first ... first + count - 1.
  RowBatch batch(std::size_t first, std::size_t count) const {
    RowBatch batch = setup_.batch();
    batch.metric_at = setup_.start;
    if (!given_.data.empty()) batch.data = given_.data.subspan(first * n_data_, count * n_data_);
    for (std::size_t k = 0; k < count; ++k) {
      Row row{.data = given_.data.empty() ? 0 : k};
      const std::size_t at = (first + k) * size_;
      if (!given_.starts.empty()) {
        row.start = batch.starts.size();
        batch.starts.add(start_of(at));
      }
      if (!given_.low.empty()) {
        row.bounds = batch.bounds.size();
        const std::span<const double> low = given_.low.subspan(at, size_),
                                      high = given_.high.subspan(at, size_);
        batch.bounds.push_back({{low.begin(), low.end()}, {high.begin(), high.end()}});
      }
      for (std::size_t i = 0; i < size_; ++i) {
        if (const double value = held_at(at + i); !std::isnan(value)) row.fixed.push_back({i, value});
      }
      batch.rows.push_back(std::move(row));
    }
    return batch;
  }

 private:
  Result<void> check_length(const char* what, std::span<const double> values, std::size_t width) const {
    if (values.empty() || (values.size() % width == 0 && values.size() / width == given_.rows)) return {};
    return Error{ErrorCode::BadUsage, what,
                 fmt::format("{} values for {} rows of {}", values.size(), given_.rows, width),
                 "give every row, or leave it empty"};
  }

  Result<void> check_parameter(std::size_t at) const {
    const std::size_t i = at % size_;
    const auto error = [&](const std::string& what, const char* hint) {
      return Error{ErrorCode::BadInput,
                   fmt::format("row {}, {}", at / size_, setup_.model.parameters()[i].name), what, hint};
    };
    const double low = given_.low.empty() ? setup_.bounds.low[i] : given_.low[at];
    const double high = given_.high.empty() ? setup_.bounds.high[i] : given_.high[at];
    if (!(low <= high))
      return error(fmt::format("the bounds [{}, {}] contain no value", low, high),
                   "give the lower bound first");
    const double held = held_at(at);
    if (std::isinf(held))
      return error(fmt::format("it is fixed at {}", held),
                   "give a number, or NaN for a parameter that is free");
    const double start = given_.starts.empty() ? setup_.start[i] : given_.starts[at];
    if (!std::isfinite(start))
      return error(fmt::format("the start {} is not finite", start), "give a number");
    if (!std::isnan(held) || setup_.fixed[i] || (start >= low && start <= high)) return {};
    return error(fmt::format("the start {} is outside the bounds [{}, {}]", start, low, high),
                 "start inside, or widen the bounds");
  }

  // NaN: nowhere. Bounds that leave one value are the same as fixing it there.
  double held_at(std::size_t at) const {
    if (!given_.fixed.empty() && !std::isnan(given_.fixed[at])) return given_.fixed[at];
    if (!given_.low.empty() && given_.low[at] == given_.high[at]) return given_.low[at];
    return kNoValue;
  }

  // What the question itself names as fixed stays where it says; what the model fixes is held at the row's start.
  std::vector<double> start_of(std::size_t at) const {
    std::vector<double> start(given_.starts.begin() + static_cast<std::ptrdiff_t>(at),
                              given_.starts.begin() + static_cast<std::ptrdiff_t>(at + size_));
    for (std::size_t i = 0; i < size_; ++i) {
      if (named_[i]) start[i] = setup_.start[i];
    }
    return start;
  }

  const Setup& setup_;
  const FitRows& given_;
  std::size_t size_, n_data_;
  std::vector<char> named_;  // [parameter] fixed by the question's options
};

}  // namespace

Result<BatchFits> fit_rows(const Model& model, const FitRows& rows, const RunOptions& options) {
  // Every row is a search of its own, with dozens of points: so many numbers at once.
  constexpr std::size_t kNumbersAtOnce = 4'000'000, kPointsOfARow = 128;
  RunOptions quiet = options;
  quiet.on_progress = {};
  TRY(const Setup setup, make_setup(model, quiet, {.fits = static_cast<double>(rows.rows)}));
  const RowList list(setup, rows);
  TRY_DO(list.check());
  const std::size_t rows_at_once =
      std::clamp<std::size_t>(kNumbersAtOnce / (kPointsOfARow * model.n_parameters()), 16, 1024);
  BatchFits fits;
  fits.n_datasets = rows.rows;
  fits.device = setup.device;
  fits.instruction_set = setup.session->traits().instruction_set;
  for (std::size_t first = 0; first < rows.rows && !fits.interrupted; first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, rows.rows - first);
    TRY(const std::vector<Basins> basins, setup.search(list.batch(first, count)));
    for (const Basins& found : basins) {
      add(found.deepest(), model.n_parameters(), fits);
      fits.interrupted = fits.interrupted || found.interrupted;
    }
    if (options.on_progress) options.on_progress(first + count, rows.rows);
  }
  fill_missing(rows.rows, model.n_parameters(), fits);
  warn_about_failures(fits);
  return fits;
}

}  // namespace nextstat

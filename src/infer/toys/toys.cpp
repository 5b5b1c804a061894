#include <nextstat/toys.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/no_value.h"
#include "base/parallel.h"
#include "base/try.h"
#include "infer/profile/best_fit.h"
#include "infer/profile/warnings.h"
#include "infer/setup/parameter_names.h"
#include "infer/toys/toy_blocks.h"
#include "infer/toys/toy_fits.h"
#include "infer/toys/toy_identity.h"
#include "infer/toys/toy_warnings.h"

namespace nextstat {
namespace {

// Mean and standard deviation of what is added, in one pass.
class Spread {
 public:
  void add(double x) {
    ++count_;
    const double before = x - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (x - mean_);
  }
  std::optional<double> mean() const { return count_ > 0 ? std::optional(mean_) : std::nullopt; }
  std::optional<double> sigma() const {
    if (count_ < 2) return std::nullopt;
    return std::sqrt(squares_ / static_cast<double>(count_ - 1));
  }

 private:
  std::size_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

class ToyFactory {
 public:
  ToyFactory(const ToysOptions& options, Setup setup) : options_(options), setup_(std::move(setup)) {}

  Result<ToysResult> run(const UseToy& use) {
    TRY_DO(choose_columns());
    TRY_DO(find_truth());
    if (options_.mu && poi_) warn_about_bounds(setup_, *poi_, *options_.mu, result_.warnings);
    result_.truth = source_.truth;
    result_.n_toys = options_.toys.n_toys;
    result_.seed = options_.toys.seed;
    result_.device = setup_.device;
    result_.instruction_set = setup_.session->traits().instruction_set;
    if (result_.interrupted) return std::move(result_);
    TRY(ToyEnsemble ensemble, ToyEnsemble::make(setup_, poi_, source_));
    warn_about_negative_bins(ensemble, "the truth", result_.warnings);
    result_.toy_minima = {ensemble.sampled_free("the truth")};
    warn_about_minima(result_.toy_minima, result_.warnings);
    const ToyRun run{identity(),
                     options_.toys,
                     options_.storage,
                     options_.run,
                     setup_.session->traits(),
                     setup_.options.threads,
                     bytes_per_toy(setup_)};
    const Result<BlocksDone> done = run_blocks(
        run,
        [&](std::size_t, std::uint64_t first, std::size_t count) { return compute(ensemble, first, count); },
        [&](const ToyBlock& block) { look_at(block, use); });
    if (!done) return done.errors();
    finish(*done);
    return std::move(result_);
  }

 private:
  Result<void> choose_columns() {
    if (const Result<std::size_t> poi = parameter_named(setup_.model, ""); poi) poi_ = *poi;
    result_.columns = {"nll", "mu_hat", "status", "n_iter"};
    const ParameterNames names(setup_.model);
    std::vector<char> kept(setup_.model.n_parameters());
    for (const std::string& name : options_.parameters) {
      TRY(const std::vector<std::size_t> found, names.all_of(name, Field::KeptParameters));
      for (const std::size_t i : found) {
        if (std::exchange(kept[i], 1)) continue;
        kept_.push_back(i);
        result_.columns.push_back(setup_.model.parameters()[i].name);
      }
    }
    return {};
  }

  Result<void> find_truth() {
    source_ = {options_.toys.seed, 0, options_.truth, options_.toys.fixed_auxiliary, options_.expected};
    result_.converged = true;
    if (!source_.truth.empty()) {
      if (source_.truth.size() == setup_.start.size()) return {};
      return Error{
          ErrorCode::BadUsage, "truth",
          fmt::format("{} values, the model has {} parameters", source_.truth.size(), setup_.start.size()),
          "give one value for every parameter"};
    }
    TRY(const Minimum fitted, options_.mu ? fit_at(*options_.mu) : best_fit());
    result_.converged = fitted.converged();
    result_.interrupted = fitted.termination == Termination::Interrupted;
    if (!result_.converged && !result_.interrupted)
      result_.warnings.push_back("the fit that gives the truth of the toys did not converge");
    source_.truth = fitted.parameters;
    return {};
  }

  Result<Minimum> best_fit() const {
    TRY(BestFit best, find_best_fit(setup_, true));
    return std::move(best.minimum);
  }

  Result<Minimum> fit_at(double mu) const {
    TRY(const std::size_t poi, parameter_named(setup_.model, ""));
    RowBatch batch = setup_.batch();
    batch.rows = {Row{.fixed = {{poi, mu}}}};
    TRY(std::vector<Basins> basins, setup_.search(batch));
    Minimum& deepest = basins.front().minima.front();
    if (std::isfinite(deepest.nll)) return std::move(deepest);
    return Error{ErrorCode::BadInput,
                 setup_.model.poi_name(),
                 fmt::format("the likelihood is zero where the fit with {} = {:.6g} starts: {}",
                             setup_.model.poi_name(), mu, zero_likelihood_reason(setup_, deepest.parameters)),
                 {"start elsewhere, or draw the toys at another value", {Field::Init, Field::Mu}}};
  }

  RunIdentity identity() const {
    ToyQuestion question{
        .kind = "toys", .columns = result_.columns, .ensembles = {{0, "toys", options_.toys.n_toys}}};
    question.settings["truth"] = !options_.truth.empty() ? "given"
                                 : options_.mu           ? fmt::format("the fit at {}", *options_.mu)
                                                         : "the best fit";
    if (!options_.truth.empty()) {
      question.settings["truth_sha256"] = numbers_sha256(source_.truth);
      question.data = options_.toys.fixed_auxiliary ? DataInToys::Auxiliary : DataInToys::None;
    }
    if (!source_.expected.empty()) question.settings["expected_sha256"] = numbers_sha256(source_.expected);
    return toy_run_identity(setup_, options_.toys, options_.storage, std::move(question));
  }

  Result<std::optional<std::vector<double>>> compute(const ToyEnsemble& ensemble, std::uint64_t first,
                                                     std::size_t count) const {
    const Result<ToyBatch> batch = ensemble.fit(first, count);
    if (!batch) return batch.errors();
    if (batch->interrupted) return std::optional<std::vector<double>>();
    std::vector<double> records;
    records.reserve(count * result_.columns.size());
    for (const Minimum& fit : batch->free) {
      const ToyStatus status = toy_status(fit);
      const bool has_fit = status != ToyStatus::NoLikelihood;
      records.push_back(has_fit ? fit.nll : kNoValue);
      records.push_back(has_fit && poi_ ? fit.parameters[*poi_] : kNoValue);
      records.push_back(static_cast<double>(status));
      records.push_back(static_cast<double>(fit.iterations));
      for (const std::size_t i : kept_) records.push_back(has_fit ? fit.parameters[i] : kNoValue);
    }
    return std::optional(std::move(records));
  }

  void look_at(const ToyBlock& block, const UseToy& use) {
    const std::size_t columns = result_.columns.size();
    for (std::size_t i = 0; i < block.range.count; ++i) {
      const std::span<const double> record(block.values.data() + i * columns, columns);
      ++result_.n_done;
      const auto status = static_cast<ToyStatus>(record[FitColumn::Status]);
      if (status == ToyStatus::NoLikelihood) ++result_.n_error;
      if (status == ToyStatus::NotConverged) ++result_.n_nonconverged;
      if (status == ToyStatus::Converged && poi_) mu_hat_.add(record[FitColumn::MuHat]);
      iterations_ += record[FitColumn::Iterations];
      if (use) use(block.range.first + i, record);
    }
  }

  void finish(const BlocksDone& done) {
    result_.complete = done.complete;
    result_.shard_done = done.shard_done;
    result_.interrupted = done.interrupted;
    result_.mean_mu_hat = mu_hat_.mean();
    result_.sigma_mu_hat = mu_hat_.sigma();
    result_.mean_iterations = result_.n_done > 0 ? iterations_ / static_cast<double>(result_.n_done) : 0;
    result_.warnings.insert(result_.warnings.end(), done.remarks.begin(), done.remarks.end());
    warn_about_failures(result_.n_done, result_.n_error, result_.n_nonconverged, result_.warnings);
    if (too_many_failed(result_.n_done, result_.n_error, result_.n_nonconverged)) result_.converged = false;
  }

  const ToysOptions& options_;
  Setup setup_;
  std::optional<std::size_t> poi_;
  std::vector<std::size_t> kept_;
  ToySource source_;
  ToysResult result_;
  Spread mu_hat_;
  double iterations_ = 0;
};

Error wrong_expectation(std::size_t given, std::size_t wanted) {
  return {ErrorCode::BadUsage, "expected",
          fmt::format("{} values to draw toys around, the model has {} data", given, wanted),
          "give the main bins in order, then the auxiliary data"};
}

}  // namespace

Result<std::vector<double>> toy_data(const Model& model, std::span<const double> expected,
                                     const ToyOptions& options, std::size_t threads) {
  if (expected.size() != model.data().size()) return wrong_expectation(expected.size(), model.data().size());
  TRY(const DrawPlan plan, make_draw_plan(compiled_model(model), expected,
                                          model.data().subspan(model.n_bins()), options.fixed_auxiliary));
  std::vector<double> data(options.n_toys * expected.size());
  constexpr std::size_t kChunk = 256;
  parallel_chunks((options.n_toys + kChunk - 1) / kChunk, threads, [&](std::size_t chunk) {
    const std::size_t first = chunk * kChunk;
    draw_toys(plan, options.seed, 0, first, std::min(kChunk, options.n_toys - first),
              data.data() + first * expected.size());
  });
  return data;
}

Result<ToysResult> toys(const Model& model, const ToysOptions& options, const UseToy& use) {
  if (options.toys.n_toys == 0)
    return Error{ErrorCode::BadUsage, Field::NToys, "the number of toys is 0", "use at least one"};
  if (options.mu && !std::isfinite(*options.mu))
    return Error{ErrorCode::BadUsage, Field::Mu, "the value to draw toys at is not finite", "give a number"};
  if (!options.expected.empty() && options.expected.size() != model.data().size())
    return wrong_expectation(options.expected.size(), model.data().size());
  TRY(Setup setup, make_setup(model, options.run, work_of_toys(options.toys, options.storage, 1)));
  setup.options.on_progress = {};
  return ToyFactory(options, std::move(setup)).run(use);
}

}  // namespace nextstat

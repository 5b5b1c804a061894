// What a row does near walls (thin_walls.h).
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/try.h"
#include "minimize/rows/row_task.h"

namespace nextstat {
namespace {

// Newton steps for one set of counts.
constexpr std::size_t kStepsAtWall = 100;

// What may stay added to counts, so that the end is one.
double hidden_by_rounding(double nll) { return kRounding / 2 * (1 + std::abs(nll)); }

}  // namespace

EvalOutput RowTask::evaluate_at(std::span<const double> parameters) {
  ++outcome_.evaluations;
  return context_.session.for_single_rows()
      .evaluate({.parameters = parameters, .data = data_, .expected = true})
      .value();
}

// The walls near which the row stands.
ThinWalls RowTask::walls() {
  ThinWalls walls(data_or_model(), context_.model.n_bins());
  if (walls.any()) walls.keep_near(evaluate_at(outcome_.parameters).expected);
  return walls;
}

// A rough row that walls have stopped: once more, where they are thickest.
Result<void> RowTask::run_above_walls() {
  ThinWalls near = walls();
  if (!near.lower(hidden_by_rounding(outcome_.nll))) return {};
  const RowOutcome before = outcome_;
  go_to_start();
  TRY_DO(run_with(near.data()));
  choose(before, false);
  return {};
}

// A row that has ended, or has trouble. Where walls hide the rest of the NLL its own word is not enough.
Result<void> RowTask::run_safely() {
  ThinWalls near = walls();
  if (has_trouble() && near.any() && !near.hide()) safe_path(kStepsAtWall);
  if (outcome_.status == RowStatus::Interrupted) return {};
  if (has_trouble() ? near.any() : near.press()) {
    TRY(const bool ended, run_along(near));
    if (ended) return {};
  }
  if (has_trouble()) safe_path();
  return {};
}

// Again from the row's start, with larger counts at the walls and then with smaller ones. true: the row has ended.
// Otherwise it stands at the lowest point that this has led to.
Result<bool> RowTask::run_along(ThinWalls& walls) {
  const RowOutcome before = outcome_;
  const double hidden = hidden_by_rounding(before.nll);
  std::optional<RowOutcome> end;
  go_to_start();
  while (walls.lower(hidden)) {
    TRY_DO(run_with(walls.data()));
    if (outcome_.status != RowStatus::Converged) break;
    if (walls.added() > hidden) continue;
    end = outcome_;
    end->edm += walls.added();
    if (walls.added() > 0) end->status = RowStatus::NoDecrease;
  }
  const bool interrupted = outcome_.status == RowStatus::Interrupted;
  if (!interrupted) outcome_.status = RowStatus::NoDecrease;
  if (end) put_back(std::move(*end));
  choose(before, end && before.status != RowStatus::Converged);
  return end || interrupted || outcome_.status == RowStatus::Converged;
}

void RowTask::go_to_start() {
  outcome_.status = RowStatus::NoDecrease;
  for (std::size_t i = 0; i < start_.size(); ++i)
    outcome_.parameters[i] = std::clamp(start_[i], bounds_.low[i], bounds_.high[i]);
}

// From where the row stands to its end with other counts; a rough row as far as one metric leads. From an end with
// larger counts Newton steps lead on.
Result<void> RowTask::run_with(std::span<const double> data) {
  const std::span<const double> own = std::exchange(data_, data);
  const bool from_end = outcome_.status == RowStatus::Converged;
  if (from_end) safe_path(kStepsAtWall);
  if (!from_end || has_trouble()) {
    TRY_DO(run(own_metric(), false));
    if (!context_.options.rough) {
      TRY_DO(renew_metrics());
      if (has_trouble()) safe_path(kStepsAtWall);
    }
  }
  data_ = own;
  return {};
}

// Where the row stands after a run with other counts, if it should or if that is lower; else, and where that was
// interrupted, where it was before.
void RowTask::choose(const RowOutcome& before, bool always) {
  const bool interrupted = outcome_.status == RowStatus::Interrupted;
  outcome_.nll = evaluate_at(outcome_.parameters).nll.front();
  if (interrupted || (!always && !(outcome_.nll < before.nll))) put_back(before);
  if (interrupted) outcome_.status = RowStatus::Interrupted;
}

void RowTask::put_back(RowOutcome outcome) {
  outcome.iterations = outcome_.iterations;
  outcome.evaluations = outcome_.evaluations;
  outcome_ = std::move(outcome);
}

}  // namespace nextstat

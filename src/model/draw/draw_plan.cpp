#include "model/draw/draw_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/host.h"
#include "model/draw/poisson_table.h"

namespace nextstat {
namespace {

std::uint32_t place(std::size_t size) { return static_cast<std::uint32_t>(size); }

void add_constant(DrawPlan& plan, std::uint32_t datum, double value) {
  plan.data[datum] = {NS_DRAW_CONSTANT, place(plan.reals.size()), 0, 0, 0, 0};
  plan.reals.push_back(value);
}

void add_normal(DrawPlan& plan, std::uint32_t datum, double mean, double sigma) {
  plan.data[datum] = {NS_DRAW_NORMAL, place(plan.reals.size()), 0, 0, 0, 0};
  plan.reals.insert(plan.reals.end(), {mean, sigma});
}

void add_table(DrawPlan& plan, std::uint32_t datum, double rate) {
  const PoissonTable table = make_poisson_table(rate);
  plan.data[datum] = {NS_DRAW_TABLE, 0,           place(plan.thresholds.size()), place(plan.guide.size()),
                      table.shift,   table.lowest};
  plan.thresholds.insert(plan.thresholds.end(), table.thresholds.begin(), table.thresholds.end());
  plan.guide.insert(plan.guide.end(), table.guide.begin(), table.guide.end());
}

// The hat of the rejection method, with Hormann's constants but for two:
//   height    his 1.1239 + ... leaves the hat too low by up to 0.08 percent at rates below 2000
//   squeeze   his 0.9277 has no margin with the larger height
void add_rejection(DrawPlan& plan, std::uint32_t datum, double rate) {
  double c[NS_POISSON_REALS];
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  c[NS_POISSON_RATE] = rate;
  c[NS_POISSON_WHOLE] = std::floor(rate);
  c[NS_POISSON_CENTER] = (rate - std::floor(rate)) + 0.43;
  c[NS_POISSON_A] = -0.059 + 0.02483 * b;
  c[NS_POISSON_B] = b;
  c[NS_POISSON_HEIGHT] = 1.1255 + 1.1328 / (b - 3.4);
  c[NS_POISSON_SQUEEZE] = 0.926 - 3.6224 / (b - 2);
  plan.data[datum] = {NS_DRAW_REJECTION, place(plan.reals.size()), 0, 0, 0, 0};
  plan.reals.insert(plan.reals.end(), c, c + NS_POISSON_REALS);
}

void add_poisson(DrawPlan& plan, std::uint32_t datum, double rate) {
  if (rate < 0) plan.negative.push_back(datum);
  if (rate <= 0)
    add_constant(plan, datum, 0);
  else if (rate <= kLargestTableRate)
    add_table(plan, datum, rate);
  else
    add_rejection(plan, datum, rate);
}

Error wrong_value(const std::string& what, const char* hint) {
  return {ErrorCode::BadInput, "expected data", what, hint};
}

// Every value that cannot be drawn from, or a wrong length.
Errors check(const CompiledModel& model, std::span<const double> expected,
             std::span<const double> auxiliary_observed, bool fixed_auxiliary) {
  const std::size_t n_auxiliary = model.n_data - model.n_bins;
  if (expected.size() != model.n_data || (fixed_auxiliary && auxiliary_observed.size() != n_auxiliary))
    return {{ErrorCode::BadUsage, "toy data",
             fmt::format("{} expected values and {} auxiliary data for a model of {} and {}", expected.size(),
                         auxiliary_observed.size(), model.n_data, n_auxiliary),
             "pass main bins, then auxiliary data"}};
  if (model.n_data > kMostDrawnData)
    return {{ErrorCode::LimitExceeded, "toy data", fmt::format("{} data", model.n_data),
             fmt::format("toys are drawn for up to {} data", kMostDrawnData)}};
  Errors errors;
  const auto check_value = [&](std::size_t datum, bool is_rate) {
    const double value = expected[datum];
    if (!std::isfinite(value))
      errors.push_back(wrong_value(fmt::format("the expected value of datum {} is {}", datum, value),
                                   "check the parameters that toys are drawn at"));
    else if (is_rate && value > kLargestRate)
      errors.push_back(
          wrong_value(fmt::format("the expected value of datum {} is {}, above 2^52", datum, value),
                      "counts this large are no longer exact"));
  };
  for (std::size_t i = 0; i < model.n_bins; ++i) check_value(i, true);
  if (fixed_auxiliary) return errors;
  for (const auto& constraint : model.normals) check_value(constraint.data, false);
  for (const auto& constraint : model.poissons) check_value(constraint.data, true);
  return errors;
}

}  // namespace

Result<DrawPlan> make_draw_plan(const CompiledModel& model, std::span<const double> expected,
                                std::span<const double> auxiliary_observed, bool fixed_auxiliary) {
  if (Errors errors = check(model, expected, auxiliary_observed, fixed_auxiliary); !errors.empty())
    return errors;
  DrawPlan plan;
  plan.data.resize(model.n_data);
  for (std::uint32_t i = 0; i < model.n_bins; ++i) add_poisson(plan, i, expected[i]);
  if (fixed_auxiliary) {
    for (std::size_t i = model.n_bins; i < model.n_data; ++i)
      add_constant(plan, place(i), auxiliary_observed[i - model.n_bins]);
  } else {
    for (const auto& constraint : model.normals)
      add_normal(plan, constraint.data, expected[constraint.data], constraint.sigma);
    for (const auto& constraint : model.poissons)
      add_poisson(plan, constraint.data, expected[constraint.data]);
  }
  return plan;
}

void check_toys(std::uint32_t hypothesis, std::uint64_t first, std::size_t count) {
  if (hypothesis >= kHypotheses || first > kToys || count > kToys - first)
    throw std::logic_error(fmt::format("toys {} + {} of hypothesis {}", first, count, hypothesis));
}

void draw_toys(const DrawPlan& plan, std::uint64_t seed, std::uint32_t hypothesis, std::uint64_t first,
               std::size_t count, double* data) {
  check_toys(hypothesis, first, count);
  const host::NsDrawTables tables{plan.data.data(), place(plan.data.size()), plan.reals.data(),
                                  plan.thresholds.data(), plan.guide.data()};
  // A few toys at a time, datum by datum: a table is used for all of them while it is near.
  constexpr std::size_t kSideBySide = 64;
  for (std::size_t begin = 0; begin < count; begin += kSideBySide) {
    const std::size_t end = std::min(begin + kSideBySide, count);
    for (std::uint32_t pair = 0; 2 * pair < tables.n_data; ++pair) {
      for (std::size_t i = begin; i < end; ++i)
        host::ns_draw_pair(&tables, host::ns_toy(seed, hypothesis, first + i), pair,
                           data + i * tables.n_data);
    }
  }
}

}  // namespace nextstat

// Fits to many datasets, and what the same data give one by one.
#include <gtest/gtest.h>
#include <nextstat/evaluate.h>
#include <nextstat/fit.h>
#include <nextstat/fit_batch.h>
#include <nextstat/toys.h>

#include <cmath>
#include <limits>

#include "test_models.h"

namespace nextstat {
namespace {

using test::all_modifiers;

std::vector<double> drawn(const Model& model, std::size_t sets) {
  const std::vector<double> expected = asimov_data(model, model.initial()).value();
  ToyOptions options;
  options.n_toys = sets;
  return toy_data(model, expected, options).value();
}

TEST(FitBatch, FindsTheMinimumOfEverySet) {
  const Model model = all_modifiers();
  constexpr std::size_t kSets = 20;
  const std::vector<double> data = drawn(model, kSets);
  const BatchFits fits = fit_batch(model, data).value();
  ASSERT_EQ(fits.n_converged, kSets);
  for (std::size_t set = 0; set < kSets; ++set) {
    FitOptions alone;
    alone.run.data.assign(data.begin() + static_cast<std::ptrdiff_t>(set * model.data().size()),
                          data.begin() + static_cast<std::ptrdiff_t>((set + 1) * model.data().size()));
    const FitResult result = fit(model, alone).value();
    EXPECT_NEAR(fits.nll[set], result.nll, 1e-8 * std::abs(result.nll)) << "set " << set;
  }
}

TEST(FitBatch, ASetDoesNotDependOnTheOthers) {
  const Model model = all_modifiers();
  const std::vector<double> data = drawn(model, 9);
  const std::size_t n_data = model.data().size(), n = model.n_parameters();
  const BatchFits together = fit_batch(model, data).value();
  for (std::size_t set : {0, 4, 8}) {
    const BatchFits alone = fit_batch(model, std::span(data).subspan(set * n_data, n_data)).value();
    EXPECT_EQ(alone.nll[0], together.nll[set]);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(alone.bestfit[i], together.bestfit[set * n + i]);
  }
}

TEST(FitBatch, SaysWhichDatumIsNoCount) {
  const Model model = all_modifiers();
  std::vector<double> data = drawn(model, 2);
  data[model.data().size() + 1] = -1;
  const Result<BatchFits> negative = fit_batch(model, data);
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.errors().front().where.inside, "dataset 1, datum 1");
  data[model.data().size() + 1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(fit_batch(model, data));
  data.pop_back();
  EXPECT_EQ(fit_batch(model, data).errors().front().code, ErrorCode::BadUsage);
}

TEST(FitBatch, StopsWhenAsked) {
  const Model model = all_modifiers();
  std::stop_source stop;
  stop.request_stop();
  RunOptions options;
  options.stop = stop.get_token();
  const BatchFits fits = fit_batch(model, drawn(model, 3), options).value();
  EXPECT_TRUE(fits.interrupted);
  EXPECT_EQ(fits.n_converged, 0u);
  EXPECT_EQ(fits.bestfit.size(), 3 * model.n_parameters());
}

TEST(ToyData, AreThoseThatToysFit) {
  const Model model = all_modifiers();
  ToysOptions options;
  options.toys.n_toys = 5;
  options.truth = model.initial();
  std::vector<double> nll;
  const ToysResult result = toys(model, options, [&](std::size_t, std::span<const double> record) {
                              nll.push_back(record[0]);
                            }).value();
  ASSERT_TRUE(result.complete);
  const BatchFits fits = fit_batch(model, drawn(model, 5)).value();
  for (std::size_t toy = 0; toy < 5; ++toy) EXPECT_NEAR(nll[toy], fits.nll[toy], 1e-8 * std::abs(nll[toy]));
}

TEST(Toys, AreDrawnAroundGivenDataWhereThereAreSome) {
  const Model model = all_modifiers();
  ToysOptions options;
  options.toys.n_toys = 4;
  options.truth = model.initial();
  const auto collected = [&] {
    std::vector<double> values;
    (void)toys(model, options, [&](std::size_t, std::span<const double> record) {
      values.insert(values.end(), record.begin(), record.end());
    }).value();
    return values;
  };
  const std::vector<double> plain = collected();
  options.expected = asimov_data(model, model.initial()).value();
  EXPECT_EQ(collected(), plain);  // what the truth expects is the default
  for (double& value : options.expected) value *= 1.5;
  EXPECT_NE(collected(), plain);
  options.expected.pop_back();
  EXPECT_EQ(toys(model, options).errors().front().where.inside, "expected");
}

}  // namespace
}  // namespace nextstat

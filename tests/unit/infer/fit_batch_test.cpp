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

// Rows that differ in everything: data, start, bounds and what they fix.
struct Rows {
  explicit Rows(const Model& model) : n(model.n_parameters()), n_data(model.data().size()) {
    data = drawn(model, kRows);
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t i = 0; i < n; ++i) {
        const Parameter& parameter = model.parameters()[i];
        low.push_back(parameter.low);
        high.push_back(parameter.high);
        const double aside = parameter.fixed ? 0.0 : 0.01 * static_cast<double>(row);
        starts.push_back(parameter.init + aside);
        fixed.push_back(std::numeric_limits<double>::quiet_NaN());
      }
    }
    const std::size_t poi = *model.poi_index();
    fixed[1 * n + poi] = 1.25;                            // row 1
    high[2 * n + poi] = 0.5, starts[2 * n + poi] = 0.25;  // row 2
    low[3 * n + poi] = high[3 * n + poi] = 0.75;          // row 3: fixed by its bounds
  }
  FitRows all() const { return {kRows, data, starts, low, high, fixed}; }
  FitRows only(std::size_t row) const {
    const auto part = [row](const std::vector<double>& values, std::size_t width) {
      return std::span(values).subspan(row * width, width);
    };
    return {1, part(data, n_data), part(starts, n), part(low, n), part(high, n), part(fixed, n)};
  }

  static constexpr std::size_t kRows = 5;
  std::size_t n, n_data;
  std::vector<double> data, starts, low, high, fixed;
};

TEST(FitRows, FindWhatAFitWithTheirOptionsFinds) {
  const Model model = all_modifiers();
  const Rows rows(model);
  const BatchFits fits = fit_rows(model, rows.all()).value();
  ASSERT_EQ(fits.n_converged, Rows::kRows);
  const std::string poi = model.poi_name();
  for (std::size_t row = 0; row < Rows::kRows; ++row) {
    FitOptions alone;
    const FitRows own = rows.only(row);
    alone.run.data.assign(own.data.begin(), own.data.end());
    for (std::size_t i = 0; i < rows.n; ++i)
      if (!model.parameters()[i].fixed) alone.run.init.push_back({model.parameters()[i].name, own.starts[i]});
    if (row == 1) alone.run.fixed = {{poi, 1.25}};
    if (row == 2) alone.run.bounds = {{poi, own.low[*model.poi_index()], 0.5}};
    if (row == 3) alone.run.fixed = {{poi, 0.75}};
    const FitResult result = fit(model, alone).value();
    EXPECT_NEAR(fits.nll[row], result.nll, 1e-8 * std::abs(result.nll)) << "row " << row;
    EXPECT_NEAR(fits.bestfit[row * rows.n + *model.poi_index()], result.bestfit[*model.poi_index()], 1e-5);
  }
  EXPECT_EQ(fits.bestfit[1 * rows.n + *model.poi_index()], 1.25);
  EXPECT_LE(fits.bestfit[2 * rows.n + *model.poi_index()], 0.5);
  EXPECT_EQ(fits.bestfit[3 * rows.n + *model.poi_index()], 0.75);
}

TEST(FitRows, DoNotDependOnEachOther) {
  const Model model = all_modifiers();
  const Rows rows(model);
  const BatchFits together = fit_rows(model, rows.all()).value();
  for (std::size_t row = 0; row < Rows::kRows; ++row) {
    const BatchFits alone = fit_rows(model, rows.only(row)).value();
    EXPECT_EQ(alone.nll[0], together.nll[row]) << "row " << row;
    for (std::size_t i = 0; i < rows.n; ++i) EXPECT_EQ(alone.bestfit[i], together.bestfit[row * rows.n + i]);
  }
}

TEST(FitRows, SayWhichRowIsWrong) {
  const Model model = all_modifiers();
  const auto where = [&](const FitRows& rows) {
    const Result<BatchFits> fits = fit_rows(model, rows);
    return fits ? std::string("no error") : fits.errors().front().where.inside;
  };
  const Rows good(model);
  const std::string poi = model.poi_name();
  Rows rows = good;
  rows.starts[2 * rows.n + *model.poi_index()] = 7;
  EXPECT_EQ(where(rows.all()), "row 2, " + poi);
  rows = good;
  rows.low[4 * rows.n + *model.poi_index()] = 100;
  EXPECT_EQ(where(rows.all()), "row 4, " + poi);
  rows = good;
  rows.fixed[*model.poi_index()] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(where(rows.all()), "row 0, " + poi);
  rows = good;
  rows.data[1] = -1;
  EXPECT_EQ(where(rows.all()), "dataset 0, datum 1");
  rows = good;
  rows.starts.pop_back();
  EXPECT_EQ(where(rows.all()), "starts");
  FitRows half = good.all();
  half.high = {};
  EXPECT_EQ(where(half), "low, high");
  EXPECT_EQ(where({.rows = 0}), "rows");
  EXPECT_EQ(where({.rows = 3}), "rows");
  EXPECT_EQ(where({.rows = std::numeric_limits<std::size_t>::max(), .starts = good.starts}), "starts");
}

}  // namespace
}  // namespace nextstat

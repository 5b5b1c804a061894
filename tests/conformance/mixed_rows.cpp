#include "conformance/mixed_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "minimize/curvature/make_metric.h"
#include "minimize/rows/solve.h"
#include "same_bits.h"

namespace nextstat::conformance {

using test::same_bits;

MixedRows::MixedRows(const Model& model, std::size_t rows)
    : model_(model),
      start_(model.initial()),
      metric_(make_metric(compiled_model(model), start_, fixed_of(model))) {
  Draw draw(20);
  for (const Parameter& parameter : model.parameters()) {
    const std::size_t i = low_.size();
    low_.push_back(parameter.fixed ? start_[i] : parameter.low);
    high_.push_back(parameter.fixed ? start_[i] : parameter.high);
    if (!parameter.fixed) free_.push_back(i);
  }
  for (std::size_t row = 0; row < rows; ++row) add(row, draw);
  const std::size_t n = start_.size();
  for (std::size_t row = 0; row < rows; ++row) {
    bounds_.push_back(
        {std::span(lows_).subspan(row * n, n), std::span(highs_).subspan(row * n, n), held_[row]});
    rows_.push_back({row, row, row});
  }
}

MinimizeRequest MixedRows::request() const {
  MinimizeRequest request{.metric = metric_};
  request.rows = rows_;
  request.starts = starts_;
  request.bounds = bounds_;
  request.data = data_;
  return request;
}

std::vector<RowOutcome> MixedRows::minimize(DeviceSession& session, bool backwards) const {
  MinimizeRequest asked = request();
  std::vector<MinimizeRow> rows = rows_;
  if (backwards) std::reverse(rows.begin(), rows.end());
  asked.rows = rows;
  std::vector<RowOutcome> outcomes = session.minimize(asked).value();
  if (backwards) std::reverse(outcomes.begin(), outcomes.end());
  return outcomes;
}

void MixedRows::add(std::size_t row, Draw& draw) {
  const double reach = row % 5 == 4 ? 3.0 : 0.1;
  held_.emplace_back();
  for (std::size_t h = 0; h < std::min(row % 3, free_.size()); ++h)
    held_.back().push_back(free_[(row + h * 7) % free_.size()]);
  if (held_.back().size() == 2 && held_.back()[0] == held_.back()[1]) held_.back().pop_back();
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const bool is_held = std::find(held_.back().begin(), held_.back().end(), i) != held_.back().end();
    const double x = std::clamp(start_[i] + reach * draw.uniform(-1, 1), low_[i], high_[i]);
    starts_.push_back(x);
    lows_.push_back(is_held ? x : low_[i]);
    highs_.push_back(is_held ? x : high_[i]);
  }
  for (std::size_t i = 0; i < model_.data().size(); ++i) {
    const double datum = model_.data()[i];
    data_.push_back(i < model_.n_bins()
                        ? (draw.below(9) == 0 ? 0.0 : std::floor(datum * draw.uniform(0.7, 1.3)) + 1)
                        : datum * draw.uniform(0.9, 1.1));
  }
}

void expect_same(const std::vector<RowOutcome>& found, const std::vector<RowOutcome>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t row = 0; row < found.size(); ++row) {
    EXPECT_EQ(found[row].status, expected[row].status) << "row " << row;
    EXPECT_EQ(found[row].evaluations, expected[row].evaluations) << "row " << row;
    EXPECT_EQ(found[row].iterations, expected[row].iterations) << "row " << row;
    EXPECT_TRUE(same_bits(found[row].nll, expected[row].nll)) << "row " << row;
    EXPECT_TRUE(same_bits(found[row].edm, expected[row].edm)) << "row " << row;
    EXPECT_TRUE(same_bits(found[row].parameters, expected[row].parameters)) << "row " << row;
  }
}

}  // namespace nextstat::conformance

// Minimisations side by side have the bits of the same rows minimised one after the other, whatever the
// instruction set (and so the number of lanes), the threads and the order in which rows take their places.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "conformance/cases.h"
#include "conformance/points.h"
#include "cpu/instruction_set.h"
#include "cpu/session.h"
#include "minimize/make_metric.h"

namespace nextstat::conformance {
namespace {

constexpr std::size_t kRows = 61;

// Rows that differ in everything a row may differ in: data, start (some far away, so that steps are taken
// back), bounds, parameters held fixed.
class MixedRows {
 public:
  explicit MixedRows(const Model& model)
      : model_(model), start_(model.initial()), metric_(make_metric(model.compiled(), start_, fixed())) {
    Draw draw(20);
    for (const Parameter& parameter : model.parameters()) {
      const std::size_t i = low_.size();
      low_.push_back(parameter.fixed ? start_[i] : parameter.low);
      high_.push_back(parameter.fixed ? start_[i] : parameter.high);
      if (!parameter.fixed) free_.push_back(i);
    }
    for (std::size_t row = 0; row < kRows; ++row) add(row, draw);
    for (std::size_t row = 0; row < kRows; ++row) {
      const std::size_t n = start_.size();
      bounds_.push_back(
          {std::span(lows_).subspan(row * n, n), std::span(highs_).subspan(row * n, n), held_[row]});
    }
  }

  std::vector<RowOutcome> minimise(const std::string& set, std::size_t threads, std::size_t side_by_side,
                                   bool backwards = false) const {
    CpuOptions options;
    options.threads = threads;
    options.instruction_set = set;
    options.rows_side_by_side = side_by_side;
    std::vector<MinimiseRow> rows;
    for (std::size_t row = 0; row < kRows; ++row) rows.push_back({row, row, row});
    if (backwards) std::reverse(rows.begin(), rows.end());
    MinimiseRequest request{.metric = metric_};
    request.rows = rows;
    request.starts = starts_;
    request.bounds = bounds_;
    request.data = data_;
    std::vector<RowOutcome> outcomes = make_cpu_session(model_, options).value()->minimise(request).value();
    if (backwards) std::reverse(outcomes.begin(), outcomes.end());
    return outcomes;
  }

 private:
  std::vector<char> fixed() const {
    std::vector<char> fixed;
    for (const Parameter& parameter : model_.parameters()) fixed.push_back(parameter.fixed ? 1 : 0);
    return fixed;
  }

  void add(std::size_t row, Draw& draw) {
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

  const Model& model_;
  std::vector<double> start_, low_, high_, lows_, highs_, starts_, data_;
  Metric metric_;
  std::vector<std::size_t> free_;
  std::vector<std::vector<std::size_t>> held_;
  std::vector<RowBounds> bounds_;
};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void expect_same(const std::vector<RowOutcome>& found, const std::vector<RowOutcome>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t row = 0; row < found.size(); ++row) {
    EXPECT_EQ(found[row].status, expected[row].status) << "row " << row;
    EXPECT_EQ(found[row].evaluations, expected[row].evaluations) << "row " << row;
    EXPECT_EQ(found[row].iterations, expected[row].iterations) << "row " << row;
    EXPECT_TRUE(same_bits(found[row].nll, expected[row].nll)) << "row " << row;
    EXPECT_TRUE(same_bits(found[row].edm, expected[row].edm)) << "row " << row;
    EXPECT_TRUE(std::equal(found[row].parameters.begin(), found[row].parameters.end(),
                           expected[row].parameters.begin(), same_bits))
        << "row " << row;
  }
}

class SideBySide : public testing::TestWithParam<CaseName> {};

TEST_P(SideBySide, RowsHaveTheBitsOfRowsOneByOne) {
  const Model model = load_model(GetParam(), kCodes[0]);
  const MixedRows rows(model);
  const std::vector<RowOutcome> expected = rows.minimise("", 1, 1);
  // Rows leave at different times; in the small models some take a step back while others move.
  std::set<std::size_t> lengths;
  std::size_t backtracked = 0;
  for (const RowOutcome& row : expected) {
    lengths.insert(row.evaluations);
    backtracked += row.evaluations > row.iterations + 1;
  }
  if (GetParam().file.empty()) {
    EXPECT_GT(lengths.size(), 5u);
    EXPECT_GT(backtracked, 0u);
  }
  for (const cpu::InstructionSet& set : cpu::instruction_sets()) {
    if (!set.usable) continue;
    SCOPED_TRACE(set.kernels->name);
    expect_same(rows.minimise(set.kernels->name, 1, 1), expected);
    expect_same(rows.minimise(set.kernels->name, 1, 8), expected);
    expect_same(rows.minimise(set.kernels->name, 1, 8, true), expected);
    expect_same(rows.minimise(set.kernels->name, 4, 8), expected);
  }
}

std::vector<CaseName> cases() {
  std::vector<CaseName> list = small_cases();
  if (!reference::data_folder()) return list;
  for (const char* file : {"thu.json", "tttt.json", "stanhf-allmods.json", "negbins-dummy.json"})
    list.push_back({file});
  return list;
}
std::string case_name(const testing::TestParamInfo<CaseName>& info) { return to_string(info.param); }
INSTANTIATE_TEST_SUITE_P(Workspaces, SideBySide, testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace nextstat::conformance

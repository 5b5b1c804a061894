// Minimizations side by side have the bits of the same rows minimized one after the other, whatever the
// instruction set (and so the number of lanes), the threads and the order in which rows take their places.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "conformance/cases.h"
#include "conformance/mixed_rows.h"
#include "cpu/cpu_session.h"
#include "cpu/instruction_set.h"

namespace nextstat::conformance {
namespace {

std::vector<RowOutcome> minimize(const Model& model, const MixedRows& rows, const std::string& set,
                                 std::size_t threads, std::size_t side_by_side, bool backwards = false) {
  CpuOptions options;
  options.threads = threads;
  options.instruction_set = set;
  options.rows_side_by_side = side_by_side;
  return rows.minimize(*make_cpu_session(model, options).value(), backwards);
}

class SideBySide : public testing::TestWithParam<CaseName> {};

TEST_P(SideBySide, RowsHaveTheBitsOfRowsOneByOne) {
  const Model model = load_model(GetParam(), kCodes[0]);
  const MixedRows rows(model);
  const std::vector<RowOutcome> expected = minimize(model, rows, "", 1, 1);
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
    expect_same(minimize(model, rows, set.kernels->name, 1, 1), expected);
    expect_same(minimize(model, rows, set.kernels->name, 1, 8), expected);
    expect_same(minimize(model, rows, set.kernels->name, 1, 8, true), expected);
    expect_same(minimize(model, rows, set.kernels->name, 4, 8), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Workspaces, SideBySide, testing::ValuesIn(some_cases()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace nextstat::conformance

// The host code of GPUs on the software queue: the bits of the CPU session whatever the waves, the queues and
// the memory.
#include "gpu/session.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/cases.h"
#include "conformance/mixed_rows.h"
#include "cpu/session.h"
#include "gpu/software_queue.h"

namespace nextstat::gpu {
namespace {

using conformance::expect_same;
using conformance::MixedRows;
using conformance::Points;

std::unique_ptr<Session> session_on(const Model& model, const std::vector<SoftwareOptions>& options,
                                    const SessionOptions& session = {}) {
  std::vector<std::unique_ptr<Queue>> queues;
  for (const SoftwareOptions& one : options) queues.push_back(make_software_queue(one));
  return make_session(model, std::move(queues), session).value();
}

std::vector<Model> models() {
  std::vector<Model> list;
  for (const auto& name : conformance::small_cases()) list.push_back(conformance::load_model(name));
  return list;
}

void expect_same_evaluation(const EvalOutput& found, const EvalOutput& expected) {
  EXPECT_TRUE(std::ranges::equal(found.nll, expected.nll, conformance::same_bits)) << "NLL";
  EXPECT_TRUE(std::ranges::equal(found.gradient, expected.gradient, conformance::same_bits)) << "gradient";
  EXPECT_TRUE(std::ranges::equal(found.expected, expected.expected, conformance::same_bits)) << "expected";
}

// Points and data sets that belong to them.
struct Rows {
  std::vector<double> points, data;
  std::vector<std::size_t> set_of_row;
  EvalRequest request;

  Rows(const Model& model, std::size_t rows) : points(Points(model, 3).random_rows(rows)) {
    for (std::size_t set = 0; set < 3; ++set) {
      for (const double datum : model.data()) data.push_back(datum + 3.0 * static_cast<double>(set));
    }
    for (std::size_t row = 0; row < rows; ++row) set_of_row.push_back(row * 7 % 3);
    request = {points, rows, data, set_of_row, true, true};
  }
};

TEST(GpuSession, EvaluatesWithTheBitsOfTheCpu) {
  for (const Model& model : models()) {
    const Rows rows(model, 40);
    for (const Precision precision : {Precision::F64, Precision::F32}) {
      const auto cpu = make_cpu_session(model, {.precision = precision}).value();
      const auto gpu = session_on(model, {{.real_bits = precision == Precision::F64 ? 64u : 32u}});
      expect_same_evaluation(gpu->evaluate(rows.request).value(), cpu->evaluate(rows.request).value());
      EvalRequest own = rows.request;
      own.data = {};
      own.data_of_row = {};
      expect_same_evaluation(gpu->evaluate(own).value(), cpu->evaluate(own).value());
    }
  }
}

TEST(GpuSession, MinimisesWithTheBitsOfTheCpu) {
  for (const Model& model : models()) {
    const MixedRows rows(model);
    const auto expected = rows.minimise(*make_cpu_session(model).value());
    const auto gpu = session_on(model, {{}});
    expect_same(rows.minimise(*gpu), expected);
    expect_same(rows.minimise(*gpu, true), expected);
    expect_same(rows.minimise(*session_on(model, {{.items = 64, .backwards = true}})), expected);
  }
}

}  // namespace
}  // namespace nextstat::gpu

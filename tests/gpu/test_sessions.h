// Sessions on software queues, and requests to ask them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "conformance/cases.h"
#include "conformance/mixed_rows.h"
#include "cpu/cpu_session.h"
#include "gpu/gpu_session.h"
#include "gpu/software_queue.h"
#include "same_bits.h"

namespace nextstat::gpu {

inline std::unique_ptr<DeviceSession> session_on(const Model& model,
                                                 const std::vector<SoftwareOptions>& options,
                                                 const DeviceSessionOptions& session = {}) {
  std::vector<std::unique_ptr<Queue>> queues;
  for (const SoftwareOptions& one : options) queues.push_back(make_software_queue(one));
  return make_session(model, std::move(queues), session).value();
}

inline std::vector<Model> small_models() {
  std::vector<Model> list;
  for (const auto& name : conformance::small_cases()) list.push_back(conformance::load_model(name));
  return list;
}

using conformance::expect_same;  // of minimizations
inline void expect_same(const EvalOutput& found, const EvalOutput& expected) {
  EXPECT_TRUE(test::same_bits(found.nll, expected.nll)) << "NLL";
  EXPECT_TRUE(test::same_bits(found.gradient, expected.gradient)) << "gradient";
  EXPECT_TRUE(test::same_bits(found.expected, expected.expected)) << "expected";
}

// Points, and datasets that they use in turn.
struct PointRows {
  std::vector<double> points, data;
  std::vector<std::size_t> set_of_row;
  EvalRequest request;

  PointRows(const Model& model, std::size_t rows) : points(conformance::Points(model, 3).random_rows(rows)) {
    for (std::size_t set = 0; set < 3; ++set) {
      for (const double datum : model.data()) data.push_back(datum + 3.0 * static_cast<double>(set));
    }
    for (std::size_t row = 0; row < rows; ++row) set_of_row.push_back(row * 7 % 3);
    request = {points, rows, data, set_of_row, true, true};
  }
  PointRows(const PointRows&) = delete;
  PointRows& operator=(const PointRows&) = delete;
};

}  // namespace nextstat::gpu

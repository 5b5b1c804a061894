// Rows to minimize that differ in everything a row may differ in: data, start (some far away, so that steps
// are taken back), bounds, parameters held fixed.
#pragma once

#include <nextstat/model.h>

#include <vector>

#include "conformance/points.h"
#include "device/device_session.h"

namespace nextstat::conformance {

class MixedRows {
 public:
  // The model must outlive it.
  explicit MixedRows(const Model& model, std::size_t rows = 61);

  MinimizeRequest request() const;
  std::vector<RowOutcome> minimize(DeviceSession& session, bool backwards = false) const;
  std::size_t size() const { return rows_.size(); }

 private:
  void add(std::size_t row, Draw& draw);

  const Model& model_;
  std::vector<double> start_, low_, high_, lows_, highs_, starts_, data_;
  Metric metric_;
  std::vector<std::size_t> free_;
  std::vector<std::vector<std::size_t>> held_;
  std::vector<RowBounds> bounds_;
  std::vector<MinimizeRow> rows_;
};

// Every figure of every row, to the bit.
void expect_same(const std::vector<RowOutcome>& found, const std::vector<RowOutcome>& expected);

}  // namespace nextstat::conformance

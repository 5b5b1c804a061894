// A model on a device: bound once, then evaluated for any number of rows.
//
//   CpuSession session(model);
//   Result<EvalOutput> output = session.evaluate({.parameters = points, .rows = 1000, .gradient = true});
//
// A row's result does not depend on the other rows, on threads or on the instruction set: same bits.
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nextstat {

struct EvalRequest {
  std::span<const double> parameters = {};  // [row][parameter]
  std::size_t rows = 1;
  std::span<const double> data = {};              // [set][datum]; empty = the model's own data
  std::span<const std::size_t> data_of_row = {};  // [row] -> set; empty = set 0 for all
  bool gradient = false;
  bool expected = false;
};

struct EvalOutput {
  std::vector<double> nll;       // [row], +infinity where a count has no rate
  std::vector<double> gradient;  // [row][parameter], d NLL / d theta
  std::vector<double> expected;  // [row][datum], main bins, then auxiliary data
};

struct Capabilities {
  std::string device;           // "cpu"
  std::string instruction_set;  // "x86-64-v4"
  std::size_t rows_side_by_side = 1;
  bool f64 = true;
};

class Session {
 public:
  virtual ~Session() = default;
  virtual Result<EvalOutput> evaluate(const EvalRequest& request) = 0;
  virtual Capabilities capabilities() const = 0;
};

}  // namespace nextstat

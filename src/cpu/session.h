// The CPU session: kernel bodies in loops, 8 rows side by side for batches, 8 indices side by side for a single row.
#pragma once

#include <nextstat/model.h>

#include <memory>

#include "cpu/kernels.h"
#include "device/session.h"
#include "model/data_set.h"

namespace nextstat {

enum class Precision { F64, F32 };

struct CpuOptions {
  std::size_t threads = 1;       // 0 = all; results do not depend on it
  std::string instruction_set = {};  // "" = the widest this processor has
  Precision precision = Precision::F64;
};

template <class Scalar>
class CpuSession final : public Session {
 public:
  CpuSession(const Model& model, const cpu::Kernels& kernels, const CpuOptions& options);

  Result<EvalOutput> evaluate(const EvalRequest& request) override;
  Capabilities capabilities() const override;

  // One point on the model's own data, without allocation. Not for concurrent use: a session has one working row.
  double nll(const double* parameters);
  double nll_and_gradient(const double* parameters, double* gradient);

 private:
  struct Rows;  // working state
  Scalar* fill_single(const double* parameters);
  void run_chunk(const EvalRequest& request, const std::vector<DataSet>& sets, std::size_t first, std::size_t count, EvalOutput& output) const;
  void read_row(const EvalRequest& request, const Scalar* row, std::size_t stride, std::size_t lane, std::size_t to, double constant, EvalOutput& output) const;
  const Scalar* tables() const;

  Model model_;
  const CompiledModel& compiled_;
  const cpu::Kernels& kernels_;
  CpuOptions options_;
  AlignedVector<Scalar> converted_tables_;  // f32 only
  DataSet own_data_;
  AlignedVector<Scalar> single_row_;
};

// A session on this machine's processor.
Result<std::unique_ptr<Session>> make_cpu_session(const Model& model, const CpuOptions& options = {});

}  // namespace nextstat

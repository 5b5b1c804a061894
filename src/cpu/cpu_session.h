// The CPU session: kernel bodies in loops, for batches over 8 rows side by side,
// for a single row over 8 indices.
#pragma once

#include <nextstat/model.h>

#include <memory>
#include <mutex>
#include <vector>

#include "cpu/kernels.h"
#include "device/device_session.h"
#include "model/data/dataset.h"

namespace nextstat {

struct CpuOptions {
  std::size_t threads = 1;            // 0 = all; results do not depend on it
  std::string instruction_set = {};   // "" = the widest this processor has
  std::size_t rows_side_by_side = 0;  // in minimizations: 1 = one at a time, 0 = as many as help
};

// Working rows that threads take and give back, so that a batch does not clear memory for every chunk.
class Scratch {
 public:
  // Positions that kernels do not write are zero, as in a new row: they are never written at all.
  AlignedVector<double> take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    for (AlignedVector<double>& rows : free_) {
      if (rows.size() != size) continue;
      AlignedVector<double> taken = std::move(rows);
      std::swap(rows, free_.back());
      free_.pop_back();
      return taken;
    }
    return AlignedVector<double>(size, 0.0);
  }
  void give_back(AlignedVector<double> rows) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(rows));
  }

 private:
  std::mutex mutex_;
  std::vector<AlignedVector<double>> free_;
};

class CpuSession final : public DeviceSession {
 public:
  CpuSession(const Model& model, const cpu::Kernels& kernels, const CpuOptions& options);

  Result<EvalOutput> evaluate(const EvalRequest& request) override;
  Result<std::vector<RowOutcome>> minimize(const MinimizeRequest& request) override;
  Result<DrawnToys> draw(const ToyDraw& draw) override;
  SessionTraits traits() const override;

  // One point on the model's own data, without allocation.
  // Not for concurrent use: a session has one working row.
  double nll(const double* parameters);
  double nll_and_gradient(const double* parameters, double* gradient);

 private:
  Dataset set_of(std::span<const double> data) const;  // that of the model is ready
  void run_chunk(const EvalRequest& request, const std::vector<Dataset>& sets, std::size_t first,
                 std::size_t count, EvalOutput& output) const;
  void read_row(const EvalRequest& request, const double* row, std::size_t stride, std::size_t lane,
                std::size_t to, double constant, EvalOutput& output) const;

  Model model_;
  const CompiledModel& compiled_;
  const cpu::Kernels& kernels_;
  CpuOptions options_;
  Dataset own_data_;
  AlignedVector<double> single_row_;
  std::unique_ptr<Scratch> scratch_ = std::make_unique<Scratch>();
};

// A session on this machine's processor.
Result<std::unique_ptr<DeviceSession>> make_cpu_session(const Model& model, const CpuOptions& options = {});

}  // namespace nextstat

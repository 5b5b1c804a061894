// How much device memory a wave of rows needs, and how many rows fit. One table of buffers says what there
// is: the plan sums it, worker.h allocates by it.
//
//   const BufferTable table = minimize_buffers({layout, sizeof(double)}, solver, metric_reals);
//   std::size_t rows = most_rows(bytes_of_rows, budget, wanted);
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "kernels/layout.h"
#include "kernels/solver_layout.h"
#include "model/data/dataset.h"
#include "model/draw/draw_plan.h"

namespace nextstat::gpu {

// Buffers of a session. Kernels that run one after the other share them.
enum class Slot {
  Parameters,  // evaluate
  DataOfRow,
  Nll,
  Gradient,
  Rates,
  Terms,
  Metric,  // minimize
  Starts,
  Bounds,
  Held,
  Rows,
  Next,
  PointList,
  Figures,
  Data,  // both
  Scratch,
  DrawData,  // draw
  DrawReals,
  DrawThresholds,
  DrawGuide,
  DrawCounts,
  DrawNormals,
  DrawKnown,
  Count
};
constexpr std::size_t kSlots = static_cast<std::size_t>(Slot::Count);

enum class BytesPer { Launch, Row, Dataset, Start, Bounds };

struct BufferLine {
  Slot slot;
  BytesPer per;
  std::size_t bytes;
};
using BufferTable = std::vector<BufferLine>;
using SlotBytes = std::array<std::size_t, kSlots>;

// What a wave consists of.
struct WaveCounts {
  std::size_t rows = 0, sets = 0, starts = 0, bounds = 0;
};

// What evaluate is asked for, as its last argument has it.
enum EvaluateOutput : std::uint32_t { kGradient = 1, kRates = 2, kTerms = 4 };

struct TableSizes {
  const NsLayout& layout;
  std::size_t real_bytes = 8;
};
BufferTable evaluate_buffers(const TableSizes& sizes, std::uint32_t wanted);
BufferTable minimize_buffers(const TableSizes& sizes, const NsSolver& solver, std::size_t metric_reals);
BufferTable draw_buffers(const DrawPlan& plan, const ConstantTables& constants);

// Bytes of every buffer for a wave; scratch: Shape::scratch_bytes.
SlotBytes bytes_of(const BufferTable& table, const WaveCounts& counts, std::size_t scratch);
std::size_t total(const SlotBytes& bytes);

// What a device can give.
struct Budget {
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
  std::size_t largest_buffer = std::numeric_limits<std::size_t>::max();
};
bool fits(const SlotBytes& bytes, const Budget& budget);

// The most rows up to `wanted` whose buffers fit; 0 where one row does not.
std::size_t most_rows(const std::function<SlotBytes(std::size_t rows)>& bytes_of_rows, const Budget& budget,
                      std::size_t wanted);

}  // namespace nextstat::gpu

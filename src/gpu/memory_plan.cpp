#include "gpu/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace nextstat::gpu {
namespace {

constexpr std::size_t kIndex = sizeof(std::uint32_t);

}  // namespace

BufferTable evaluate_buffers(const TableSizes& sizes, std::uint32_t wanted) {
  const NsLayout& m = sizes.layout;
  const std::size_t real = sizes.real_bytes, n = m.n_parameters;
  BufferTable table = {{Slot::Parameters, BytesPer::Row, n * real},
                       {Slot::Data, BytesPer::Dataset, m.n_data * real},
                       {Slot::DataOfRow, BytesPer::Row, kIndex},
                       {Slot::Nll, BytesPer::Row, real}};
  if (wanted & kGradient) table.push_back({Slot::Gradient, BytesPer::Row, n * real});
  if (wanted & kRates) table.push_back({Slot::Rates, BytesPer::Row, m.n_bins * real});
  if (wanted & kTerms) table.push_back({Slot::Terms, BytesPer::Row, m.term_slices * 8 * real});
  return table;
}

BufferTable minimize_buffers(const TableSizes& sizes, const NsSolver& solver, std::size_t metric_reals) {
  const NsLayout& m = sizes.layout;
  const std::size_t real = sizes.real_bytes, n = solver.n;
  BufferTable table = {{Slot::Metric, BytesPer::Launch, metric_reals * real},
                       {Slot::Data, BytesPer::Dataset, m.n_data * real},
                       {Slot::Starts, BytesPer::Start, n * real},
                       {Slot::Bounds, BytesPer::Bounds, 2 * n * real},
                       {Slot::Held, BytesPer::Bounds, 4 * kIndex},
                       {Slot::Rows, BytesPer::Row, 4 * kIndex},
                       {Slot::Next, BytesPer::Launch, kIndex},
                       {Slot::PointList, BytesPer::Row, n * real},
                       {Slot::Figures, BytesPer::Row, NS_F_SIZE * real}};
  if (real == sizeof(double)) return table;
  // In f32 the NLL of the minimum is evaluated again, as terms that the host sums.
  table.push_back({Slot::DataOfRow, BytesPer::Row, kIndex});
  table.push_back({Slot::Nll, BytesPer::Row, real});
  table.push_back({Slot::Terms, BytesPer::Row, m.term_slices * 8 * real});
  return table;
}

BufferTable draw_buffers(const DrawPlan& plan, const ConstantTables& constants) {
  return {{Slot::DrawData, BytesPer::Launch, plan.data.size() * sizeof(NsDatum)},
          {Slot::DrawReals, BytesPer::Launch, plan.reals.size() * sizeof(double)},
          {Slot::DrawThresholds, BytesPer::Launch, plan.thresholds.size() * sizeof(std::uint64_t)},
          {Slot::DrawGuide, BytesPer::Launch, plan.guide.size() * kIndex},
          {Slot::DrawCounts, BytesPer::Launch, constants.counts.size() * kIndex},
          {Slot::DrawNormals, BytesPer::Launch, constants.normals.size() * sizeof(double)},
          {Slot::DrawKnown, BytesPer::Launch, known_excesses().size_bytes()}};
}

SlotBytes bytes_of(const BufferTable& table, const WaveCounts& counts, std::size_t scratch) {
  SlotBytes bytes{};
  for (const BufferLine& line : table) {
    const std::size_t times = line.per == BytesPer::Row       ? counts.rows
                              : line.per == BytesPer::Dataset ? counts.sets
                              : line.per == BytesPer::Start   ? counts.starts
                              : line.per == BytesPer::Bounds  ? counts.bounds
                                                              : 1;
    bytes[static_cast<std::size_t>(line.slot)] = times * line.bytes;
  }
  bytes[static_cast<std::size_t>(Slot::Scratch)] = scratch;
  return bytes;
}

std::size_t total(const SlotBytes& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
}

bool fits(const SlotBytes& bytes, const Budget& budget) {
  return total(bytes) <= budget.bytes &&
         *std::max_element(bytes.begin(), bytes.end()) <= budget.largest_buffer;
}

std::size_t most_rows(const std::function<SlotBytes(std::size_t)>& bytes_of_rows, const Budget& budget,
                      std::size_t wanted) {
  if (wanted == 0 || fits(bytes_of_rows(wanted), budget)) return wanted;
  std::size_t good = 0, bad = wanted;
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (fits(bytes_of_rows(middle), budget) ? good : bad) = middle;
  }
  return good;
}

}  // namespace nextstat::gpu

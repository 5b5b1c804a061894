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
  BufferTable table = {{Slot::Parameters, Per::Row, n * real},
                       {Slot::Data, Per::Set, m.n_data * real},
                       {Slot::DataOfRow, Per::Row, kIndex},
                       {Slot::Nll, Per::Row, real}};
  if (wanted & kGradient) table.push_back({Slot::Gradient, Per::Row, n * real});
  if (wanted & kRates) table.push_back({Slot::Rates, Per::Row, m.n_bins * real});
  if (wanted & kTerms) table.push_back({Slot::Terms, Per::Row, m.term_slices * 8 * real});
  return table;
}

BufferTable minimize_buffers(const TableSizes& sizes, const NsSolver& solver, std::size_t metric_reals) {
  const NsLayout& m = sizes.layout;
  const std::size_t real = sizes.real_bytes, n = solver.n;
  BufferTable table = {{Slot::Metric, Per::Launch, metric_reals * real},
                       {Slot::Data, Per::Set, m.n_data * real},
                       {Slot::Starts, Per::Start, n * real},
                       {Slot::Bounds, Per::Bounds, 2 * n * real},
                       {Slot::Held, Per::Bounds, 4 * kIndex},
                       {Slot::Rows, Per::Row, 4 * kIndex},
                       {Slot::Next, Per::Launch, kIndex},
                       {Slot::Points, Per::Row, n * real},
                       {Slot::Figures, Per::Row, NS_F_SIZE * real}};
  if (real == sizeof(double)) return table;
  // In f32 the NLL of the minimum is evaluated again, as terms that the host sums.
  table.push_back({Slot::DataOfRow, Per::Row, kIndex});
  table.push_back({Slot::Nll, Per::Row, real});
  table.push_back({Slot::Terms, Per::Row, m.term_slices * 8 * real});
  return table;
}

BufferTable draw_buffers(const DrawPlan& plan) {
  return {{Slot::DrawData, Per::Launch, plan.data.size() * sizeof(NsDatum)},
          {Slot::DrawReals, Per::Launch, plan.reals.size() * sizeof(double)},
          {Slot::DrawThresholds, Per::Launch, plan.thresholds.size() * sizeof(std::uint64_t)},
          {Slot::DrawGuide, Per::Launch, plan.guide.size() * kIndex}};
}

SlotBytes bytes_of(const BufferTable& table, const WaveCounts& counts, std::size_t scratch) {
  SlotBytes bytes{};
  for (const BufferLine& line : table) {
    const std::size_t times = line.per == Per::Row      ? counts.rows
                              : line.per == Per::Set    ? counts.sets
                              : line.per == Per::Start  ? counts.starts
                              : line.per == Per::Bounds ? counts.bounds
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

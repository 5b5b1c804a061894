#include "gpu/calls.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "base/parallel.h"
#include "base/try.h"
#include "device/requests.h"
#include "gpu/steps.h"
#include "kernels/host.h"
#include "model/data/dataset.h"

namespace nextstat::gpu {
namespace {

// Draws that stay: those of all calls under way, which may have come to one copy.
constexpr std::size_t kDraws = 4;
static_assert(kDraws >= kCopies + 1);

// Drawn counts are clean; observed auxiliary counts may be next to zero.
bool is_clean(const DrawPlan& plan) {
  return std::none_of(plan.data.begin(), plan.data.end(), [&](const NsDatum& datum) {
    if (datum.kind != NS_DRAW_CONSTANT) return false;
    const double value = plan.reals[datum.reals];
    return value > 0 && value < host::ns_smallest_count();
  });
}

// Gives back the memory of every device.
std::vector<Buffer> drop_oldest(DeviceModel& bound) {
  const std::uint64_t number = bound.drawn.front().number;
  bound.drawn.pop_front();
  std::vector<Buffer> memory;
  for (const auto& worker : bound.workers) {
    const auto found = std::find_if(worker->residents.begin(), worker->residents.end(),
                                    [&](const Resident& known) { return known.number == number; });
    memory.push_back(std::move(found->values));
    worker->residents.erase(found);
  }
  return memory;
}

// Toys may take half of what is left beside the model.
bool has_room(const DeviceModel& bound, std::size_t bytes, std::size_t tables) {
  return std::all_of(bound.workers.begin(), bound.workers.end(), [&](const auto& worker) {
    const Budget budget = worker->budget();
    const std::size_t all = budget.bytes - std::min(budget.bytes, bytes);
    return bytes <= budget.largest_buffer && all >= bytes + tables + worker->resident_bytes();
  });
}

// Memory for new toys on every device, empty = to be allocated; nothing where there is no room. The oldest toys make room
// and leave theirs, where it is enough: freeing memory waits for all that the device is doing.
std::optional<std::vector<Buffer>> make_room(DeviceModel& bound, std::size_t bytes, std::size_t tables) {
  std::vector<Buffer> memory;
  while (bound.drawn.size() >= kDraws) memory = drop_oldest(bound);
  if (!memory.empty() && memory.front().bytes() >= bytes && has_room(bound, 0, tables)) return memory;
  memory.clear();
  memory.resize(bound.workers.size());
  while (!has_room(bound, bytes, tables)) {
    if (bound.drawn.empty()) return std::nullopt;
    drop_oldest(bound);
  }
  return memory;
}

Result<Buffer> draw_on(Worker& worker, const ToyDraw& draw, Buffer values) {
  const DrawPlan& plan = draw.plan;
  NsLayout sizes{};
  sizes.n_data = static_cast<unsigned>(plan.data.size());
  TRY_DO(worker.reserve(bytes_of(draw_buffers(plan), {}, 0)));
  Steps steps(worker.queue());
  const std::size_t bytes = draw.count * plan.data.size() * sizeof(double);
  if (values.bytes() < bytes) values = steps.allocate("allocating toys", bytes);
  const auto upload = [&](Slot slot, const auto& table) {
    steps.write("uploading how toys are drawn", worker.slot(slot), std::span(table.data(), table.size()));
  };
  upload(Slot::DrawData, plan.data);
  upload(Slot::DrawReals, plan.reals);
  upload(Slot::DrawThresholds, plan.thresholds);
  upload(Slot::DrawGuide, plan.guide);
  const Argument arguments[] = {&worker.slot(Slot::DrawData),
                                &worker.slot(Slot::DrawReals),
                                &worker.slot(Slot::DrawThresholds),
                                &worker.slot(Slot::DrawGuide),
                                &values,
                                sizes.n_data,
                                draw.seed,
                                draw.hypothesis,
                                draw.first,
                                static_cast<std::uint32_t>(draw.count)};
  const Shape shape = worker.queue().shape(Kernel::Draw, {sizes}, draw.count);
  steps.launch("drawing toys", Kernel::Draw, shape, arguments);
  if (!steps.ok()) return steps.errors();
  return values;
}

std::vector<double> constants_of(const DeviceModel& bound, std::span<const double> values, std::size_t toys) {
  const std::size_t n_data = bound.compiled.n_data;
  std::vector<double> constants(toys);
  constexpr std::size_t kChunk = 64;
  parallel_chunks((toys + kChunk - 1) / kChunk, bound.options.threads, [&](std::size_t chunk) {
    std::vector<double> data(n_data);
    for (std::size_t toy = chunk * kChunk; toy < std::min(toys, (chunk + 1) * kChunk); ++toy) {
      std::copy_n(values.data() + toy * n_data, n_data, data.data());
      constants[toy] = clean_data(bound.compiled, data);
    }
  });
  return constants;
}

}  // namespace

Result<DrawnToys> draw_on_devices(DeviceModel& bound, const ToyDraw& draw) {
  const std::size_t bytes = draw.count * draw.plan.data.size() * sizeof(double);
  if (draw.count == 0 || draw.count > std::numeric_limits<std::uint32_t>::max() || !is_clean(draw.plan))
    return draw_on_host(draw, bound.options.threads);
  check_toys(draw.hypothesis, draw.first, draw.count);
  const std::size_t tables = total(bytes_of(draw_buffers(draw.plan), {}, 0));
  std::optional<std::vector<Buffer>> drawn = make_room(bound, bytes, tables);
  if (!drawn) return draw_on_host(draw, bound.options.threads);
  for (std::size_t i = 0; i < drawn->size(); ++i) {
    TRY(Buffer values, draw_on(*bound.workers[i], draw, std::move((*drawn)[i])));
    (*drawn)[i] = std::move(values);
  }
  const std::uint64_t number = bound.next_draw;
  bound.next_draw += kCopies;
  DrawnToys toys{RawNumbers(draw.count * draw.plan.data.size()), number,
                 std::make_shared<const ToyDraw>(draw)};
  bound.drawn.push_back({number, draw.count});
  for (std::size_t i = 0; i < drawn->size(); ++i)
    bound.workers[i]->residents.push_back({number, std::move((*drawn)[i])});
  if (!draw.are_fitted_first) TRY_DO(read_toys(bound, *bound.workers.front(), bound.drawn.back(), toys));
  return toys;
}

Result<void> read_toys(const DeviceModel& bound, Worker& worker, Drawn& drawn, DrawnToys& toys) {
  if (toys.unread) {
    Steps steps(worker.queue());
    steps.read("reading toys", worker.resident(drawn.number), std::span(toys.values));
    if (!steps.ok()) return steps.errors();
    toys.unread.reset();
  }
  if (drawn.constants.empty()) drawn.constants = constants_of(bound, toys.values, drawn.toys);
  return {};
}

}  // namespace nextstat::gpu

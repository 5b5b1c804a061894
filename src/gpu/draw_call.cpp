#include "gpu/calls.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

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

// Bytes of toys with their constants behind them.
std::size_t bytes_of_toys(const ToyDraw& draw) {
  return draw.count * (draw.plan.data.size() + 1) * sizeof(double);
}

// Nothing is waited for: what comes next on the device finds the toys there.
Result<Buffer> draw_on(Worker& worker, const ConstantTables& constants, const ToyDraw& draw, Buffer values) {
  const DrawPlan& plan = draw.plan;
  NsLayout sizes{};
  sizes.n_data = static_cast<unsigned>(plan.data.size());
  const auto count = static_cast<std::uint32_t>(draw.count);
  TRY_DO(worker.reserve(bytes_of(draw_buffers(plan, constants), {}, 0)));
  Steps steps(worker.queue());
  if (values.bytes() < bytes_of_toys(draw)) values = steps.allocate("allocating toys", bytes_of_toys(draw));
  const auto upload = [&](Slot slot, const auto& table) {
    steps.write("uploading how toys are drawn", worker.slot(slot), std::span(table.data(), table.size()));
  };
  upload(Slot::DrawData, plan.data);
  upload(Slot::DrawReals, plan.reals);
  upload(Slot::DrawThresholds, plan.thresholds);
  upload(Slot::DrawGuide, plan.guide);
  upload(Slot::DrawCounts, constants.counts);
  upload(Slot::DrawNormals, constants.normals);
  upload(Slot::DrawKnown, known_excesses());
  const auto at = [&](Slot slot) { return Argument(&worker.slot(slot)); };
  const auto size_of = [](const auto& table) { return static_cast<std::uint32_t>(table.size()); };
  const Argument drawing[] = {
      at(Slot::DrawData), at(Slot::DrawReals), at(Slot::DrawThresholds), at(Slot::DrawGuide), &values,
      sizes.n_data,       draw.seed,           draw.hypothesis,          draw.first,          count};
  const Argument summing[] = {&values,
                              sizes.n_data,
                              at(Slot::DrawCounts),
                              size_of(constants.counts),
                              at(Slot::DrawNormals),
                              size_of(constants.normals),
                              at(Slot::DrawKnown),
                              count};
  const auto launch = [&](const char* doing, Kernel kernel, std::span<const Argument> arguments) {
    steps.launch(doing, kernel, worker.queue().shape(kernel, {sizes}, draw.count), arguments);
  };
  launch("drawing toys", Kernel::Draw, drawing);
  launch("summing constants of toys", Kernel::Constants, summing);
  if (!steps.ok()) return steps.errors();
  return values;
}

}  // namespace

Result<DrawnToys> draw_on_devices(DeviceModel& bound, const ToyDraw& draw) {
  if (draw.count == 0 || draw.count > std::numeric_limits<std::uint32_t>::max() || !is_clean(draw.plan))
    return draw_on_host(draw, bound.options.threads);
  if (draw.plan.data.size() != bound.compiled.n_data)
    throw std::logic_error("the toys to draw are those of another model");
  check_toys(draw.hypothesis, draw.first, draw.count);
  const std::size_t tables = total(bytes_of(draw_buffers(draw.plan, bound.constants), {}, 0));
  std::optional<std::vector<Buffer>> drawn = make_room(bound, bytes_of_toys(draw), tables);
  if (!drawn) return draw_on_host(draw, bound.options.threads);
  for (std::size_t i = 0; i < drawn->size(); ++i) {
    TRY(Buffer values, draw_on(*bound.workers[i], bound.constants, draw, std::move((*drawn)[i])));
    (*drawn)[i] = std::move(values);
  }
  const std::uint64_t number = bound.next_draw;
  bound.next_draw += kCopies;
  bound.drawn.push_back({number, draw.count});
  for (std::size_t i = 0; i < drawn->size(); ++i)
    bound.workers[i]->residents.push_back({number, std::move((*drawn)[i])});
  DrawnToys toys{{}, number, std::make_shared<const ToyDraw>(draw)};
  if (!draw.values) return toys;
  toys.values.resize(draw.count * draw.plan.data.size());
  Steps steps(bound.workers.front()->queue());
  steps.read("reading toys", bound.workers.front()->resident(number), std::span(toys.values));
  if (!steps.ok()) return steps.errors();
  toys.unread.reset();
  return toys;
}

void read_constants(Steps& steps, const Worker& worker, std::size_t n_data, Drawn& drawn) {
  if (!drawn.constants.empty()) return;
  std::vector<double> constants(drawn.toys);
  steps.read("reading constants of toys", worker.resident(drawn.number), std::span(constants),
             drawn.toys * n_data * sizeof(double));
  if (steps.ok()) drawn.constants = std::move(constants);
}

}  // namespace nextstat::gpu

#include "gpu/gpu_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <type_traits>

#include "base/try.h"
#include "device/requests.h"
#include "gpu/calls.h"
#include "gpu/counted_queue.h"
#include "gpu/device_model.h"

namespace nextstat::gpu {
namespace {

template <class Scalar>
class GpuSession final : public DeviceSession {
 public:
  GpuSession(const Model& model, const DeviceSessionOptions& options) : bound_(model, options) {}

  Result<void> open(std::vector<std::unique_ptr<Queue>> queues) {
    std::vector<double> data(bound_.model.data().begin(), bound_.model.data().end());
    bound_.own_constant = clean_data(bound_.compiled, data);
    for (double& datum : data) datum = static_cast<double>(narrowed_datum<Scalar>(datum));
    for (std::unique_ptr<Queue>& given : queues) {
      auto queue = std::make_unique<CountedQueue>(std::move(given));
      counted_.push_back(queue.get());
      bound_.workers.push_back(std::make_unique<Worker>(std::move(queue), bound_.options.memory_limit));
      TRY_DO(upload(*bound_.workers.back(), data));
    }
    return {};
  }

  Result<EvalOutput> evaluate(const EvalRequest& request) override {
    TRY_DO(check_request(request, bound_.compiled));
    const std::lock_guard lock(mutex_);
    return EvaluateCall<Scalar>(bound_, request).run();
  }

  Result<std::vector<RowOutcome>> minimize(const MinimizeRequest& request) override {
    TRY_DO(check_request(request, bound_.compiled));
    const std::lock_guard lock(mutex_);
    return MinimizeCall<Scalar>(bound_, request).run();
  }

  Result<DrawnToys> draw(const ToyDraw& draw) override {
    if constexpr (!std::is_same_v<Scalar, double>) {
      return draw_on_host(draw, bound_.options.threads);
    } else {
      const std::lock_guard lock(mutex_);
      return draw_on_devices(bound_, draw);
    }
  }

  DeviceSession& for_single_rows() override { return bound_.options.host ? *bound_.options.host : *this; }

  SessionTraits traits() const override {
    const QueueTraits& traits = bound_.workers.front()->queue().traits();
    std::string names = traits.name;
    for (std::size_t i = 1; i < bound_.workers.size(); ++i)
      names += ", " + bound_.workers[i]->queue().traits().name;
    return {
        .device = traits.device, .instruction_set = std::move(names), .f64 = std::is_same_v<Scalar, double>};
  }

  Traffic traffic() const override {
    Traffic sum;
    for (const CountedQueue* queue : counted_) {
      const Traffic one = queue->traffic();
      sum.bytes_to_device += one.bytes_to_device;
      sum.bytes_from_device += one.bytes_from_device;
      sum.launches += one.launches;
      sum.synchronizations += one.synchronizations;
    }
    return sum;
  }

 private:
  Result<void> upload(Worker& worker, std::span<const double> data) {
    const CompiledModel& model = bound_.compiled;
    const std::size_t needed =
        (model.reals.size() + data.size()) * sizeof(Scalar) + model.indices.size() * sizeof(std::uint32_t);
    if (bound_.options.memory_limit > 0 && needed > bound_.options.memory_limit)
      return Error{ErrorCode::LimitExceeded,
                   worker.queue().traits().device,
                   fmt::format("the tables of the model need {} bytes on the device, {} may be used", needed,
                               bound_.options.memory_limit),
                   {"allow more, or run on the CPU", {Field::DeviceMemory, {Field::Device, "cpu"}}}};
    Steps steps(worker.queue());
    worker.reals = steps.allocate("allocating the model", model.reals.size() * sizeof(Scalar));
    worker.indices = steps.allocate("allocating the model", model.indices.size() * sizeof(std::uint32_t));
    worker.own_data = steps.allocate("allocating the model", data.size() * sizeof(Scalar));
    AlignedVector<double> reals = model.reals;
    if (worker.queue().traits().table_pairs) pair_up_tables(model.layout, model.indices, reals);
    write_reals<Scalar>(steps, "uploading the model", worker.reals, reals, worker.staging);
    steps.write("uploading the model", worker.indices, std::span<const std::uint32_t>(model.indices));
    write_reals<Scalar>(steps, "uploading the model", worker.own_data, data, worker.staging);
    if (!steps.ok()) return steps.errors();
    return worker.queue().finish();  // the copy of the tables ends here
  }

  DeviceModel bound_;
  std::vector<const CountedQueue*> counted_;  // of the workers
  std::mutex mutex_;
};

template <class Scalar>
Result<std::unique_ptr<DeviceSession>> open_session(const Model& model,
                                                    std::vector<std::unique_ptr<Queue>> queues,
                                                    const DeviceSessionOptions& options) {
  auto session = std::make_unique<GpuSession<Scalar>>(model, options);
  TRY_DO(session->open(std::move(queues)));
  return std::unique_ptr<DeviceSession>(std::move(session));
}

}  // namespace

std::size_t first_wave(const DeviceModel& bound, Kernel kernel, const RowSizes& sizes, std::size_t rows) {
  constexpr std::size_t kTimes = 4;
  if (rows == 0) return 1;
  const Shape shape = bound.workers.front()->queue().shape(kernel, sizes, rows);
  return kTimes * std::max<std::size_t>(1, std::size_t{shape.groups} * shape.rows_per_group);
}

Result<std::unique_ptr<DeviceSession>> make_session(const Model& model,
                                                    std::vector<std::unique_ptr<Queue>> queues,
                                                    const DeviceSessionOptions& options) {
  if (queues.empty()) return Error{ErrorCode::DeviceUnavailable, "device", "no device was given", "name one"};
  const unsigned bits = queues.front()->traits().real_bits;
  const bool same = std::all_of(queues.begin(), queues.end(),
                                [&](const auto& queue) { return queue->traits().real_bits == bits; });
  if (!same)
    return Error{ErrorCode::BadUsage, "device", "devices of different precision cannot share a session",
                 "use devices of one kind"};
  return bits == 64 ? open_session<double>(model, std::move(queues), options)
                    : open_session<float>(model, std::move(queues), options);
}

namespace {

constexpr std::size_t kLanes = 8;

void pair_up(std::span<double> table) {
  for (std::size_t begin = 0; begin < table.size(); begin += 2 * kLanes) {
    std::array<double, 2 * kLanes> entries{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      entries[2 * lane] = table[begin + lane];
      entries[2 * lane + 1] = table[begin + kLanes + lane];
    }
    std::copy(entries.begin(), entries.end(), table.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace

void pair_up_tables(const NsLayout& layout, std::span<const std::uint32_t> indices, std::span<double> reals) {
  const auto slots = [&](const NsList& list) { return std::size_t{indices[list.begin + list.slices]}; };
  const auto pair = [&](std::size_t begin, std::size_t slots_of_list, std::size_t width) {
    pair_up(reals.subspan(begin, slots_of_list * width * kLanes));
  };
  for (const NsList* list : {&layout.norm, &layout.norm_of_parameter}) pair(list->real, slots(*list), 6);
  for (const NsList* list :
       {&layout.linear, &layout.linear_of_parameter, &layout.shift, &layout.shift_of_parameter})
    pair(list->real, slots(*list), 2);
  pair(layout.norm_logs, slots(layout.norm), 2);
  pair(layout.norm_of_parameter_logs, slots(layout.norm_of_parameter), 2);
}

}  // namespace nextstat::gpu

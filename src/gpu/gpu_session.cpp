#include "gpu/gpu_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
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

// A copy of the model on the devices, for one call at a time.
struct Copy {
  DeviceModel bound;
  std::vector<const CountedQueue*> counted = {};  // queues of its workers
  bool is_taken = false;
};

// Calls from several threads work side by side, on copies that are made when they are first needed; further calls wait.
template <class Scalar>
class GpuSession final : public DeviceSession {
 public:
  GpuSession(const Model& model, const DeviceSessionOptions& options) : model_(model), options_(options) {}

  Result<void> open(std::vector<std::unique_ptr<Queue>> queues) {
    // A limit of memory is for one copy.
    if (options_.memory_limit == 0 && queues.front()->traits().runs_side_by_side) most_copies_ = kCopies;
    return add_copy(std::move(queues));
  }

  Result<EvalOutput> evaluate(const EvalRequest& request) override {
    TRY_DO(check_request(request, compiled_model(model_)));
    const Taken taken(*this);
    return EvaluateCall<Scalar>(taken.bound(), request).run();
  }

  Result<std::vector<RowOutcome>> minimize(const MinimizeRequest& request) override {
    TRY_DO(check_request(request, compiled_model(model_)));
    const Taken taken(*this, request.drawn != nullptr ? request.drawn->resident : 0);
    return MinimizeCall<Scalar>(taken.bound(), request).run();
  }

  Result<DrawnToys> draw(const ToyDraw& draw) override {
    if constexpr (!std::is_same_v<Scalar, double>) {
      return draw_on_host(draw, options_.threads);
    } else {
      const Taken taken(*this);
      return draw_on_devices(taken.bound(), draw);
    }
  }

  DeviceSession& for_single_rows() override { return options_.host ? *options_.host : *this; }

  SessionTraits traits() const override {
    const std::lock_guard lock(mutex_);
    const std::vector<std::unique_ptr<Worker>>& workers = copies_.front()->bound.workers;
    const QueueTraits& traits = workers.front()->queue().traits();
    std::string names = traits.name;
    std::size_t rows = traits.rows_at_once;
    for (std::size_t i = 1; i < workers.size(); ++i) {
      names += ", " + workers[i]->queue().traits().name;
      rows += workers[i]->queue().traits().rows_at_once;
    }
    return {.device = traits.device,
            .instruction_set = std::move(names),
            .rows_side_by_side = rows,
            .calls_at_once = most_copies_,
            .f64 = std::is_same_v<Scalar, double>};
  }

  Traffic traffic() const override {
    const std::lock_guard lock(mutex_);
    Traffic sum;
    for (const auto& copy : copies_) {
      for (const CountedQueue* queue : copy->counted) {
        const Traffic one = queue->traffic();
        sum.bytes_to_device += one.bytes_to_device;
        sum.bytes_from_device += one.bytes_from_device;
        sum.launches += one.launches;
        sum.synchronizations += one.synchronizations;
      }
    }
    return sum;
  }

 private:
  // A copy that is this call's until its end: the one that holds the toys, or any.
  class Taken {
   public:
    explicit Taken(GpuSession& session, std::uint64_t resident = 0)
        : session_(session), copy_(session.take(resident)) {}
    ~Taken() {
      {
        const std::lock_guard lock(session_.mutex_);
        copy_.is_taken = false;
      }
      session_.given_back_.notify_all();
    }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    DeviceModel& bound() const { return copy_.bound; }

   private:
    GpuSession& session_;
    Copy& copy_;
  };

  Copy& take(std::uint64_t resident) {
    std::unique_lock lock(mutex_);
    while (true) {
      if (Copy* const copy = free_copy(resident)) {
        copy->is_taken = true;
        return *copy;
      }
      given_back_.wait(lock);
    }
  }

  Copy* free_copy(std::uint64_t resident) {
    if (resident > 0 && resident % kCopies < copies_.size()) {
      Copy& holder = *copies_[resident % kCopies];
      return holder.is_taken ? nullptr : &holder;
    }
    for (const auto& copy : copies_) {
      if (!copy->is_taken) return copy.get();
    }
    if (copies_.size() == most_copies_) return nullptr;
    // Where there is no second one, calls take turns.
    if (!open_another()) most_copies_ = copies_.size();
    return copies_.back()->is_taken ? nullptr : copies_.back().get();
  }

  bool open_another() {
    std::vector<std::unique_ptr<Queue>> queues;
    for (const auto& worker : copies_.front()->bound.workers) {
      Result<std::unique_ptr<Queue>> queue = worker->queue().another();
      if (!queue || !*queue) return false;
      queues.push_back(std::move(*queue));
    }
    return static_cast<bool>(add_copy(std::move(queues)));
  }

  Result<void> add_copy(std::vector<std::unique_ptr<Queue>> queues) {
    auto copy = std::make_unique<Copy>(Copy{{model_, options_, copies_.size()}});
    DeviceModel& bound = copy->bound;
    std::vector<double> data(model_.data().begin(), model_.data().end());
    bound.own_constant = clean_data(bound.compiled, data);
    for (double& datum : data) datum = static_cast<double>(narrowed_datum<Scalar>(datum));
    for (std::unique_ptr<Queue>& given : queues) {
      auto queue = std::make_unique<CountedQueue>(std::move(given));
      copy->counted.push_back(queue.get());
      bound.workers.push_back(
          std::make_unique<Worker>(std::move(queue), options_.memory_limit, most_copies_));
      TRY_DO(upload(bound.compiled, *bound.workers.back(), data));
    }
    copies_.push_back(std::move(copy));
    return {};
  }

  Result<void> upload(const CompiledModel& model, Worker& worker, std::span<const double> data) {
    const std::size_t needed =
        (model.reals.size() + data.size()) * sizeof(Scalar) + model.indices.size() * sizeof(std::uint32_t);
    if (options_.memory_limit > 0 && needed > options_.memory_limit)
      return Error{ErrorCode::LimitExceeded,
                   worker.queue().traits().device,
                   fmt::format("the tables of the model need {} bytes on the device, {} may be used", needed,
                               options_.memory_limit),
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

  Model model_;
  DeviceSessionOptions options_;
  std::size_t most_copies_ = 1;
  mutable std::mutex mutex_;  // of the copies, not of what they do
  std::condition_variable given_back_;
  std::vector<std::unique_ptr<Copy>> copies_;  // at least one
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

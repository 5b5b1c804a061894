#include "gpu/waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "base/parallel.h"

namespace nextstat::gpu {
namespace {

constexpr double kSecondsPerWave = 0.2;
// Local numbers of rows and sets are 32-bit.
constexpr std::size_t kMostRows = std::size_t{1} << 30;

Error too_little_memory(const Worker& worker, std::size_t needed) {
  const QueueTraits& traits = worker.queue().traits();
  const std::size_t model = worker.reals.bytes() + worker.indices.bytes() + worker.own_data.bytes();
  return {ErrorCode::LimitExceeded,
          fmt::format("{} ({})", traits.device, traits.name),
          fmt::format("{} bytes are needed on the device (the model {}, one row {}), {} may be used",
                      model + needed, model, needed, model + worker.budget().bytes),
          {"allow more, or run on the CPU", {Field::DeviceMemory, {Field::Device, "cpu"}}}};
}

class Waves {
 public:
  Waves(std::span<const std::unique_ptr<Worker>> workers, const WaveTask& task)
      : workers_(workers), task_(task) {}

  Result<std::size_t> run() {
    // Further devices cost a thread each; one wave needs none of them.
    const bool shared = workers_.size() > 1 && task_.rows > task_.first_wave;
    if (shared) {
      std::vector<std::jthread> threads(workers_.size() - 1);
      for (std::size_t i = 1; i < workers_.size(); ++i)
        start_thread(
            threads[i - 1], [this, i] { serve_in_thread(*workers_[i]); }, "not every device was used");
      serve(*workers_[0]);
    } else {
      serve(*workers_[0]);
    }
    if (thrown_) std::rethrow_exception(thrown_);
    if (!errors_.empty()) return errors_;
    return next_;
  }

 private:
  // What is thrown in a thread of its own would end the program.
  void serve_in_thread(Worker& worker) noexcept {
    try {
      serve(worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
    }
  }

  // Takes waves until there are no more.
  void serve(Worker& worker) {
    for (;;) {
      const Result<std::size_t> most = rows_of_wave(worker);
      std::size_t first = 0, count = 0;
      {
        const std::lock_guard lock(mutex_);
        if (!most) errors_.insert(errors_.end(), most.errors().begin(), most.errors().end());
        if (thrown_ || !errors_.empty() || task_.stop_token.stop_requested() || next_ == task_.rows) return;
        first = next_;
        count = std::min(*most, task_.rows - next_);
        next_ += count;
      }
      const auto begin = std::chrono::steady_clock::now();
      const Result<void> done = task_.run(worker, first, count);
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      if (!done) {
        const std::lock_guard lock(mutex_);
        errors_.insert(errors_.end(), done.errors().begin(), done.errors().end());
        return;
      }
      // A wave that does not fill the device says little about one that does, unless it was slow.
      if (2 * count >= task_.first_wave || passed.count() > kSecondsPerWave)
        worker.seconds_per_row[static_cast<std::size_t>(task_.kernel)] =
            passed.count() / static_cast<double>(count);
    }
  }

  Result<std::size_t> rows_of_wave(const Worker& worker) const {
    const double speed = worker.seconds_per_row[static_cast<std::size_t>(task_.kernel)];
    const double paced =
        speed > 0 ? std::max(1.0, kSecondsPerWave / speed) : static_cast<double>(task_.first_wave);
    // Devices share what there is; the last waves are of one size.
    const std::size_t share = (task_.rows + workers_.size() - 1) / workers_.size();
    const auto wanted = static_cast<std::size_t>(std::min(paced, static_cast<double>(kMostRows)));
    const std::size_t even = even_part_about(share, wanted);
    const SlotBytes bytes = task_.bytes(worker, even);
    if (worker.has(bytes)) return even;
    const auto bytes_of_rows = [&](std::size_t rows) { return task_.bytes(worker, rows); };
    std::size_t most = most_rows(bytes_of_rows, worker.budget(), even);
    if (most == 0) most = most_rows(bytes_of_rows, worker.whole_budget(), even);
    if (most == 0) return too_little_memory(worker, total(task_.bytes(worker, 1)));
    return most == even ? even : even_part(share, most);
  }

  // The size of waves, about `wanted`, that cut `rows` into equal parts: a wave a little longer is better
  // than two ends, where slow rows run alone.
  static std::size_t even_part_about(std::size_t rows, std::size_t wanted) {
    const std::size_t parts = std::max<std::size_t>(1, (2 * rows + wanted) / (2 * wanted));
    return (rows + parts - 1) / parts;
  }

  // The size of waves, at most `most`, that cut `rows` into equal parts.
  static std::size_t even_part(std::size_t rows, std::size_t most) {
    if (rows <= most) return rows;
    const std::size_t parts = (rows + most - 1) / most;
    return (rows + parts - 1) / parts;
  }

  std::span<const std::unique_ptr<Worker>> workers_;
  const WaveTask& task_;
  std::mutex mutex_;
  std::size_t next_ = 0;  // the first row that no device has taken
  Errors errors_;
  std::exception_ptr thrown_;
};

}  // namespace

Result<std::size_t> run_waves(std::span<const std::unique_ptr<Worker>> workers, const WaveTask& task) {
  if (task.rows == 0) return std::size_t{0};
  return Waves(workers, task).run();
}

}  // namespace nextstat::gpu

#include "base/parallel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace nextstat {
namespace {

using Clock = std::chrono::steady_clock;

// A refusal is a fact about the process, like its limits.
struct Refusals {
  std::mutex mutex;
  std::string reason;             // of the last one
  std::set<std::string> effects;  // what it meant
  std::string fewer;              // the effect on parallel work, as it was last
};

Refusals& refusals() {
  static Refusals all;
  return all;
}

void note_fewer_threads(std::size_t got, std::size_t wanted) {
  const std::lock_guard lock(refusals().mutex);
  refusals().fewer = fmt::format("the work ran on {} of {} threads, with the same results", got, wanted);
}

// One call of run_chunks, on the stack of its caller. Counters of helpers belong to the pool's mutex.
class Job {
 public:
  Job(std::size_t count, ChunkBody body) : count_(count), body_(body) {}

  void run() noexcept {
    for (std::size_t chunk; (chunk = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
      try {
        body_.run(body_.context, chunk);
      } catch (...) {
        const std::lock_guard lock(failure_mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_ = count_;
      }
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  std::size_t places = 0;   // for helpers that have not come yet
  std::size_t helpers = 0;  // at work
  std::condition_variable all_left;

 private:
  const std::size_t count_;
  const ChunkBody body_;
  std::atomic<std::size_t> next_{0};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

// Threads that help with the open jobs. They live as long as the process.
class Pool {
 public:
  static Pool& instance();

  void run(std::size_t threads, Job& job) {
    std::unique_lock lock(mutex_);
    start_helpers(threads - 1);
    const std::size_t places = job.places = std::min(threads - 1, started_);
    const auto place = open_.insert(open_.end(), &job);
    lock.unlock();
    for (std::size_t i = 0; i < places; ++i) work_came_.notify_one();
    job.run();
    lock.lock();
    open_.erase(place);
    job.all_left.wait(lock, [&] { return job.helpers == 0; });
  }

 private:
  // As many as are wanted, or as the system gives; after a refusal it is asked again at most once a second.
  void start_helpers(std::size_t wanted) {
    if (started_ < wanted && Clock::now() >= next_try_) {
      std::thread thread;
      while (started_ < wanted && start_thread(
                                      thread, [this] { help(); }, "")) {
        thread.detach();
        ++started_;
      }
      if (started_ < wanted) next_try_ = Clock::now() + std::chrono::seconds(1);
    }
    if (started_ < wanted) note_fewer_threads(1 + started_, 1 + wanted);
  }

  void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto open =
          std::find_if(open_.begin(), open_.end(), [](const Job* job) { return job->places > 0; });
      if (open == open_.end()) {
        work_came_.wait(lock);
        continue;
      }
      Job& job = **open;
      --job.places;
      ++job.helpers;
      lock.unlock();
      job.run();
      lock.lock();
      if (--job.helpers == 0) job.all_left.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_came_;
  std::list<Job*> open_;
  std::size_t started_ = 0;
  Clock::time_point next_try_ = {};
};

// Never destroyed: its threads may outlive every other object. A forked child has none of them, and gets a new one.
Pool& Pool::instance() {
  static std::atomic<Pool*> pool{nullptr};
  static std::once_flag once;
  std::call_once(once, [] {
    pool = new Pool;
    pthread_atfork(nullptr, nullptr, [] { pool = new Pool; });
  });
  return *pool;
}

}  // namespace

std::size_t processors() {
  static const std::size_t present = std::max(1u, std::thread::hardware_concurrency());
  return present;
}

std::size_t threads_of(std::size_t threads) {
  return threads == 0 ? processors() : std::min(threads, processors());
}

void run_chunks(std::size_t count, std::size_t threads, ChunkBody body) {
  Job job(count, body);
  Pool::instance().run(std::min(threads, count), job);
  job.rethrow();
}

void note_refused_thread(const std::system_error& refusal, const std::string& effect) {
  const std::lock_guard lock(refusals().mutex);
  refusals().reason = refusal.code().message();
  if (!effect.empty()) refusals().effects.insert(effect);
}

std::string refused_threads() {
  const std::lock_guard lock(refusals().mutex);
  if (refusals().reason.empty()) return "";
  std::vector<std::string> effects(refusals().effects.begin(), refusals().effects.end());
  if (!refusals().fewer.empty()) effects.insert(effects.begin(), refusals().fewer);
  return fmt::format("a thread could not be started ({}): {}", refusals().reason, fmt::join(effects, "; "));
}

}  // namespace nextstat

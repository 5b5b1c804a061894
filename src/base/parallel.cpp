#include "base/parallel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <set>
#include <vector>
#if !defined(__SANITIZE_THREAD__)
#include <tbb/global_control.h>
#endif

namespace nextstat {
namespace {

using Clock = std::chrono::steady_clock;

// A refusal is a fact about the process, like its limits.
struct Refusals {
  std::mutex mutex;
  std::string reason;               // of the last one
  std::set<std::string> effects;    // what it meant
  std::string fewer;                // the effect on parallel work, as it was last
  Clock::time_point next_try = {};  // of startable_threads
};

Refusals& refusals() {
  static Refusals all;
  return all;
}

// Starts up to `wanted` threads that live at the same time; how many there were.
std::size_t started_at_once(std::size_t wanted) {
  std::latch end(1);
  std::vector<std::thread> threads;
  threads.reserve(wanted);
  while (threads.size() < wanted) {
    std::thread thread;
    if (!start_thread(
            thread, [&end] { end.wait(); }, ""))
      break;
    threads.push_back(std::move(thread));
  }
  end.count_down();
  for (std::thread& thread : threads) thread.join();
  return threads.size();
}

// oneTBB does not survive a thread that it cannot start, so it must not try to.
// Arenas within arenas share this limit.
void limit_workers([[maybe_unused]] std::size_t threads) {
#if !defined(__SANITIZE_THREAD__)
  static tbb::global_control* limit = nullptr;  // to the end of the process
  delete limit;
  limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism, threads);
#endif
}

}  // namespace

std::size_t threads_of(std::size_t threads) {
  // Asking for the number of processors is a system call of microseconds.
  if (threads == 1) return 1;
  const std::size_t present = std::max(1u, std::thread::hardware_concurrency());
  return threads == 0 ? present : std::min(threads, present);
}

std::size_t startable_threads(std::size_t wanted) {
  static std::atomic<std::size_t> had{1};
  if (wanted <= had.load()) return wanted;
  static std::mutex one_at_a_time;
  const std::lock_guard turn(one_at_a_time);
  if (wanted <= had.load() || Clock::now() < refusals().next_try) return std::min(wanted, had.load());
  const std::size_t got = 1 + started_at_once(wanted - 1);
  had = got;
  static bool limited = false;
  if (limited || got < wanted) limit_workers(got);
  if (got == wanted) return got;
  limited = true;
  refusals().next_try = Clock::now() + std::chrono::seconds(1);
  const std::lock_guard lock(refusals().mutex);
  refusals().fewer = fmt::format("the work ran on {} of {} threads, with the same results", got, wanted);
  return got;
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

// Work over threads. Chunks are cut by the caller, so results do not depend on how many threads there are.
//
//   parallel_chunks(chunks, threads, [&](std::size_t chunk) { ... });
//
// A system may refuse threads: limits of users, containers and memory. Then the work goes on with those that
// there are, at least the calling one, and refused_threads() has a sentence for a warning.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#if defined(__SANITIZE_THREAD__)
#include <atomic>
#include <vector>
#else
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace nextstat {

// How many threads a request for `threads` gets: 0 = all; never more than the machine has.
inline std::size_t threads_of(std::size_t threads) {
  // Asking for the number of processors is a system call of microseconds.
  if (threads == 1) return 1;
  const std::size_t present = std::max(1u, std::thread::hardware_concurrency());
  return threads == 0 ? present : std::min(threads, present);
}

// How many threads, the calling one among them, can work at once: `wanted` or fewer. Found by starting them,
// where more are wanted than there were before; after a refusal at most once a second.
std::size_t startable_threads(std::size_t wanted);

// "" as long as every thread could be started.
std::string refused_threads();
void note_refused_thread(const std::system_error& refusal, const std::string& effect);

// Starts body() in a new thread, if the system gives one. `effect`: what follows if not, for the warning.
template <class Thread, class Body>
bool start_thread(Thread& thread, Body&& body, const std::string& effect) {
  try {
    thread = Thread(std::forward<Body>(body));
    return true;
  } catch (const std::system_error& refusal) {
    note_refused_thread(refusal, effect);
    return false;
  }
}

// Runs body(chunk) for chunks 0 to count - 1 on up to threads_of(threads) threads.
template <class Body>
void parallel_chunks(std::size_t count, std::size_t threads, const Body& body) {
  if (count > 1) threads = startable_threads(threads_of(threads));
  if (threads == 1 || count <= 1) {
    for (std::size_t chunk = 0; chunk < count; ++chunk) body(chunk);
    return;
  }
#if defined(__SANITIZE_THREAD__)
  // The packaged oneTBB hides its synchronization from the thread sanitizer; plain threads show theirs.
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> workers;
  for (std::size_t worker = 0; worker < std::min(threads, count); ++worker) {
    workers.emplace_back([&] {
      for (std::size_t chunk; (chunk = next++) < count;) body(chunk);
    });
  }
#else
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, body); });
#endif
}

}  // namespace nextstat

// Work over threads. Chunks are cut by the caller, so results do not depend on how many threads there are.
//
//   parallel_chunks(chunks, threads, [&](std::size_t chunk) { ... });
#pragma once

#include <nextstat/threads.h>

#include <algorithm>
#include <cstddef>
#include <thread>
#if defined(__SANITIZE_THREAD__)
#include <atomic>
#include <vector>
#else
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace nextstat {

// How many threads, the calling one among them, can work at once: `wanted` or fewer. Found by starting them,
// where more are wanted than there were before; after a refusal at most once a second.
std::size_t startable_threads(std::size_t wanted);

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

// Work over threads. Chunks are cut by the caller, so results do not depend on how many threads there are.
//
//   parallel_chunks(chunks, threads, [&](std::size_t chunk) { ... });
#pragma once

#include <nextstat/threads.h>

#include <cstddef>

namespace nextstat {

// What parallel_chunks hands to the threads: body(context, chunk).
struct ChunkBody {
  const void* context;
  void (*run)(const void* context, std::size_t chunk);
};

// Runs body for chunks 0 to count - 1 on the calling thread and at most threads - 1 others, which stay for the next
// call. Where the system refuses threads, those that there are do the work (nextstat/threads.h). The first exception
// of a chunk ends the work and is thrown here.
void run_chunks(std::size_t count, std::size_t threads, ChunkBody body);

// Of this machine; asked once, because the system takes microseconds to tell.
std::size_t processors();

// Runs body(chunk) for chunks 0 to count - 1 on up to threads_of(threads) threads. A body may call it again.
template <class Body>
void parallel_chunks(std::size_t count, std::size_t threads, const Body& body) {
  if (count > 1) threads = threads_of(threads);
  if (threads == 1 || count <= 1) {
    for (std::size_t chunk = 0; chunk < count; ++chunk) body(chunk);
    return;
  }
  run_chunks(count, threads, {&body, [](const void* context, std::size_t chunk) {
                                (*static_cast<const Body*>(context))(chunk);
                              }});
}

}  // namespace nextstat

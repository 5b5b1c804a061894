#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace nextstat {
namespace {

// Calls the pool, which parallel_chunks does not where the machine has one processor.
template <class Body>
void on_threads(std::size_t count, std::size_t threads, const Body& body) {
  run_chunks(count, threads, {&body, [](const void* context, std::size_t chunk) {
                                (*static_cast<const Body*>(context))(chunk);
                              }});
}

TEST(Parallel, EachChunkRunsOnce) {
  for (std::size_t count : {1u, 2u, 7u, 1000u}) {
    for (std::size_t threads : {1u, 2u, 5u, 16u}) {
      std::vector<std::atomic<int>> done(count);
      on_threads(count, threads, [&](std::size_t chunk) { ++done[chunk]; });
      EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }))
          << count << " chunks on " << threads << " threads";
    }
  }
}

TEST(Parallel, NoMoreThreadsThanAsked) {
  on_threads(64, 16, [](std::size_t) {});  // sixteen are there from now on
  std::atomic<int> at_work{0}, most{0};
  on_threads(200, 3, [&](std::size_t) {
    const int now = ++at_work;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    --at_work;
  });
  EXPECT_LE(most, 3);
}

TEST(Parallel, ABodyMayCallItAgain) {
  std::atomic<std::size_t> sum{0};
  on_threads(20, 4,
             [&](std::size_t outer) { on_threads(30, 4, [&](std::size_t inner) { sum += outer * inner; }); });
  EXPECT_EQ(sum, (19u * 20 / 2) * (29u * 30 / 2));
}

TEST(Parallel, SeveralCallersAtOnce) {
  std::atomic<std::size_t> done{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 6; ++i) {
      callers.emplace_back([&] {
        for (int repeat = 0; repeat < 200; ++repeat) on_threads(9, 3, [&](std::size_t) { ++done; });
      });
    }
  }
  EXPECT_EQ(done, 6u * 200 * 9);
}

TEST(Parallel, AnExceptionEndsTheWorkAndReachesTheCaller) {
  std::atomic<int> done{0};
  const auto run = [&] {
    on_threads(100000, 4, [&](std::size_t chunk) {
      if (chunk == 10) throw std::runtime_error("chunk ten");
      if (chunk > 10)
        std::this_thread::sleep_for(std::chrono::microseconds(20));  // an exception takes its time
      ++done;
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_LT(done, 100000 - 1);
  on_threads(8, 4, [&](std::size_t) { done = -1; });  // the threads are there for the next call
  EXPECT_EQ(done, -1);
}

#if !defined(__SANITIZE_THREAD__)  // which does not follow a fork of a process with threads
TEST(Parallel, AForkedChildWorks) {
  on_threads(8, 4, [](std::size_t) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<int> done{0};
    on_threads(50, 4, [&](std::size_t) { ++done; });
    _exit(done == 50 ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

}  // namespace
}  // namespace nextstat

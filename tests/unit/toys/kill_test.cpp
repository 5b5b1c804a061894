// SIGKILL at random moments: whatever a process was doing, the next one goes on and the bytes are those of an
// undisturbed run.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "toys/run_status.h"
#include "unit/toys/synthetic_run.h"

namespace nextstat {
namespace {

using testing::complete;
using testing::content_of;
using testing::Scratch;
using testing::synthetic_plan;
using Seconds = std::chrono::duration<double>;

// Starts a process that completes the run and kills it after `life`. True: it was killed at work.
bool live_and_die(const std::string& folder, const RunPlan& plan, Seconds life) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      complete(folder, plan);
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  std::this_thread::sleep_for(life);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "it failed before it was killed";
  return WIFSIGNALED(status);
}

TEST(Kill, FiftyKillsAtRandomMomentsChangeNoByte) {
  const RunPlan plan = synthetic_plan(10'000, 10'000);  // 2000 blocks
  const Scratch scratch;
  const auto start = std::chrono::steady_clock::now();
  complete(scratch / "single", plan);
  const Seconds whole = std::chrono::steady_clock::now() - start;

  constexpr int kKills = 50;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> fraction(0, 1.0 / kKills);
  int at_work = 0;
  std::size_t done = 0;
  for (int i = 0; i < kKills; ++i) {
    at_work += live_and_die(scratch / "run", plan, whole * fraction(random));
    const Result<RunStatus> status = run_status(scratch / "run");
    if (!status) {
      EXPECT_EQ(status.errors().front().code, ErrorCode::NotFound)
          << "killed before run.json, or else a fault";
      continue;
    }
    ASSERT_TRUE(status->problems.empty()) << status->problems.front().what;
    ASSERT_GE(status->tally().done, done) << "what was complete stays";
    done = status->tally().done;
  }
  EXPECT_GE(at_work, kKills / 2) << "too few processes were killed at work for this test to mean something";
  EXPECT_GT(done, 0u);
  complete(scratch / "run", plan);
  EXPECT_TRUE(content_of(scratch / "run") == content_of(scratch / "single"));
}

}  // namespace
}  // namespace nextstat

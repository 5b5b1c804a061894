// SIGKILL at random moments: the next process goes on, and the bytes are those of an undisturbed run.
#include <sys/wait.h>

#include <gtest/gtest.h>
#include <nextstat/toy_folder.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "unit/toy_folder/synthetic_run.h"

namespace nextstat {
namespace {

using testing::complete;
using testing::content_of;
using testing::Scratch;
using testing::synthetic_plan;
namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

// Starts a process that completes the run.
pid_t start(const std::string& folder, const RunPlan& plan) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    complete(folder, plan);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

// How long a process takes to begin: it writes a run of one block.
Seconds time_to_begin(const std::string& folder) {
  const auto begun = std::chrono::steady_clock::now();
  int status = 0;
  waitpid(start(folder, synthetic_plan(1, 1)), &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return std::chrono::steady_clock::now() - begun;
}

// Starts a process and kills it after `life`. True: it was killed at work.
bool live_and_die(const std::string& folder, const RunPlan& plan, Seconds life) {
  const pid_t child = start(folder, plan);
  std::this_thread::sleep_for(life);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "it failed before it was killed";
  return WIFSIGNALED(status);
}

// Nothing that has a name is damaged, and what was complete stays.
void check_between_lives(const std::string& folder, std::size_t& done) {
  const Result<RunStatus> status = toys_status(folder);
  if (!status) {
    EXPECT_EQ(status.errors().front().code, ErrorCode::NotFound) << "killed before run.json, or else a fault";
    return;
  }
  EXPECT_TRUE(status->problems.empty()) << status->problems.front().what;
  EXPECT_GE(status->tally().done, done);
  done = status->tally().done;
}

TEST(Kill, FiftyKillsAtRandomMomentsChangeNoByte) {
  const RunPlan plan = synthetic_plan(1500, 1500);  // 300 blocks
  const Scratch scratch;
  const auto begun = std::chrono::steady_clock::now();
  complete(scratch / "single", plan);
  const Seconds whole = std::chrono::steady_clock::now() - begun, first = time_to_begin(scratch / "first");
  const auto expected = content_of(scratch / "single");

  constexpr int kKills = 50, kMostLives = 2000;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> fraction(0, 1);
  int kills = 0;
  std::size_t done = 0, most_done = 0;
  for (int lives = 0; kills < kKills && lives < kMostLives; ++lives) {
    if (live_and_die(scratch / "run", plan, (whole * (2.0 / kKills) + 1.5 * first) * fraction(random))) {
      ++kills;
      check_between_lives(scratch / "run", done);
      most_done = std::max(most_done, done);
    } else {  // it was faster than the kill: another run
      EXPECT_TRUE(content_of(scratch / "run") == expected);
      fs::remove_all(scratch / "run");
      done = 0;
    }
  }
  EXPECT_EQ(kills, kKills);
  EXPECT_GT(most_done, 0u) << "no process lived long enough for this test to mean something";
  complete(scratch / "run", plan);
  EXPECT_TRUE(content_of(scratch / "run") == expected);
}

}  // namespace
}  // namespace nextstat

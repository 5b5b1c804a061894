// Blocks of toys, computed by several threads where the device takes several calls.
#include "infer/toys/toy_blocks.h"

#include <gtest/gtest.h>
#include <nextstat/threads.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace nextstat {
namespace {

// A record is the number of its ensemble and its own.
struct MadeUpToys {
  ToyOptions toys;
  ToyStorage storage;
  RunOptions run{.threads = 0};
  std::atomic<int> at_work = 0, most = 0;
  std::vector<double> seen[2], kept[2];  // [ensemble] in the order in which they came

  RunIdentity identity{.kind = "toys",
                       .nextstat_version = "0",
                       .settings = Json::object(),
                       .seed = 1,
                       .columns = {"ensemble", "toy"},
                       .ensembles = {{0, "a", 2'300}, {1, "b", 1'700}},
                       .toys_per_block = 200,
                       .labels = {}};

  std::optional<std::vector<double>> compute(std::size_t ensemble, std::uint64_t first, std::size_t count) {
    const int now = ++at_work;
    for (int known = most; known < now && !most.compare_exchange_weak(known, now);) continue;
    // Later calls are the quicker ones.
    std::this_thread::sleep_for(std::chrono::milliseconds(4 - 2 * static_cast<int>(first / 100 % 3)));
    std::vector<double> records;
    for (std::size_t i = 0; i < count; ++i) {
      records.push_back(static_cast<double>(ensemble));
      records.push_back(static_cast<double>(first + i));
    }
    --at_work;
    return records;
  }

  Result<BlocksDone> go(std::size_t calls_at_once, const ComputeToys& computing) {
    SessionTraits device;
    device.calls_at_once = calls_at_once;
    ToyRun made_up{identity, toys, storage, run, device, run.threads, 1000};
    made_up.on_records = [&](std::size_t ensemble, std::span<const double> records) {
      seen[ensemble].insert(seen[ensemble].end(), records.begin(), records.end());
    };
    return run_blocks(made_up, computing, [&](const ToyBlock& block) {
      std::vector<double>& of = kept[block.range.ensemble];
      of.insert(of.end(), block.values.begin(), block.values.end());
    });
  }
  Result<BlocksDone> go(std::size_t calls_at_once) {
    return go(calls_at_once,
              [&](std::size_t ensemble, std::uint64_t first, std::size_t count)
                  -> Result<std::optional<std::vector<double>>> { return compute(ensemble, first, count); });
  }
};

TEST(ToyBlocks, AreTheSameHoweverManyCallsAreMadeAtOnce) {
  MadeUpToys one;
  ASSERT_TRUE(one.go(1)->complete);
  EXPECT_EQ(one.kept[0].size(), 2u * 2'300u);
  EXPECT_EQ(one.kept[1].size(), 2u * 1'700u);
  EXPECT_EQ(one.most, 1);
  if (threads_of(0) == 1) GTEST_SKIP() << "one processor: nothing is done ahead";
  for (const std::size_t batch : {std::size_t{0}, std::size_t{70}, std::size_t{450}}) {
    SCOPED_TRACE(batch);
    MadeUpToys two;
    two.toys.batch = batch;
    ASSERT_TRUE(two.go(2)->complete);
    for (const std::size_t ensemble : {0, 1}) {
      EXPECT_EQ(two.kept[ensemble], one.kept[ensemble]);
      EXPECT_EQ(two.seen[ensemble], one.kept[ensemble]);
    }
    EXPECT_GT(two.most, 1);
    EXPECT_LE(two.most, 3);
  }
}

TEST(ToyBlocks, EndWithTheFirstError) {
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{2}}) {
    MadeUpToys toys;
    toys.toys.batch = 200;
    const auto done =
        toys.go(at_once,
                [&](std::size_t ensemble, std::uint64_t first,
                    std::size_t count) -> Result<std::optional<std::vector<double>>> {
                  if (ensemble == 1 && first == 400)
                    return Error{ErrorCode::DeviceUnavailable, "here", "it went away", "try again"};
                  return toys.compute(ensemble, first, count);
                });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.errors().front().what, "it went away");
    EXPECT_EQ(toys.at_work, 0) << "calls that had begun have ended";
  }
}

TEST(ToyBlocks, KeepWhatWasDoneWhenTheyAreStopped) {
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{2}}) {
    MadeUpToys toys;
    toys.toys.batch = 200;
    std::stop_source stop;
    toys.run.stop = stop.get_token();
    const auto done = toys.go(at_once,
                              [&](std::size_t ensemble, std::uint64_t first,
                                  std::size_t count) -> Result<std::optional<std::vector<double>>> {
                                if (ensemble == 0 && first == 600) stop.request_stop();
                                return toys.compute(ensemble, first, count);
                              });
    ASSERT_TRUE(done);
    EXPECT_TRUE(done->interrupted);
    EXPECT_FALSE(done->complete);
    EXPECT_GE(toys.kept[0].size(), 2u * 400u);
    EXPECT_EQ(toys.kept[0].size() % (2 * 200), 0u);
    EXPECT_LT(toys.kept[0].size(), 2u * 2'300u);
  }
}

}  // namespace
}  // namespace nextstat
